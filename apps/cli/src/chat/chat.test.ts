import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { ApprovalDecision } from '@fovea/core/agent';
import { AppError, fail, ok, toAppError } from '@fovea/core/base';
import type { ApprovalRequestEvent, FoveaEvent, Session, SessionSummary, Transcript } from '@fovea/core/content';
import type { Fovea, ModelChoice, TurnInput } from '@fovea/server';
import { afterEach, describe, expect, it } from 'vitest';
import { ScriptedSession } from '../../../../packages/core/src/testing/scripted-session.ts';
import { createTerminalScreen } from '../../../../packages/core/src/testing/terminal-screen.ts';
import { cliTexts } from '../texts.ts';
import { Chat } from './chat.ts';
import { readHistory } from './history-file.ts';

const model: ModelChoice = {
  id: 'lab/seer',
  channel: 'lab',
  model: 'seer',
  wireApi: 'openai-chat',
  imageInput: 'yes',
  origin: 'config',
};

const session = { id: 'ses_1', title: 'Earlier', model: 'lab/seer' } as unknown as Session;

type Answer = (input: TurnInput) => AsyncIterable<FoveaEvent>;

/** The services as the chat sees them; pictures are the files whose name ends in `.png`. */
function createFovea(
  answer: Answer,
  { models, transcript, workspace }: { models: readonly ModelChoice[]; transcript: Transcript; workspace: string },
) {
  const summary: SessionSummary = {
    id: 'ses_1',
    title: 'Earlier',
    workspace,
    model: 'lab/seer',
    messageCount: 2,
    updatedAt: '2026-11-30T10:00:00.000Z',
  };
  const scripted = new ScriptedSession<TurnInput>(answer);
  const laterSessions: SessionSummary[] = [];
  const fovea: Partial<Fovea> = {
    locale: 'en',
    listModels: async () => models,
    loadMessages: async (_, { limit }) => transcript.slice(-limit),
    chooseModel: async (name) =>
      name === 'lab/blind'
        ? ok({ ...model, id: 'lab/blind', imageInput: 'no' as const })
        : fail(new AppError('UNKNOWN_MODEL', `channel "lab" has no model "${name}"`)),
    createSession: async () => ok(session),
    // Another one is used between two listings.
    listSessions: async () => {
      const elsewhere = { ...summary, id: 'ses_0', workspace: '/elsewhere' };
      const later = [...laterSessions.splice(0), summary];
      laterSessions.push({ ...summary, id: 'ses_2' });
      return [elsewhere, ...later];
    },
    findSession: async (id) => (id === 'ses_1' ? session : undefined),
    undo: async () => ({
      turnId: 't',
      files: [
        { path: 'page.html', outcome: 'restored' },
        { path: 'notes.txt', outcome: 'kept' },
      ],
    }),
    sessionUsage: async () => ({
      models: [
        {
          model: 'lab/seer',
          answers: 2,
          inputTokens: 1200,
          cachedTokens: 1000,
          outputTokens: 30,
          cost: { amount: 0.0042, currency: 'USD' },
        },
      ],
      costs: [{ amount: 0.0042, currency: 'USD' }],
    }),
    inspect: async (paths) =>
      paths.map((path) =>
        /good(-\d+)?\.png$/.test(path)
          ? {
              verdict: 'accepted' as const,
              path,
              mediaType: 'image/png',
              widthPx: 64,
              heightPx: 32,
              sizeBytes: 127,
              frames: 1,
              digest: `sha256:${'0'.repeat(64)}` as const,
            }
          : { verdict: 'refused' as const, path, refusal: { code: 'NOT_FOUND' as const, name: path } },
      ),
    submit: (input) => scripted.submit(input),
    follow: (id, options) => scripted.follow(id, options),
    queue: (id) => scripted.queue(id),
    removeQueued: (id, itemId) => scripted.removeQueued(id, itemId),
    moveQueued: (id, itemId, before) => scripted.moveQueued(id, itemId, before),
    resumeQueue: () => scripted.resumeQueue(),
    attendSession: async () => undefined,
    stopTurn: () => scripted.stopTurn(),
    findSessionHolder: async () => ({ pid: process.pid, host: 'here', isHere: true }),
  };
  return { fovea: fovea as Fovea, scripted };
}

