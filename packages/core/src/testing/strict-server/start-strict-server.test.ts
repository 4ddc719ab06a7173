import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { isRecord, parseJson } from '../../base/parse-json.ts';
import { makeFourColorPng, makeSolidPng, makeTwoColorJpeg, makeTwoColorPng } from '../make-pictures.ts';
import { readList } from './chat/read-chat-body.ts';
import { expectClean } from './expect-clean.ts';
import { picturePart, postChat } from './post-chat.ts';
import {
  failsCheck,
  hang,
  oracle,
  replyError,
  replyHtml,
  replyText,
  replyToolCalls,
  type StreamFault,
} from './reply.ts';
import { type StrictServer, type StrictServerOptions, startStrictServer } from './start-strict-server.ts';

const png = makeTwoColorPng({ left: 'red', right: 'green' });
const user = { role: 'user', content: 'Hello' };

let server: StrictServer | undefined;

async function start(options: StrictServerOptions = {}): Promise<StrictServer> {
  server = await startStrictServer(options);
  return server;
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** What the model said, from an answer that is no stream. */
async function readContent(response: Response): Promise<unknown> {
  const message = await readMessage(response);
  return message['content'];
}

async function readMessage(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const parsed = parseJson(await response.text());
  const [choice] = readList(parsed.ok && isRecord(parsed.value) ? parsed.value['choices'] : undefined);
  const message = isRecord(choice) ? choice['message'] : undefined;
  return isRecord(message) ? message : {};
}

function ask(...parts: unknown[]) {
  return { messages: [{ role: 'user', content: parts }] };
}

describe('the oracle', () => {
  it.each([
    ['png', 'ext-png-noextension'],
    ['jpeg', 'ok-jpeg-444.jpg'],
    ['gif', 'ok-gif.gif'],
    ['webp', 'ok-webp-lossless.webp'],
  ])('sees the four colours of a picture in %s', async (format, name) => {
    const running = await start();
    const bytes = await readFile(new URL(`../../../../../fixtures/cases/files/${name}`, import.meta.url));
    const content = await readContent(await postChat(running, ask(picturePart(bytes, `image/${format}`))));
    expect(content).toBe('image 1 (64x32): top left red, top right green, bottom left blue, bottom right yellow');
    expectClean(running);
  });

  it('tells pictures apart by their order and the line before each', async () => {
    const running = await start();
    const response = await postChat(running, {
      messages: [
        { role: 'user', content: [picturePart(png), { type: 'text', text: 'Look.' }] },
        { role: 'assistant', content: 'Yes.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Pictures of tools:\ncall_1 view_image shot.png' },
            picturePart(
              makeTwoColorJpeg({ left: 'blue', right: 'yellow' }, { widthPx: 40, heightPx: 20 }),
              'image/jpeg',
            ),
            { type: 'text', text: 'call_2 view_image wall.png' },
            picturePart(makeSolidPng('white', { widthPx: 3, heightPx: 3 })),
            picturePart(
              makeFourColorPng({ topLeft: 'black', topRight: 'grey', bottomLeft: 'red', bottomRight: 'red' }),
            ),
          ],
        },
      ],
    });
    expect(await readContent(response)).toBe(
      [
        'image 1 (64x32): left red, right green',
        "image 2 (40x20, after 'call_1 view_image shot.png'): left blue, right yellow",
        "image 3 (3x3, after 'call_2 view_image wall.png'): left white, right white",
        'image 4 (64x32): top left black, top right grey, bottom left red, bottom right red',
      ].join('\n'),
    );
  });

  it('says so when it sees none, and when it got only an address', async () => {
    const running = await start();
    expect(await readContent(await postChat(running, {}))).toBe('I see no image.');
    const address = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } };
    expect(await readContent(await postChat(running, ask(address)))).toBe(
      'image 1 (https://example.org/a.png): not seen',
    );
  });
});

describe('the default script', () => {
  it('makes the calls that the last user message names, and looks when they are answered', async () => {
    const running = await start();
    const question = { role: 'user', content: 'Please:\nCALL view_image {"path":"a.png"}\nCALL list_directory' };
    const called = await readMessage(await postChat(running, { messages: [question] }));
    const calls = [
      { id: 'call_1', type: 'function', function: { name: 'view_image', arguments: '{"path":"a.png"}' } },
      { id: 'call_2', type: 'function', function: { name: 'list_directory', arguments: '{}' } },
    ];
    expect(called).toEqual({ role: 'assistant', content: null, tool_calls: calls });
    const answered = await postChat(running, {
      messages: [
        question,
        called,
        { role: 'tool', tool_call_id: 'call_1', content: 'a' },
        { role: 'tool', tool_call_id: 'call_2', content: 'b' },
      ],
    });
    expect(await readContent(answered)).toBe('I see no image.');
    expectClean(running);
  });
});

