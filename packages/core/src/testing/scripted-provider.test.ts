import { describe, expect, it } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import type { ModelRequest } from '../content/request.ts';
import type { Endpoint, ProviderEvent } from '../providers/provider.ts';
import { createMemoryBlobs } from './create-memory-blobs.ts';
import { createFixedClock } from './fixed-clock.ts';
import { createScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';

const endpoint: Endpoint = {
  channel: 'lab',
  wireApi: 'openai-chat',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiKey: undefined,
  headers: {},
  idleTimeoutMs: 1000,
};
const request: ModelRequest = { model: 'seer', messages: [{ role: 'system', text: 'You see.' }], tools: [] };
const answer: readonly ProviderEvent[] = [
  { type: 'text-delta', text: 'red' },
  { type: 'finish', reason: 'stop' },
];

async function collect(provider: ScriptedProvider, options: { request?: ModelRequest; abort?: boolean } = {}) {
  const blobs = createMemoryBlobs();
  const controller = new AbortController();
  const events: ProviderEvent[] = [];
  const stream = provider.stream(options.request ?? request, endpoint, {
    signal: controller.signal,
    clock: createFixedClock(),
    logger: silentLogger,
    readBlob: (digest) => blobs.get(digest),
  });
  for await (const event of stream) {
    events.push(event);
    if (options.abort) controller.abort();
  }
  return events.map((event) => (event.type === 'error' ? event.error.code : event.type));
}

describe('createScriptedProvider', () => {
  it('plays one list a call, says that the request was sent, and records it', async () => {
    const provider = createScriptedProvider([answer, answer]);
    expect(await collect(provider)).toEqual(['request-sent', 'text-delta', 'finish']);
    await collect(provider);
    expect(provider.requests).toEqual([request, request]);
  });

  it('ends with an error when the script has no call left, and when a list has no end', async () => {
    const provider = createScriptedProvider([[{ type: 'text-delta', text: 'r' }]]);
    expect(await collect(provider)).toEqual(['request-sent', 'text-delta', 'STREAM_CUT']);
    expect(await collect(provider)).toEqual(['INTERNAL']);
  });

  it('ends with CANCELED after an abort', async () => {
    expect(await collect(createScriptedProvider([answer]), { abort: true })).toEqual(['request-sent', 'CANCELED']);
  });

  it('reads the bytes of every picture, so that a missing blob is noticed', async () => {
    const image = {
      type: 'image',
      digest: `sha256:${'a'.repeat(64)}`,
      originalDigest: `sha256:${'a'.repeat(64)}`,
      name: 'a.png',
      mediaType: 'image/png',
      sizeBytes: 1,
      widthPx: 1,
      heightPx: 1,
    } as const;
    const withPicture: ModelRequest = {
      ...request,
      messages: [{ role: 'user', origin: 'user', parts: [image] }],
    };
    expect(await collect(createScriptedProvider([answer]), { request: withPicture })).toEqual(['BLOB_MISSING']);
  });
});
