import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../base/app-error.ts';
import type { Digest } from '../../base/ids.ts';
import { silentLogger } from '../../base/logger.ts';
import { Secret } from '../../base/secret.ts';
import type { AssistantPart } from '../../content/parts.ts';
import type { ModelRequest, RequestImage, RequestMessage } from '../../content/request.ts';
import { createRecordingLogger } from '../../testing/conformance/harness.ts';
import { createFixedClock } from '../../testing/fixed-clock.ts';
import { makeTwoColorPng, type TwoColors } from '../../testing/make-pictures.ts';
import { expectClean } from '../../testing/strict-server/expect-clean.ts';
import type { PersonalityId } from '../../testing/strict-server/personalities.ts';
import { failsCheck, oracle, replyText, replyToolCalls, type StreamFault } from '../../testing/strict-server/reply.ts';
import type { Script } from '../../testing/strict-server/script.ts';
import { type StrictServer, startStrictServer } from '../../testing/strict-server/start-strict-server.ts';
import type { Endpoint, ProviderContext, ProviderEvent } from '../provider.ts';
import { createOpenAiResponsesProvider } from './provider.ts';

const blobs = new Map<Digest, Uint8Array>();

function storePicture(name: string, colors: TwoColors): RequestImage {
  const bytes = makeTwoColorPng(colors);
  const digest: Digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  blobs.set(digest, bytes);
  const size = { sizeBytes: bytes.length, widthPx: 64, heightPx: 32 };
  return { type: 'image', digest, originalDigest: digest, name, mediaType: 'image/png', ...size };
}

const redGreen = storePicture('a.png', { left: 'red', right: 'green' });
const blueWhite = storePicture('b.png', { left: 'blue', right: 'white' });

let server: StrictServer;
afterEach(() => server.close());

async function start(script: Script, personality: PersonalityId = 'openai'): Promise<void> {
  server = await startStrictServer({ personality, script });
}

interface Asked {
  readonly events: readonly ProviderEvent[];
  readonly text: string;
  readonly thinking: string;
  readonly error: AppError | undefined;
  /** As the transcript would keep the answer. */
  readonly parts: readonly AssistantPart[];
}

async function ask(
  messages: readonly RequestMessage[],
  { endpoint, ...context }: Partial<ProviderContext> & { readonly endpoint?: Partial<Endpoint> } = {},
): Promise<Asked> {
  const request: ModelRequest = {
    model: 'seer',
    messages,
    tools: [{ name: 'view_image', description: 'Shows a picture.', parameters: { type: 'object', properties: {} } }],
    maxOutputTokens: 500,
  };
  const events: ProviderEvent[] = [];
  const calling = createOpenAiResponsesProvider().stream(
    request,
    {
      channel: 'lab',
      wireApi: 'openai-responses',
      baseUrl: server.baseUrl,
      apiKey: new Secret('test-key'),
      headers: {},
      idleTimeoutMs: 1000,
      ...endpoint,
    },
    {
      signal: new AbortController().signal,
      clock: createFixedClock(),
      logger: silentLogger,
      readBlob: async (digest) => blobs.get(digest) ?? new Uint8Array(),
      ...context,
    },
  );
  for await (const event of calling) events.push(event);
  const joined = (type: 'text-delta' | 'thinking-delta') =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const last = events.at(-1);
  return {
    events,
    text: joined('text-delta'),
    thinking: joined('thinking-delta'),
    error: last?.type === 'error' ? last.error : undefined,
    parts: partsOf(events),
  };
}

function partsOf(events: readonly ProviderEvent[]): readonly AssistantPart[] {
  return events.flatMap((event): AssistantPart[] => {
    if (event.type === 'text-delta') return [{ type: 'text', text: event.text }];
    if (event.type === 'tool-call') return [event.call];
    if (event.type !== 'thinking-delta' || event.opaque === undefined) return [];
    return [{ type: 'thinking', text: event.text, opaque: event.opaque }];
  });
}

const user = (...parts: Extract<RequestMessage, { role: 'user' }>['parts']): RequestMessage => ({
  role: 'user',
  origin: 'user',
  parts,
});
const words = (text: string) => ({ type: 'text', text }) as const;
const result = (toolCallId: string, ...images: RequestImage[]): RequestMessage => ({
  role: 'tool',
  toolCallId,
  toolName: 'view_image',
  isError: false,
  text: '{"status":"ok"}',
  images,
});
const system: RequestMessage = { role: 'system', text: 'You see.' };
const question = user(words('What is in a.png and b.png?'));
const twoCalls = replyToolCalls(
  [
    { name: 'view_image', arguments: { path: 'a.png' } },
    { name: 'view_image', arguments: { path: 'b.png' } },
  ],
  { text: 'I look.', reasoning: 'Two pictures, so two calls.', faults: [{ kind: 'interleaved-tool-calls' }] },
);