describe('a script', () => {
  it('is played step by step, and a request too many is a problem', async () => {
    const running = await start({ script: [replyText('one'), (request) => replyText(`two: ${request.index}`)] });
    expect(running.stepsLeft()).toBe(2);
    expect(await readContent(await postChat(running, {}))).toBe('one');
    expect(await readContent(await postChat(running, {}))).toBe('two: 1');
    expectClean(running);
    expect((await postChat(running, {})).status).toBe(500);
    expect(() => expectClean(running)).toThrow('request 2: the script has no step left');
  });

  it('can be a function of the request and those before it', async () => {
    const running = await start({
      script: (request, history) => replyText(`${history.length} ${request.messages[0]?.text}`),
    });
    await postChat(running, {});
    expect(await readContent(await postChat(running, {}))).toBe('1 Hello');
  });

  it('answers with errors, pages and nothing at all', async () => {
    const running = await start({
      script: [replyError(429, { error: 'wait' }, { 'retry-after': '3' }), replyHtml(), hang()],
    });
    const refused = await postChat(running, {});
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '3',
      { error: 'wait' },
    ]);
    const page = await postChat(running, {});
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const controller = new AbortController();
    const hanging = postChat(running, {}, { signal: controller.signal });
    const request = await running.waitForRequests(3);
    controller.abort(new Error('enough'));
    await expect(hanging).rejects.toThrow('enough');
    expect(request.reply).toBe('hang');
  });

  it('may say that a check fails; it is a problem when it does not', async () => {
    const running = await start({ script: [failsCheck('c1'), replyText('better'), failsCheck('c1')] });
    const wrong = { messages: [{ role: 'robot', content: 'x' }] };
    expect((await postChat(running, wrong)).status).toBe(400);
    expect(await readContent(await postChat(running, {}))).toBe('better');
    expectClean(running);
    expect((await postChat(running, {})).status).toBe(500);
    expect(() => expectClean(running)).toThrow('the script says that c1 fails, but it passed');
  });

  it('that did not foresee a failed check makes the server unclean', async () => {
    const running = await start({ script: [replyText('one')] });
    await postChat(running, { messages: [{ role: 'robot', content: 'x' }] });
    expect(() => expectClean(running)).toThrow("request 0 failed c1: 400 Invalid value: 'robot'");
    expect(running.stepsLeft()).toBe(1);
  });
});

describe('records', () => {
  it('hold the facts of every picture and where it stood', async () => {
    const running = await start();
    await postChat(running, {
      messages: [
        user,
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: [picturePart(png), { type: 'text', text: 'See.' }] },
      ],
    });
    const [request] = running.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/openai/v1/chat/completions',
      personality: 'openai',
      reply: 'oracle',
    });
    expect(request?.messages.map(({ role, text, partTypes }) => [role, text, partTypes])).toEqual([
      ['user', 'Hello', []],
      ['assistant', 'Yes?', []],
      ['user', 'See.', ['image_url', 'text']],
    ]);
    expect(request?.pictures).toEqual([
      {
        messageIndex: 2,
        partIndex: 0,
        role: 'user',
        mediaType: 'image/png',
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        sizeBytes: png.length,
        format: 'png',
        widthPx: 64,
        heightPx: 32,
        frames: 1,
        colors: {
          left: 'red',
          right: 'green',
          topLeft: 'red',
          topRight: 'green',
          bottomLeft: 'red',
          bottomRight: 'green',
        },
      },
    ]);
  });
});

describe('the leak check', () => {
  const dataUrl = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  const base64 = Buffer.alloc(900, 7).toString('base64');

  it('takes picture data in picture slots and short base64 in words', async () => {
    const running = await start();
    await postChat(running, ask(picturePart(png), { type: 'text', text: base64.slice(0, 1024) }));
    expect(running.leaks).toEqual([]);
    expectClean(running);
  });

  it('finds picture data in words, tool results, arguments, schemas and headers', async () => {
    const running = await start();
    await postChat(
      running,
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: `see ${dataUrl}` }] },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'a', arguments: JSON.stringify({ x: base64 }) } },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: base64.replace(/.{76}/g, '$&\n') },
        ],
        tools: [{ type: 'function', function: { name: 'a', description: dataUrl, parameters: { type: 'object' } } }],
      },
      { headers: { 'x-note': dataUrl } },
    );
    expect(running.leaks.map(({ place, kind }) => [place, kind])).toEqual([
      ['headers.x-note', 'data-url'],
      ['messages[0].content[0].text', 'data-url'],
      ['messages[1].tool_calls[0].function.arguments', 'base64'],
      ['messages[2].content', 'base64'],
      ['tools[0].function.description', 'data-url'],
    ]);
    expect(() => expectClean(running)).toThrow('leak in request 0: data-url at headers.x-note: data:image/png');
  });

  it('looks at requests that fail a check too', async () => {
    const running = await start();
    await postChat(running, { messages: [{ role: 'robot', content: dataUrl }] });
    expect(running.leaks).toHaveLength(1);
  });
});

