// A model on loopback that speaks Chat Completions, word by word, and does what the text says, so that whoever reads a
// transcript knows what every answer has to be. A text begins with its tag and may go on with calls, one group a step:
//   [t7] words=12
//   CALL read_file {"path":"a.png"}
//   THEN
//   CALL write_file {"path":"b.txt","content":"b"}
// When the groups are done it answers all tags that are not answered yet: `answerTo(['t7'], 12)`.
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Notes of the program may stand before what was typed, in other brackets. */
const TAG = /^\[([a-z0-9-]+)\]/m;

/** What the model says to these tags: whole only with its last words. */
export function answerTo(tags, words) {
  const counted = Array.from({ length: words }, (_, index) => `word ${index}`);
  return [`To ${tags.map((tag) => `[${tag}]`).join(' ')}:`, ...counted, 'that is all.'].join(' ');
}

/**
 * @param {{ pauseMs?: number }} options between two words; 0 for none
 * @returns {Promise<{ baseUrl: string, problems: string[], requests: () => number, close: () => Promise<void> }>}
 *   `problems`: what a strict endpoint would have refused, and was.
 */
export async function startChatEndpoint({ pauseMs = 2 } = {}) {
  const problems = [];
  let requests = 0;
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    requests += 1;
    const number = requests;
    const body = await readJson(request);
    if (body === undefined) return;
    const problem = findProblem(body);
    if (problem !== undefined) {
      problems.push(problem);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { message: problem, type: 'invalid_request_error', param: null, code: null } }),
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of framesOf(readTask(body.messages), number)) {
      if (response.destroyed) return;
      response.write(`data: ${JSON.stringify(frame)}\n\n`);
      if (pauseMs > 0) await wait(pauseMs);
    }
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    problems,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(request) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    // The client was killed in the middle of its request.
    return undefined;
  }
}

/** Calls have their results right behind them, results their calls, and somebody said something. */
function findProblem({ messages }) {
  let open = new Set();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return `a result without its call: ${message.tool_call_id}`;
      continue;
    }
    if (open.size > 0) return `calls without results: ${[...open].join(', ')}`;
    open = new Set((message.tool_calls ?? []).map(({ id }) => id));
  }
  if (open.size > 0) return `calls without results: ${[...open].join(', ')}`;
  return findTasks(messages).length === 0 ? 'nobody said anything' : undefined;
}

function findTasks(messages) {
  return messages.flatMap((message, index) => {
    const text = message.role === 'user' ? textsOf(message.content).find((part) => TAG.test(part)) : undefined;
    return text === undefined ? [] : [{ tag: TAG.exec(text)[1], text, index }];
  });
}

function textsOf(content) {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** What is to be said now: the next group of calls of the newest task, or the answer. */
function readTask(messages) {
  const isAnswer = (message) => message.role === 'assistant' && (message.tool_calls ?? []).length === 0;
  const answeredUntil = messages.findLastIndex(isAnswer);
  const tasks = findTasks(messages);
  const newest = tasks.at(-1);
  const groups = readGroups(newest.text);
  const done = messages.slice(newest.index).filter((message) => (message.tool_calls ?? []).length > 0).length;
  if (answeredUntil < newest.index && done < groups.length) return { calls: groups[done] };
  const open = tasks.filter(({ index }) => index > answeredUntil).map(({ tag }) => tag);
  return {
    answer: answerTo(open.length === 0 ? [newest.tag] : open, Number(/words=(\d+)/.exec(newest.text)?.[1] ?? 3)),
  };
}

function readGroups(text) {
  const groups = [[]];
  for (const line of text.split('\n')) {
    if (line === 'THEN') groups.push([]);
    const [, name, words] = /^CALL (\w+) (.*)$/.exec(line) ?? [];
    if (name !== undefined) groups.at(-1).push({ name, arguments: words });
  }
  return groups.filter((group) => group.length > 0);
}

function* framesOf({ calls = [], answer }, number) {
  const frame = (delta, finish_reason = null) => ({
    id: `chatcmpl-${number}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'seer',
    choices: [{ index: 0, delta, finish_reason }],
  });
  yield frame({ role: 'assistant', content: '' });
  for (const piece of answer?.split(/(?<= )/) ?? []) yield frame({ content: piece });
  for (const [index, call] of calls.entries()) {
    const id = `call_${String(number).padStart(5, '0')}_${index}`;
    yield frame({ tool_calls: [{ index, id, type: 'function', function: call }] });
  }
  yield frame({}, calls.length > 0 ? 'tool_calls' : 'stop');
  yield { ...frame({}), choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } };
}
