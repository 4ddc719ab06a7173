import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Digest } from '../../base/ids.ts';
import { silentLogger } from '../../base/logger.ts';
import { Secret } from '../../base/secret.ts';
import { imageDetailFor, limitRowFor } from '../../catalog/limits.ts';
import type { ModelRequest, RequestImage, RequestMessage } from '../../content/request.ts';
import { createFixedClock } from '../../testing/fixed-clock.ts';
import { expectClean } from '../../testing/strict-server/expect-clean.ts';
import { failsCheck, oracle } from '../../testing/strict-server/reply.ts';
import { type StrictServer, startStrictServer } from '../../testing/strict-server/start-strict-server.ts';
import type { Endpoint, ProviderEvent } from '../provider.ts';
import { createOpenAiChatProvider } from './provider.ts';

type Color = readonly [red: number, green: number, blue: number];

const red: Color = [230, 20, 20];
const green: Color = [20, 200, 40];
const blue: Color = [20, 40, 220];

const blobs = new Map<Digest, Uint8Array>();

/** A stored picture with a left and a right half. */
function storePicture(name: string, left: Color, right: Color): RequestImage {
  const picture = new PNG({ width: 64, height: 32 });
  for (let pixel = 0; pixel < 64 * 32; pixel += 1) {
    picture.data.set([...(pixel % 64 < 32 ? left : right), 255], pixel * 4);
  }
  const bytes = PNG.sync.write(picture);
  const digest: Digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  blobs.set(digest, bytes);
  const size = { sizeBytes: bytes.length, widthPx: 64, heightPx: 32 };
  return { type: 'image', digest, originalDigest: digest, name, mediaType: 'image/png', ...size };
}

let server: StrictServer;
afterEach(() => server.close());

async function ask(messages: readonly RequestMessage[]): Promise<ProviderEvent[]> {
  const detail = imageDetailFor(limitRowFor('openai', 'openai-chat'));
  const endpoint: Endpoint = {
    channel: 'lab',
    wireApi: 'openai-chat',
    baseUrl: server.baseUrl,
    apiKey: new Secret('test-key'),
    headers: {},
    idleTimeoutMs: 1000,
    ...(detail !== undefined && { imageDetail: detail }),
  };
  const request: ModelRequest = {
    model: 'seer',
    messages,
    tools: [{ name: 'view_image', description: 'Shows a picture.', parameters: { type: 'object', properties: {} } }],
    maxOutputTokens: 500,
  };
  const events: ProviderEvent[] = [];
  const context = {
    signal: new AbortController().signal,
    clock: createFixedClock(),
    logger: silentLogger,
    readBlob: async (digest: Digest) => blobs.get(digest) ?? new Uint8Array(),
  };
  for await (const event of createOpenAiChatProvider().stream(request, endpoint, context)) events.push(event);
  return events;
}

const textOf = (events: readonly ProviderEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

const system: RequestMessage = { role: 'system', text: 'You see.' };
const question: RequestMessage = {
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text: 'What is in a.png and b.png?' }],
};

function toolGroup(pictures: readonly RequestImage[]): RequestMessage[] {
  return [
    {
      role: 'assistant',
      parts: pictures.map((picture, index) => ({
        type: 'tool-call',
        toolCallId: `call_${index}`,
        name: 'view_image',
        arguments: JSON.stringify({ path: picture.name }),
      })),
    },
    ...pictures.map(
      (picture, index): RequestMessage => ({
        role: 'tool',
        toolCallId: `call_${index}`,
        toolName: 'view_image',
        isError: false,
        text: `${picture.name}: 64x32`,
        images: [],
      }),
    ),
    {
      role: 'user',
      origin: 'synthetic',
      parts: pictures.flatMap((picture) => [{ type: 'text', text: `Attached: ${picture.name}` } as const, picture]),
    },
  ];
}

describe('a request to the strict server', () => {
  it('shows the pictures of a tool group in a user message after the group, byte for byte', async () => {
    server = await startStrictServer({ personality: 'openai', script: [oracle(), oracle()] });
    const pictures = [storePicture('a.png', red, green), storePicture('b.png', blue, red)];
    const history = [system, question, ...toolGroup(pictures)];
    const answer = textOf(await ask(history));
    expect(answer).toContain('left red, right green');
    expect(answer).toContain('left blue, right red');
    expect(server.requests[0]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);

    const followUp: RequestMessage = { role: 'user', origin: 'user', parts: [{ type: 'text', text: 'Sure?' }] };
    const again = await ask([...history, { role: 'assistant', parts: [{ type: 'text', text: answer }] }, followUp]);
    expect(textOf(again)).toContain('left red, right green');
    expectClean(server);
  });

  it('shows the pictures of a user before the words', async () => {
    server = await startStrictServer({ personality: 'openai', script: [oracle()] });
    const parts = [storePicture('c.png', green, blue), { type: 'text', text: 'And this?' } as const];
    expect(textOf(await ask([system, { role: 'user', origin: 'user', parts }]))).toContain('left green, right blue');
    expectClean(server);
  });

  it('gives the words of the refusal, and where it points', async () => {
    server = await startStrictServer({ personality: 'openai', script: [failsCheck('c4')] });
    const events = await ask([system, question, ...toolGroup([storePicture('a.png', red, green)]).slice(0, 1)]);
    const last = events.at(-1);
    expect(last?.type === 'error' && last.error.toJSON()).toMatchObject({
      code: 'ENDPOINT_REFUSED',
      data: {
        status: 400,
        param: 'messages',
        endpointMessage: expect.stringContaining('must be followed by tool messages'),
      },
    });
  });
});