describe('the prefix check', () => {
  const answer = { role: 'assistant', content: 'Hi.' };
  const second = { role: 'user', content: 'And now?' };

  it('takes a conversation that only grows, and others that begin alike', async () => {
    const running = await start();
    await postChat(running, { messages: [user] });
    await postChat(running, { messages: [user, answer, second] });
    await postChat(running, { messages: [user] });
    await postChat(running, { messages: [user, { role: 'assistant', content: 'Ho.' }, second] });
    await postChat(running, { messages: [user, answer, second, answer, second] });
    expect(running.prefixBreaks).toEqual([]);
  });

  it('names the first byte that differs', async () => {
    const running = await start();
    const before = { messages: [user, answer, second] };
    const after = { messages: [user, { role: 'assistant', content: 'Hé.' }, second, answer, second] };
    await postChat(running, before);
    await postChat(running, after);
    expect(running.prefixBreaks).toEqual([
      {
        request: 1,
        previousRequest: 0,
        place: 'messages[1]',
        byteOffset: JSON.stringify(answer).indexOf('i.'),
        before: 'istant","content":"Hi."}',
        after: 'istant","content":"Hé."}',
      },
    ]);
    expect(() => expectClean(running)).toThrow('prefix broken between requests 0 and 1: messages[1], byte');
    expectClean(running, { prefixBreaks: true });
  });

  it('sees another order of keys, another picture, another head and other tools', async () => {
    const running = await start();
    const pictured = (bytes: Uint8Array) => ({
      role: 'user',
      content: [picturePart(bytes), { type: 'text', text: 'What?' }],
    });
    const tools = [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }];
    const bodies = [
      { messages: [user, answer, second] },
      { messages: [{ content: 'Hello', role: 'user' }, answer, second] },
      { messages: [{ role: 'system', content: 'It is noon.' }, { content: 'Hello', role: 'user' }, answer, second] },
      {
        messages: [{ role: 'system', content: 'It is noon.' }, { content: 'Hello', role: 'user' }, answer, second],
        tools,
      },
      { messages: [pictured(png), answer, second] },
      { messages: [pictured(makeTwoColorPng({ left: 'red', right: 'blue' })), answer, second] },
    ];
    for (const body of bodies) await postChat(running, body);
    expect(running.prefixBreaks.map(({ request, place }) => [request, place])).toEqual([
      [1, 'messages[0]'],
      [2, 'messages[0]'],
      [3, 'tools'],
      [5, 'messages[0]'],
    ]);
  });

  it('leaves out requests that the endpoint refused', async () => {
    const running = await start({
      script: [replyText('Hi.'), replyError(400, { error: { message: 'bad picture' } }), oracle()],
    });
    await postChat(running, { messages: [user, answer, second] });
    await postChat(running, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }, answer, second],
    });
    await postChat(running, { messages: [user, answer, second, answer, second] });
    expect(running.prefixBreaks).toEqual([]);
  });
});