describe('a conversation with the strict server', () => {
  it('brings a thought, two calls and their pictures back behind the outputs, with the same bytes each turn', async () => {
    await start([twoCalls, oracle(), oracle()]);
    const called = await ask([system, question]);
    expect(called.thinking).toBe('Two pictures, so two calls.');
    expect(called.parts.map(({ type }) => type)).toEqual(['thinking', 'text', 'text', 'tool-call', 'tool-call']);
    const carrier: RequestMessage = {
      role: 'user',
      origin: 'synthetic',
      parts: [words('call_1 (view_image): a.png'), redGreen, words('call_2 (view_image): b.png'), blueWhite],
    };
    const parts = mergeTexts(called.parts);
    const history = [
      system,
      question,
      { role: 'assistant', parts } as const,
      result('call_1'),
      result('call_2'),
      carrier,
    ];
    const seen = await ask(history);
    expect(seen.text.split('\n')).toEqual([
      "image 1 (64x32, after 'call_1 (view_image): a.png'): left red, right green",
      "image 2 (64x32, after 'call_2 (view_image): b.png'): left blue, right white",
    ]);
    const said: RequestMessage = { role: 'assistant', parts: mergeTexts(seen.parts) };
    expect((await ask([...history, said, user(words('Sure?'))])).text).toBe(seen.text);
    expect(server.requests[2]?.body?.['input']).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', encrypted_content: expect.any(String) },
      { role: 'assistant' },
      { type: 'function_call', call_id: 'call_1' },
      { type: 'function_call', call_id: 'call_2' },
      { type: 'function_call_output', call_id: 'call_1', output: '{"status":"ok"}' },
      { type: 'function_call_output', call_id: 'call_2', output: '{"status":"ok"}' },
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
    ]);
    expectClean(server);
  });

  const endpoints: Partial<Record<PersonalityId, Partial<Endpoint>>> = {
    openai: { imageDetail: 'high' },
    ollama: {},
    'deepseek-vision': { imageDetail: 'high', strictPairs: true },
  };
  it.each(['openai', 'ollama', 'deepseek-vision'] as const)(
    'shows the pictures of tools inside of outputs to %s',
    async (personality) => {
      await start([twoCalls, oracle()], personality);
      const endpoint = endpoints[personality] ?? {};
      const called = await ask([system, question], { endpoint });
      const answer: RequestMessage = { role: 'assistant', parts: mergeTexts(called.parts) };
      const seen = await ask([system, question, answer, result('call_1', redGreen), result('call_2', blueWhite)], {
        endpoint,
      });
      expect(seen.text.split('\n')).toEqual([
        "image 1 (64x32, after 'result of call_1 (view_image)'): left red, right green",
        "image 2 (64x32, after 'result of call_2 (view_image)'): left blue, right white",
      ]);
      expectClean(server);
    },
  );

  it('names a file of the endpoint, and learns that one is gone', async () => {
    await start([oracle(), failsCheck('r8')]);
    const file = (fileId: string) => user({ type: 'image-link', link: { fileId } } as const, words('What?'));
    expect((await ask([file('file-ready')])).error).toBeUndefined();
    const gone = await ask([file('file-gone')]);
    expect(gone.error?.code).toBe('ENDPOINT_NOT_FOUND');
    expect(gone.error?.data).toMatchObject({
      endpointCode: 'image_file_not_found',
      param: 'input[0].content[0].file_id',
    });
    expectClean(server);
  });

  it('gives Azure its key where Azure looks for it', async () => {
    await start([oracle()], 'azure');
    const seen = await ask([user(redGreen)], { endpoint: { keyHeader: 'api-key' } });
    expect(seen.text).toContain('left red, right green');
    expectClean(server);
  });

  it('gives the words of the refusal, and where it points', async () => {
    await start([failsCheck('r3')]);
    const call = { type: 'tool-call', toolCallId: 'call_9', name: 'view_image', arguments: '{}' } as const;
    const { error } = await ask([question, { role: 'assistant', parts: [call] }]);
    expect(error?.toJSON()).toMatchObject({
      code: 'ENDPOINT_REFUSED',
      data: {
        status: 400,
        endpointMessage: 'No tool output found for function call call_9.',
        param: 'input',
        requestId: 'req_strict_0',
      },
    });
    expectClean(server);
  });
});