async function* completed(text: string): AsyncIterable<FoveaEvent> {
  yield { type: 'turn-accepted', sessionId: 'ses_1', turnId: 't', submissionId: 's' };
  yield { type: 'text-delta', text };
  yield { type: 'turn-end', status: 'completed' };
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

interface Start {
  readonly model?: ModelChoice;
  readonly models?: readonly ModelChoice[];
  /** Goes on with a session that holds these messages. */
  readonly transcript?: Transcript;
  readonly historyFile?: string;
  readonly isPlain?: boolean;
}

function startChat(answer: Answer = () => completed('Seen.'), start: Start = {}) {
  const workspace = mkdtempSync(join(tmpdir(), 'fovea-chat-'));
  const keyboard = new PassThrough();
  const output = new PassThrough();
  const drawn = createTerminalScreen(40, 100);
  Object.defineProperties(output, {
    isTTY: { value: true },
    columns: { get: () => drawn.columns },
    rows: { value: 40 },
  });
  let written = '';
  output.on('data', (chunk: Buffer) => {
    written += chunk.toString();
    drawn.write(chunk.toString());
  });
  const resize = (columns: number): void => {
    drawn.resize(columns);
    output.emit('resize');
  };
  const abort = new AbortController();
  const models = start.models ?? [model, { ...model, id: 'lab/blind', model: 'blind', imageInput: 'no' }];
  const { transcript = [] } = start;
  const { fovea, scripted } = createFovea(answer, { models, transcript, workspace });
  const { turns } = scripted;
  const chat = Chat.open({
    terminal: { input: keyboard, output, isPlain: start.isPlain === true },
    fovea,
    context: {
      locale: 'en',
      texts: cliTexts('en'),
      currentFolder: workspace,
      configFile: '/home/nobody/config.jsonc',
      foveaHome: '/home/nobody',
      hasColors: false,
      isPlain: start.isPlain === true,
      signal: abort.signal,
      openFovea: async () => fovea,
    },
    workspace,
    homeFolder: '/home/nobody',
    model: start.model ?? model,
    ...(start.transcript === undefined ? {} : { session }),
    ...(start.historyFile === undefined ? {} : { historyFile: start.historyFile }),
  });
  const finished = chat.then((opened) => opened.run());
  open.push(() => keyboard.end());
  const screen = (): string => stripVTControlCharacters(written).replaceAll('\r', '');
  const until = async (text: string | RegExp): Promise<void> => {
    for (let attempt = 0; attempt < 400; attempt += 1) {
      if (typeof text === 'string' ? screen().includes(text) : text.test(screen())) return;
      await sleep(10);
    }
    throw new Error(`the screen never showed ${String(text)}:\n${screen()}`);
  };
  const untilTurns = async (count: number): Promise<void> => {
    for (let attempt = 0; attempt < 400 && turns.length < count; attempt += 1) await sleep(10);
  };
  const untilSubmitted = async (count: number): Promise<void> => {
    for (let attempt = 0; attempt < 400 && scripted.submitted.length < count; attempt += 1) await sleep(10);
  };
  const bytes = (): string => written;
  /** What stands on the screen now, and stays. */
  const untilShown = async (text: string): Promise<void> => {
    for (let attempt = 0; attempt < 400 && drawn.text().trimEnd() !== text; attempt += 1) await sleep(10);
    expect(drawn.text().trimEnd()).toBe(text);
  };
  const stop = (): void => abort.abort();
  return {
    keyboard,
    turns,
    screen,
    bytes,
    until,
    untilShown,
    untilTurns,
    untilSubmitted,
    resize,
    stop,
    finished,
    workspace,
  };
}

const commandRequest: ApprovalRequestEvent = {
  type: 'approval-request',
  toolCallId: 'call_1',
  name: 'run_command',
  arguments: '{}',
  demand: 'execute',
  target: 'npm test\u001b[2J 0',
  isAfterForeignPicture: true,
};

describe('Chat', () => {
  it('sends a line as it was typed and says how to go on later', async () => {
    const chat = startChat();
    await chat.until('Fovea · lab/seer (sees pictures)');
    chat.keyboard.write('What does  shot.png say?\r');
    await chat.until('Seen.');
    chat.keyboard.write('/quit\r');
    expect(await chat.finished).toBe(0);
    expect(chat.turns).toMatchObject([{ text: 'What does  shot.png say?', attachments: [], model: 'lab/seer' }]);
    expect(chat.screen()).toContain('To go on later: fovea chat -s ses_1');
  });

  it('attaches a pasted path of a picture and sends it with the next line', async () => {
    const chat = startChat();
    writeFileSync(join(chat.workspace, 'good.png'), 'picture');
    chat.keyboard.write(`\u001b[200~'${join(chat.workspace, 'good.png')}'\u001b[201~`);
    await chat.until('Attached good.png (image/png, 64×32, 127 B)');
    chat.keyboard.write('what is it\r');
    await chat.until('Seen.');
    chat.keyboard.write('and now\r');
    await chat.until('› and now');
    chat.keyboard.write('/quit\r');
    await chat.finished;
    expect(chat.turns.map((turn) => turn.attachments)).toEqual([['good.png'], []]);
  });

  it('copies a picture from outside into the workspace before it is attached', async () => {
    const chat = startChat();
    const [one, other] = ['one', 'other'].map(() => {
      const folder = mkdtempSync(join(tmpdir(), 'fovea-elsewhere-'));
      writeFileSync(join(folder, 'good.png'), 'picture');
      return join(folder, 'good.png');
    });
    chat.keyboard.write(`/attach ${one}\r`);
    await chat.until('Attached .fovea/attachments/good.png');
    chat.keyboard.write(`/attach ${one}\r`);
    await chat.until('Attached already: .fovea/attachments/good.png');
    chat.keyboard.write(`/attach ${other}\r`);
    await chat.until('Attached .fovea/attachments/good-2.png');
    expect(readdirSync(join(chat.workspace, '.fovea/attachments')).sort()).toEqual(['good-2.png', 'good.png']);
  });

  it('says what is not found and attaches nothing', async () => {
    const chat = startChat();
    chat.keyboard.write('\u001b[200~/nowhere/missing.png\u001b[201~');
    await chat.until('Error: not found: /nowhere/missing.png');
    chat.keyboard.write('hello\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ attachments: [], text: 'hello' }]);
  });

  it('keeps a pasted text of several lines as one message', async () => {
    const chat = startChat();
    chat.keyboard.write('look: \u001b[200~one\ntwo\u001b[201~');
    await chat.until('[pasted text, 2 lines]');
    chat.keyboard.write('\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ text: 'look: one\ntwo' }]);
  });

  it('keeps the line and the attachments of a refused turn', async () => {
    let isFirst = true;
    const chat = startChat(async function* () {
      if (isFirst) {
        isFirst = false;
        yield {
          type: 'turn-refused',
          items: [{ index: 0, name: 'good.png', code: 'CORRUPT', message: 'Error: damaged' }],
        };
        return;
      }
      yield* completed('Seen.');
    });
    writeFileSync(join(chat.workspace, 'good.png'), 'picture');
    chat.keyboard.write('/attach good.png\r');
    await chat.until('Attached good.png');
    chat.keyboard.write('my question\r');
    await chat.until('Error: damaged');
    await chat.until('Nothing was sent.');
    chat.keyboard.write('\r');
    await chat.until('Seen.');
    expect(chat.turns.map((turn) => [turn.text, turn.attachments])).toEqual([
      ['my question', ['good.png']],
      ['my question', ['good.png']],
    ]);
  });

  it('stops a running answer with Ctrl+C and goes on', async () => {
    const chat = startChat(async function* (input) {
      yield { type: 'text-delta', text: 'thinking hard' };
      await new Promise((resolve) => input.signal?.addEventListener('abort', resolve));
      yield { type: 'turn-end', status: 'stopped' };
    });
    chat.keyboard.write('long\r');
    await chat.until('thinking hard');
    chat.keyboard.write('\u0003');
    await chat.until('thinking hard\nStopping …\nInterrupted.');
    chat.keyboard.write('/quit\r');
    expect(await chat.finished).toBe(0);
  });

  it('changes the model, and says which names there are when one is wrong', async () => {
    const chat = startChat();
    chat.keyboard.write('/model\r');
    await chat.until('* lab/seer (sees pictures)');
    chat.keyboard.write('/model nope\r');
    await chat.until('Error: channel "lab" has no model "nope"');
    chat.keyboard.write('/model blind\r');
    await chat.until('Now answering: lab/blind (takes no pictures).');
    chat.keyboard.write('hi\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ model: 'lab/blind' }]);
  });

  it('leaves on the second Ctrl+C at an empty line, and names unknown commands', async () => {
    const chat = startChat();
    chat.keyboard.write('/nonsense\r');
    await chat.until('Unknown command /nonsense. /help');
    chat.keyboard.write('/atach a.png\r');
    await chat.until('Unknown command /atach. Did you mean /attach?');
    chat.keyboard.write('\u0003');
    await chat.until('Press Ctrl+C again to leave.');
    chat.keyboard.write('\u0003');
    expect(await chat.finished).toBe(0);
  });

  it('attaches several bare names, names the missing one and asks for the near one', async () => {
    const chat = startChat();
    for (const name of ['good-1.png', 'good-2.png', 'god.png']) writeFileSync(join(chat.workspace, name), name);
    chat.keyboard.write('/attach good-1.png missing.png goood-2.png good-2.png\r');
    await chat.until('Attached good-2.png');
    expect(chat.screen()).toContain('Attached good-1.png');
    expect(chat.screen()).toMatch(/Error: not found: missing\.png\n/);
    expect(chat.screen()).toContain('Error: not found: goood-2.png. Did you mean good-2.png?');
    chat.keyboard.write('/attach good-1.png\r');
    await chat.until('Attached already: good-1.png');
    chat.keyboard.write('look\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ attachments: ['good-1.png', 'good-2.png'] }]);
  });

  it('takes nothing away when /detach is not understood', async () => {
    const chat = startChat();
    writeFileSync(join(chat.workspace, 'good.png'), 'picture');
    chat.keyboard.write('/attach good.png\r');
    await chat.until('Attached good.png');
    for (const wrong of ['good.png', '0', '2']) {
      chat.keyboard.write(`/detach ${wrong}\r`);
      await chat.until(`/detach ${wrong}\nSay which picture: /detach N with N from 1 to 1`);
    }
    chat.keyboard.write('look\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ attachments: ['good.png'] }]);
  });

  it('says that only the built-in reader answers, and how to get a model', async () => {
    const reader: ModelChoice = { ...model, id: 'offline/reader', wireApi: 'offline', origin: 'built-in' };
    const chat = startChat(undefined, { model: reader, models: [reader] });
    await chat.until('no model is configured: the built-in reader answers (text, codes, colours)');
    await chat.until('OPENAI_API_KEY');
    await chat.until('/home/nobody/config.jsonc');
    expect(chat.screen()).not.toContain('sees pictures');
  });

  it('shows what was said last when it goes on with a session', async () => {
    const common = { turnId: 't', createdAt: '2026-11-30T10:00:00.000Z' };
    const chat = startChat(undefined, {
      transcript: [
        { ...common, id: '1', role: 'user', content: 'first question', imageInputs: [] },
        { ...common, id: '2', role: 'user', content: 'long text\nlast question', imageInputs: [] },
        {
          ...common,
          id: '3',
          role: 'assistant',
          model: 'lab/seer',
          status: 'completed',
          parts: [{ type: 'text', text: 'one\n\ntwo\nthree\nfour' }],
        },
      ],
    });
    await chat.until('Going on with "Earlier" (ses_1).');
    await chat.until('› last question\none\ntwo\nthree\n…\n');
    expect(chat.screen()).not.toContain('first question');
  });

  it('queues what is entered while a turn runs and sends it afterwards, in order', async () => {
    let finish = (): void => undefined;
    const chat = startChat(async function* (input) {
      yield { type: 'turn-accepted', sessionId: 'ses_1', turnId: 't', submissionId: 's' };
      if (input.text === 'first') await new Promise<void>((resolve) => (finish = resolve));
      yield* completed(`answer to ${input.text}`);
    });
    chat.keyboard.write('first\r');
    await chat.untilTurns(1);
    chat.keyboard.write('second\rthi');
    await chat.until('[1 queued] › thi');
    chat.keyboard.write('rd\r');
    await chat.until('[2 queued]');
    finish();
    await chat.until('answer to third');
    expect(chat.turns.map((turn) => turn.text)).toEqual(['first', 'second', 'third']);
  });

  it('takes the last queued line back with Up, and keeps what was typed for the next prompt', async () => {
    let finish = (): void => undefined;
    const chat = startChat(async function* (input) {
      yield { type: 'turn-accepted', sessionId: 'ses_1', turnId: 't', submissionId: 's' };
      if (input.text === 'first') await new Promise<void>((resolve) => (finish = resolve));
      yield* completed(`answer to ${input.text}`);
    });
    chat.keyboard.write('first\r');
    await chat.untilTurns(1);
    chat.keyboard.write('second\r');
    await chat.until('[1 queued]');
    chat.keyboard.write('\u001b[A');
    await chat.until('› second');
    finish();
    await chat.until('answer to first');
    chat.keyboard.write(' thoughts\r');
    await chat.until('answer to second thoughts');
    expect(chat.turns.map((turn) => turn.text)).toEqual(['first', 'second thoughts']);
  });

  it('pauses the queue when Escape stops the turn, and goes on with Enter', async () => {
    const chat = startChat(async function* (input) {
      if (input.text !== 'first') {
        yield* completed(`answer to ${input.text}`);
        return;
      }
      yield { type: 'text-delta', text: 'thinking hard' };
      await new Promise((resolve) => input.signal?.addEventListener('abort', resolve));
      yield { type: 'turn-end', status: 'stopped' };
    });
    chat.keyboard.write('first\r');
    await chat.until('thinking hard');
    chat.keyboard.write('second\r');
    await chat.until('[1 queued]');
    chat.keyboard.write('\u001b');
    await chat.until('1 message waits: Enter on an empty line sends on');
    expect(chat.turns).toHaveLength(1);
    chat.keyboard.write('\r');
    await chat.until('answer to second');
  });

  it('asks about a call, tells of a picture from elsewhere, and takes only the named keys', async () => {
    const decisions: ApprovalDecision[] = [];
    const chat = startChat(async function* (input) {
      yield { type: 'turn-accepted', sessionId: 'ses_1', turnId: 't', submissionId: 's' };
      for (let count = 0; count < 3; count += 1) {
        const asked = { ...commandRequest, target: commandRequest.target.replace('0', String(count)) };
        yield asked;
        const decision = await input.approver?.decide(asked, new AbortController().signal);
        if (decision !== undefined) decisions.push(decision);
      }
      yield* completed('Done.');
    });
    chat.keyboard.write('go\r');
    await chat.until('? run_command wants to run:\n    npm test 0');
    await chat.until('a stranger');
    await chat.until('[y] once');
    // Words are a message, whatever they begin with: only a key that stands alone decides.
    let pattern = String.raw`\[y\] once`;
    for (const word of ['wait', 'hey', '/steer and', 'now', 'yes']) {
      for (const key of word) chat.keyboard.write(key);
      pattern += String.raw`[\s\S]*a question waits[^\n]*${word}`;
      await chat.until(new RegExp(pattern));
      chat.keyboard.write('\u0015');
      pattern += String.raw`[\s\S]*\[y\] once`;
      await chat.until(new RegExp(pattern));
    }
    expect(decisions).toEqual([]);
    chat.keyboard.write('y');
    await chat.until(/npm test 1[\s\S]*\[y\] once/);
    chat.keyboard.write('a\r');
    await chat.until(/npm test 2[\s\S]*\[y\] once/);
    chat.keyboard.write('n');
    await chat.until('Why not?');
    chat.keyboard.write('use mak\u007fke\r');
    await chat.until('Done.');
    expect(decisions).toEqual([
      { decision: 'allow' },
      { decision: 'allow', remember: 'session' },
      { decision: 'deny', reason: 'use make' },
    ]);
    expect(chat.turns).toHaveLength(1);
  });

  it('stops the turn while it is being asked', async () => {
    const chat = startChat(async function* (input) {
      const request = { ...commandRequest, target: 'rm -r build', isAfterForeignPicture: false };
      yield { type: 'turn-accepted', sessionId: 'ses_1', turnId: 't', submissionId: 's' };
      const { signal = new AbortController().signal } = input;
      const end = await input.approver?.decide(request, signal).catch((error: unknown) => toAppError(error).code);
      yield { type: 'text-delta', text: `ended by ${String(end)}` };
      yield { type: 'turn-end', status: 'stopped' };
    });
    chat.keyboard.write('go\r');
    await chat.until('rm -r build');
    chat.keyboard.write('\u0003');
    await chat.until('ended by CANCELED');
    await chat.until('Interrupted.');
  });

  it('undoes, tells costs, lists conversations and goes on with one', async () => {
    const chat = startChat();
    chat.keyboard.write('/undo\r');
    await chat.until('This conversation has not begun yet.');
    chat.keyboard.write('/sessions\r');
    await chat.until('1  ses_1  2026-11-30 10:00  Earlier');
    chat.keyboard.write('/sessions 1\r');
    await chat.until('Going on with "Earlier" (ses_1).');
    chat.keyboard.write('/undo\r');
    await chat.until('restored: page.html\nleft as it is, because it was changed since: notes.txt');
    chat.keyboard.write('/cost\r');
    await chat.until('lab/seer: 2 answers, 1,200 tokens in (1,000 cached), 30 out, $0.0042');
    chat.keyboard.write('/sessions 7\r');
    await chat.until('no conversation "7" in this workspace');
  });

  it('keeps what was typed for later conversations, but no line that begins with a blank', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fovea-history-'));
    const historyFile = join(folder, 'home', 'history');
    const chat = startChat(undefined, { historyFile });
    chat.keyboard.write('look at a.png\r');
    await chat.until('Seen.');
    chat.keyboard.write(' secret words\r');
    await chat.untilTurns(2);
    chat.keyboard.write('/quit\r');
    await chat.finished;
    expect(await readHistory(historyFile)).toEqual(['look at a.png', '/quit']);
    expect(statSync(historyFile).mode & 0o777).toBe(0o600);
    const later = startChat(undefined, { historyFile });
    await later.until('› ');
    later.keyboard.write('\u001b[A\u001b[A');
    await later.until('› look at a.png');
  });

  it('completes paths behind @', async () => {
    const chat = startChat();
    mkdirSync(join(chat.workspace, 'shots'));
    for (const name of ['shots/one two.png', 'shots/three.png']) writeFileSync(join(chat.workspace, name), '');
    await chat.until('› ');
    chat.keyboard.write('see @sho\t');
    await chat.until('› see @shots/');
    chat.keyboard.write('th\t');
    await chat.until('› see @shots/three.png');
    chat.keyboard.write(' now\r');
    await chat.untilTurns(1);
    expect(chat.turns.map((turn) => turn.text)).toEqual(['see @shots/three.png now']);
  });

  /** Answers `first` only when `finish` is called, everything else at once. */
  function holdFirst() {
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    async function* answer(input: TurnInput): AsyncIterable<FoveaEvent> {
      yield { type: 'turn-accepted', sessionId: 'ses_1', turnId: 't', submissionId: 's' };
      yield { type: 'text-delta', text: `answer to ${input.text}` };
      if (input.text === 'first') await Promise.race([held, untilAborted(input.signal)]);
      yield { type: 'turn-end', status: input.signal?.aborted === true ? 'stopped' : 'completed' };
    }
    return { answer, finish: () => finish() };
  }

  function untilAborted(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
  }

  const hint = 'Ask about pictures in this folder, or paste a picture or its path. /help shows what else there is.';
  const welcome = (chat: { readonly workspace: string }): string =>
    `Fovea · lab/seer (sees pictures) · ${chat.workspace}\n${hint}`;

  it('gives pictures to the message that is entered after them, also while another is answered', async () => {
    const { answer, finish } = holdFirst();
    const chat = startChat(answer);
    writeFileSync(join(chat.workspace, 'good.png'), 'picture');
    chat.keyboard.write('first\r');
    await chat.untilTurns(1);
    chat.keyboard.write(
      `\u001b[200~${join(chat.workspace, 'good.png')}\u001b[201~what is it\r\u001b[200~a\nb\u001b[201~!\r`,
    );
    await chat.until('[2 queued] › ');
    await chat.until('Attached good.png');
    finish();
    await chat.untilTurns(3);
    expect(chat.turns.map((turn) => [turn.text, turn.attachments])).toEqual([
      ['first', []],
      ['what is it', ['good.png']],
      ['a\nb!', []],
    ]);
  });

  it('shows and takes back what waits at once, with its pictures', async () => {
    const { answer, finish } = holdFirst();
    const chat = startChat(answer);
    writeFileSync(join(chat.workspace, 'good.png'), 'picture');
    chat.keyboard.write('first\r');
    await chat.untilTurns(1);
    chat.keyboard.write('/attach good.png\rlook\rother\r/queue\r');
    await chat.until('1  [good.png] look\n');
    await chat.until('2  other\n');
    chat.keyboard.write('/unqueue 1\r');
    await chat.until('No longer queued: [good.png] look');
    await chat.until('[1 queued] [good.png] › ');
    finish();
    await chat.untilTurns(2);
    expect(chat.turns.map((turn) => [turn.text, turn.attachments])).toEqual([
      ['first', []],
      ['other', []],
    ]);
  });

  it('draws what is typed below the answer, and leaves nothing of it there, whatever the width becomes', async () => {
    const { answer, finish } = holdFirst();
    const chat = startChat(answer);
    await chat.until(hint);
    chat.keyboard.write('first\r');
    await chat.until('answer to first');
    chat.keyboard.write('some words that are typed while it is answered, longer than the screen will be');
    await chat.untilShown(
      `${welcome(chat)}\n› first\nanswer to first\n› some words that are typed while it is answered, longer than the screen will be`,
    );
    chat.resize(100 - 20);
    chat.resize(50);
    chat.keyboard.write('!');
    await chat.until('…t is answered, longer than the screen will be!');
    chat.resize(100);
    finish();
    await chat.untilShown(
      `${welcome(chat)}\n› first\nanswer to first\n› some words that are typed while it is answered, longer than the screen will be!`,
    );
  });

  it('draws a long line anew when the screen becomes narrower', async () => {
    const chat = startChat();
    await chat.until(hint);
    chat.keyboard.write(
      'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen',
    );
    await chat.until('sixteen');
    chat.resize(110);
    chat.keyboard.write('\u0003');
    await chat.untilShown(`${welcome(chat)}\n›`);
  });

  it('takes no key for an answer that was typed while the question came', async () => {
    const decisions: unknown[] = [];
    let ask = (): void => undefined;
    const chat = startChat(async function* (input) {
      yield { type: 'turn-accepted', sessionId: 'ses_1', turnId: 't', submissionId: 's' };
      if (input.text === 'go') {
        await new Promise<void>((resolve) => (ask = resolve));
        const request: ApprovalRequestEvent = {
          type: 'approval-request',
          toolCallId: 'call_1',
          name: 'run_command',
          arguments: '{}',
          demand: 'execute',
          target: 'rm -r build',
          isAfterForeignPicture: false,
        };
        decisions.push(await input.approver?.decide(request, new AbortController().signal));
      }
      yield* completed(`answer to ${input.text}`);
    });
    chat.keyboard.write('go\r');
    await chat.untilTurns(1);
    chat.keyboard.write('m');
    await chat.until('› m');
    ask();
    await chat.until('rm -r build');
    chat.keyboard.write('any');
    await chat.until('(a question waits: Enter or Ctrl+U first) › many');
    await sleep(800);
    chat.keyboard.write('y\r');
    await chat.until('[1 queued]');
    expect(decisions).toEqual([]);
    await chat.until('[y] once');
    chat.keyboard.write('n');
    await chat.until('Why not?');
    chat.keyboard.write('\u001b[200~use make\u001b[201~, 请\r');
    await chat.until('answer to manyy');
    expect(decisions).toEqual([{ decision: 'deny', reason: 'use make, 请' }]);
  });

  it('keeps what was typed when Ctrl+C stops an answer, and says what was not sent', async () => {
    const { answer } = holdFirst();
    const chat = startChat(answer);
    chat.keyboard.write('first\r');
    await chat.until('answer to first');
    chat.keyboard.write('second\rhalf');
    await chat.until('[1 queued] › half');
    chat.keyboard.write('\u0003');
    await chat.until('1 message waits');
    await chat.until(/Enter on an empty line[\s\S]*\[1 queued\] › half/);
    chat.stop();
    expect(await chat.finished).toBe(130);
    expect(chat.screen()).toContain('Waits: second\nNot sent: half\n');
  });

  it('sends nothing that waits behind /quit', async () => {
    const { answer, finish } = holdFirst();
    const chat = startChat(answer);
    chat.keyboard.write('first\r');
    await chat.untilTurns(1);
    chat.keyboard.write('/quit\rnever\r');
    await chat.until('[2 queued]');
    finish();
    expect(await chat.finished).toBe(0);
    expect(chat.turns).toHaveLength(1);
    expect(chat.screen()).toContain('Not sent: never\n');
  });

  it('lets a refused message wait when the next one is being typed already', async () => {
    let refuse = (): void => undefined;
    const chat = startChat(async function* () {
      await new Promise<void>((resolve) => (refuse = resolve));
      yield {
        type: 'turn-refused',
        items: [{ index: 0, name: 'a.png', code: 'CORRUPT', message: 'Error: damaged' }],
      };
    });
    chat.keyboard.write('first\r');
    await chat.untilSubmitted(1);
    chat.keyboard.write('typed');
    await chat.until('› typed');
    refuse();
    await chat.until('Nothing was sent.');
    await chat.until('[1 queued] › typed');
  });

  it('goes on with the conversation that had the number when they were listed', async () => {
    const chat = startChat();
    chat.keyboard.write('/sessions\r');
    await chat.until('1  ses_1');
    chat.keyboard.write('/sessions 1\r');
    await chat.until('Going on with "Earlier"');
  });

  it('marks pastes only while it runs', async () => {
    const chat = startChat();
    await chat.until(hint);
    expect(chat.bytes()).toContain('\u001b[?2004h');
    chat.stop();
    expect(await chat.finished).toBe(130);
    expect(chat.bytes().match(/\[\?2004[hl]/g)).toEqual(['[?2004h', '[?2004l']);
  });

  it('writes no escape sequence to a terminal that cannot move its cursor', async () => {
    const { answer, finish } = holdFirst();
    const chat = startChat(answer, { isPlain: true });
    chat.keyboard.write('firsx\u007ft\r');
    await chat.until('answer to first');
    chat.keyboard.write('second\r');
    await chat.until('[1 queued] › second');
    finish();
    await chat.until('answer to second');
    chat.keyboard.write('/quit\r');
    await chat.finished;
    expect(chat.bytes()).not.toContain('\u001b');
    expect(chat.turns.map((turn) => turn.text)).toEqual(['first', 'second']);
  });

  it('says what Tab may complete, and completes what all choices share', async () => {
    const chat = startChat();
    for (const name of ['shot-one.png', 'shot-two.png']) writeFileSync(join(chat.workspace, name), '');
    chat.keyboard.write('see @s\t');
    await chat.until('› see @shot-');
    chat.keyboard.write('\t');
    await chat.until('@shot-one.png  @shot-two.png\n');
    chat.keyboard.write('t\t\r');
    await chat.untilTurns(1);
    expect(chat.turns.map((turn) => turn.text)).toEqual(['see @shot-two.png']);
  });
});