describe('streams', () => {
  const streamed = { stream: true, stream_options: { include_usage: true } };

  async function streamText(faults: readonly StreamFault[], words = 'Grün ist 绿.'): Promise<string> {
    const running = await start({ script: [replyText(words, { faults })] });
    const response = await postChat(running, streamed);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    return response.text();
  }

  /** The `data:` payloads, parsed where they are JSON. */
  function payloads(body: string): unknown[] {
    return body
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      .map((data) => {
        const parsed = parseJson(data);
        return parsed.ok ? parsed.value : data;
      });
  }

  function deltas(body: string): unknown[] {
    return payloads(body).flatMap((payload) =>
      isRecord(payload)
        ? readList(payload['choices']).map((choice) => (isRecord(choice) ? choice['delta'] : choice))
        : [],
    );
  }

  it('come as role, pieces, finish reason, usage and end mark', async () => {
    const found = payloads(await streamText([]));
    expect(found).toHaveLength(6);
    expect(found).toMatchObject([
      { object: 'chat.completion.chunk', usage: null, choices: [{ delta: { role: 'assistant', content: '' } }] },
      { choices: [{ delta: { content: 'Grün i' }, finish_reason: null }] },
      { choices: [{ delta: { content: 'st 绿.' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 2, total_tokens: expect.any(Number) } },
      '[DONE]',
    ]);
  });

  it('give a tool call its id once and its arguments in pieces', async () => {
    const running = await start({
      script: [
        replyToolCalls([
          { name: 'view_image', arguments: { path: 'a.png' } },
          { name: 'b', arguments: '{' },
        ]),
      ],
    });
    const found = deltas(await (await postChat(running, { stream: true })).text());
    expect(found.slice(1, 5)).toEqual([
      { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'view_image', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"path' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '":"a.p' } }] },
      { tool_calls: [{ index: 0, function: { arguments: 'ng"}' } }] },
    ]);
    expect(found.slice(5, 7)).toMatchObject([
      { tool_calls: [{ index: 1, id: 'call_2' }] },
      { tool_calls: [{ index: 1 }] },
    ]);
  });

  it('give calls in turns when they are interleaved', async () => {
    const calls = [
      { name: 'a', arguments: '{"x":12345}' },
      { name: 'b', arguments: '{"y":12345}' },
    ];
    const running = await start({ script: [replyToolCalls(calls, { faults: [{ kind: 'interleaved-tool-calls' }] })] });
    const found = deltas(await (await postChat(running, { stream: true })).text());
    const order = found
      .flatMap((delta) => (isRecord(delta) ? readList(delta['tool_calls']) : []))
      .map((call) => isRecord(call) && call['index']);
    expect(order).toEqual([0, 1, 0, 1, 0, 1]);
  });

  it('say what the model thought before what it says', async () => {
    const running = await start({ script: [replyText('Red.', { reasoning: 'Hm.' })] });
    const found = deltas(await (await postChat(running, { stream: true })).text());
    expect(found.slice(1, 3)).toEqual([{ reasoning_content: 'Hm.' }, { content: 'Red.' }]);
  });

  it('may lack their end mark, finish reason or usage, or have the mark twice', async () => {
    expect(payloads(await streamText([{ kind: 'done-missing' }])).at(-1)).toMatchObject({ choices: [] });
    await server?.close();
    expect(payloads(await streamText([{ kind: 'done-twice' }])).slice(-2)).toEqual(['[DONE]', '[DONE]']);
    await server?.close();
    expect(await streamText([{ kind: 'finish-missing' }])).not.toContain('"stop"');
    await server?.close();
    expect(await streamText([{ kind: 'usage-missing' }])).not.toContain('prompt_tokens');
  });

  it('may have comments, unknown events, extra fields and other line ends', async () => {
    const body = await streamText([
      { kind: 'comments' },
      { kind: 'unknown-events' },
      { kind: 'obfuscation' },
      { kind: 'crlf' },
    ]);
    expect(body).toContain(': STRICT PROCESSING\r\n\r\nevent: keepalive\r\nid: 7\r\nretry: 1000\r\ndata: ');
    expect(body).toContain('"obfuscation":"x7Q');
    expect(body.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('may end after a frame, with an error in it or without', async () => {
    expect(payloads(await streamText([{ kind: 'cut', afterFrames: 2 }]))).toHaveLength(2);
    await server?.close();
    const found = payloads(
      await streamText([{ kind: 'error-frame', afterFrames: 1, error: { message: 'overloaded' } }]),
    );
    expect(found).toMatchObject([{ choices: [{}] }, { error: { message: 'overloaded' } }]);
  });

  it('may be reset', async () => {
    const running = await start({ script: [replyText('Red.', { faults: [{ kind: 'reset', afterFrames: 1 }] })] });
    const response = await postChat(running, streamed);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(running.requests[0]?.isClientGone).toBe(false);
  });

  it('may stall until the client gives up, which is recorded', async () => {
    const running = await start({ script: [replyText('Red.', { faults: [{ kind: 'stall', afterFrames: 1 }] })] });
    const controller = new AbortController();
    const response = await postChat(running, streamed, { signal: controller.signal });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toContain('"role":"assistant"');
    controller.abort();
    await expect(reader?.read()).rejects.toThrow();
    await expect.poll(() => running.requests[0]?.isClientGone).toBe(true);
  });

  it('may wait for a test in the middle', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = await start({ script: [replyText('Red.', { faults: [{ kind: 'hold', afterFrames: 1, until }] })] });
    const response = await postChat(running, { stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    release();
    let rest = '';
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      rest += new TextDecoder().decode(piece.value);
    }
    expect(payloads(rest).at(-1)).toBe('[DONE]');
  });

  it('may come in pieces that end inside characters', async () => {
    const running = await start({ script: [replyText('绿绿绿绿', { faults: [{ kind: 'split-bytes' }] })] });
    const response = await postChat(running, { stream: true });
    const reader = response.body?.getReader();
    const pieces: Uint8Array[] = [];
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
      pieces.push(piece.value);
    const endsInside = pieces.filter((piece) => new TextDecoder().decode(piece).endsWith('\ufffd'));
    expect(endsInside.length).toBeGreaterThan(0);
    expect(Buffer.concat(pieces).toString()).toContain('绿绿绿绿');
  });
});