describe('thoughts', () => {
  const thinking = replyText('Red.', { reasoning: 'Hm.' });

  it('are refused by the server when they come back altered, alone, or to another model', async () => {
    await start([thinking, failsCheck('r9'), replyText('fine')]);
    const { parts } = await ask([question]);
    const altered = parts.map((part) =>
      part.type === 'thinking' ? { ...part, opaque: part.opaque?.replace('"encrypted_content":"', '$&x') ?? '' } : part,
    );
    const history = (answer: readonly AssistantPart[]): RequestMessage[] => [
      question,
      { role: 'assistant', parts: mergeTexts(answer) },
      user(words('Sure?')),
    ];
    expect((await ask(history(altered))).error?.data['endpointCode']).toBe('invalid_encrypted_content');
    expect((await ask(history(parts))).text).toBe('fine');
    expectClean(server);
  });

  it('of an answer that the user stopped come back with the words that were said, or not at all', async () => {
    const cut = (afterFrames: number): StreamFault[] => [{ kind: 'cut', afterFrames }];
    for (const afterFrames of [6, 7, 8, 9, 10, 11]) {
      await start([replyText('It is red.', { reasoning: 'Hm.', faults: cut(afterFrames) }), replyText('fine')]);
      const stopped = await ask([question]);
      expect(stopped.error?.code).toBe('STREAM_CUT');
      const answer: RequestMessage = { role: 'assistant', parts: mergeTexts(stopped.parts) };
      expect((await ask([question, answer, user(words('Go on.'))])).text).toBe('fine');
      expectClean(server);
      await server.close();
    }
  });

  it('that the endpoint left out are logged', async () => {
    await start([replyText('Red.', { inputTransformations: [{ type: 'reasoning_removed' }] })]);
    const { logger, lines } = createRecordingLogger();
    expect((await ask([question], { logger })).text).toBe('Red.');
    expect(lines.join('\n')).toContain('"event":"endpoint-changed-input","channel":"lab","count":1');
  });
});

describe('streams of the strict server', () => {
  const harmless: readonly StreamFault['kind'][] = [
    'split-bytes',
    'crlf',
    'comments',
    'unknown-events',
    'unnamed-frames',
    'obfuscation',
    'done-twice',
    'usage-missing',
  ];
  it.each(harmless)('are understood: %s', async (kind) => {
    await start([replyText('Grün ist 绿.', { reasoning: 'Hm, 绿.', faults: [{ kind } as StreamFault] })]);
    const { text, thinking, events } = await ask([question]);
    expect([text, thinking]).toEqual(['Grün ist 绿.', 'Hm, 绿.']);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    expect(events.some(({ type }) => type === 'usage')).toBe(kind !== 'usage-missing');
  });

  const callWith = (...faults: StreamFault[]) =>
    replyToolCalls([{ name: 'view_image', arguments: { path: 'a.png' } }], {
      reasoning: 'Hm.',
      text: 'I look.',
      faults,
    });
  const framesBeforeEnd = 21;

  it('that are cut, reset or fail are never whole, wherever', async () => {
    const fault = (kind: 'cut' | 'reset' | 'error-frame') => (afterFrames: number) => ({ kind, afterFrames }) as const;
    for (const [makeFault, code] of [
      [fault('cut'), 'STREAM_CUT'],
      [fault('reset'), 'STREAM_CUT'],
      [fault('error-frame'), 'ENDPOINT_FAILED'],
    ] as const) {
      const faults = Array.from({ length: framesBeforeEnd + 1 }, (_, count) => makeFault(count));
      await start(faults.map((one) => callWith(one)));
      for (const { afterFrames } of faults) {
        const { error, events } = await ask([question]);
        expect(error?.code, `${code} after ${afterFrames} frames`).toBe(code);
        expect(events.some(({ type }) => type === 'tool-call' || type === 'finish')).toBe(false);
      }
      await server.close();
    }
  });

  it('are whole with their last event, and cut without it', async () => {
    const atEnd = [{ kind: 'cut', afterFrames: framesBeforeEnd + 1 }] as const;
    await start([callWith(...atEnd), callWith({ kind: 'finish-missing' })]);
    expect((await ask([question])).events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
    expect((await ask([question])).error?.code).toBe('STREAM_CUT');
  });

  it('that fail for a picture name it by its code', async () => {
    const failure = { code: 'image_parse_error', message: 'The picture cannot be read.' };
    await start([replyText('Let me see.', { failure })]);
    const { error, text } = await ask([user(redGreen)]);
    expect(text).toBe('Let me see.');
    expect(error?.code).toBe('ENDPOINT_REFUSED');
    expect(error?.data).toEqual({ endpointCode: 'image_parse_error', endpointMessage: 'The picture cannot be read.' });
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
  ] as const)('say why they were broken off: %s', async (finishReason, reason) => {
    await start([replyText('It is', { finishReason })]);
    expect((await ask([question])).events.at(-1)).toEqual({ type: 'finish', reason });
  });
});

/** Adjoining texts are one part in a transcript. */
function mergeTexts(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const merged: AssistantPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.type === 'text' && last?.type === 'text') merged[merged.length - 1] = words(last.text + part.text);
    else merged.push(part);
  }
  return merged;
}
