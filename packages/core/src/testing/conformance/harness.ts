import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { AppError } from '../../base/app-error.ts';
import type { Digest } from '../../base/ids.ts';
import type { LogFields, Logger } from '../../base/logger.ts';
import { Secret } from '../../base/secret.ts';
import type { ModelRequest, RequestImage } from '../../content/request.ts';
import type { Endpoint, FinishReason, Provider, ProviderContext, ProviderEvent } from '../../providers/provider.ts';
import { createFixedClock } from '../fixed-clock.ts';
import {
  type AnswerScript,
  type AnswerStep,
  type RecordedRequest,
  type ScriptedHttpServer,
  startScriptedHttpServer,
} from '../scripted-http-server.ts';
import type { ConformanceWire } from './wire.ts';

export const KEY = 'sk-conformance-0123456789';
export const PICTURE = Uint8Array.from({ length: 500_001 }, (_, index) => (index * 31 + (index >> 8)) % 256);
const DIGEST: Digest = `sha256:${createHash('sha256').update(PICTURE).digest('hex')}`;

const image: RequestImage = {
  type: 'image',
  digest: DIGEST,
  originalDigest: DIGEST,
  name: 'shot.png',
  mediaType: 'image/png',
  sizeBytes: PICTURE.length,
  widthPx: 640,
  heightPx: 480,
};

/** A request with a picture, words of two scripts and a tool. */
export const conformanceRequest: ModelRequest = {
  model: 'seer',
  messages: [
    { role: 'system', text: 'You see.' },
    { role: 'user', origin: 'user', parts: [image, { type: 'text', text: 'Was steht da? 图里写了什么? 😀' }] },
  ],
  tools: [{ name: 'view_image', description: 'Shows a picture.', parameters: { type: 'object', properties: {} } }],
};

/** The picture's base64, which the endpoint must have received unaltered. */
export const conformancePictureBase64 = Buffer.from(PICTURE).toString('base64');

export interface Logged {
  readonly logger: Logger;
  readonly lines: string[];
}

export function createRecordingLogger(): Logged {
  const lines: string[] = [];
  const record = (event: string, fields?: LogFields) => {
    lines.push(JSON.stringify({ event, ...fields }));
  };
  return { logger: { debug: record, info: record, warn: record, error: record }, lines };
}

export const endsOf = (events: readonly ProviderEvent[]) =>
  events.filter((event) => event.type === 'finish' || event.type === 'error');

export function errorOf(events: readonly ProviderEvent[]): AppError {
  expect(endsOf(events)).toHaveLength(1);
  const last = events.at(-1);
  if (last?.type !== 'error') throw new Error(`expected an error at the end, got ${JSON.stringify(last)}`);
  return last.error;
}

export function textOf(events: readonly ProviderEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}

export const write = (...texts: readonly (string | Uint8Array)[]): readonly AnswerStep[] =>
  texts.filter((text) => text.length > 0).map((text) => ({ write: text }));

/** A provider under test, a server that it speaks to, and what both saw. */
export interface ConformanceHarness {
  readonly wire: ConformanceWire;
  readonly provider: Provider;
  readonly server: ScriptedHttpServer;
  readonly logLines: readonly string[];
  endpoint(more?: Partial<Endpoint>): Endpoint;
  contextWith(more?: Partial<ProviderContext>): ProviderContext;
  /** All events of one call; each is also given to `onEvent` before the next is asked for. */
  collect(call?: {
    readonly context?: Partial<ProviderContext>;
    readonly endpoint?: Partial<Endpoint>;
    /** The one under test unless given. */
    readonly provider?: Provider;
    readonly onEvent?: (event: ProviderEvent) => void;
  }): Promise<ProviderEvent[]>;
  play(script: AnswerScript, context?: Partial<ProviderContext>): Promise<ProviderEvent[]>;
  /** Plays an answer of these events, each written on its own. */
  playEvents(...texts: readonly (string | Uint8Array)[]): Promise<ProviderEvent[]>;
  lastRequest(): RecordedRequest;
  /** Resolves when one request more than now has arrived. */
  nextRequest(): Promise<void>;
  /** An answer with thinking, two texts, usage and an end. */
  readonly wholeAnswer: readonly string[];
  expectWholeAnswer(events: readonly ProviderEvent[]): void;
}

/** Registers the hooks of a suite; call it inside `describe`. */
export function createConformanceHarness(wire: ConformanceWire): ConformanceHarness {
  const provider = wire.createProvider();
  let startedServer: ScriptedHttpServer | undefined;
  let logged = createRecordingLogger();
  beforeAll(async () => {
    startedServer = await startScriptedHttpServer();
  });
  afterAll(() => startedServer?.close());
  beforeEach(() => {
    logged = createRecordingLogger();
  });

  function server(): ScriptedHttpServer {
    if (startedServer === undefined) throw new Error('the server is not started yet');
    return startedServer;
  }

  const wholeAnswer = [
    wire.start,
    wire.thinking('Hm. '),
    wire.text('Grün, '),
    wire.text('红色 😀'),
    ...wholeEnd(wire, 'stop'),
  ].filter((text) => text !== '');

  const harness: ConformanceHarness = {
    wire,
    provider,
    get server() {
      return server();
    },
    get logLines() {
      return logged.lines;
    },
    wholeAnswer,
    endpoint: (more = {}) => ({
      channel: 'lab',
      wireApi: wire.wireApi,
      baseUrl: `${server().origin}${wire.basePath}`,
      apiKey: new Secret(KEY),
      headers: {},
      idleTimeoutMs: 1000,
      ...more,
    }),
    contextWith: (more = {}) => ({
      signal: new AbortController().signal,
      clock: createFixedClock(),
      logger: logged.logger,
      readBlob: () => Promise.resolve(PICTURE),
      ...more,
    }),
    async collect(call = {}) {
      const events: ProviderEvent[] = [];
      const endpoint = harness.endpoint(call.endpoint);
      for await (const event of (call.provider ?? provider).stream(
        conformanceRequest,
        endpoint,
        harness.contextWith(call.context),
      )) {
        events.push(event);
        call.onEvent?.(event);
      }
      return events;
    },
    play(script, context = {}) {
      server().enqueue(script);
      return harness.collect({ context });
    },
    playEvents: (...texts) => harness.play({ steps: write(...texts) }),
    lastRequest() {
      const request = server().requests.at(-1);
      if (request === undefined) throw new Error('no request arrived');
      return request;
    },
    async nextRequest() {
      const count = server().requests.length;
      while (server().requests.length === count) await nextTurn();
    },
    expectWholeAnswer(events) {
      expect(events[0]).toEqual({ type: 'request-sent', bodyBytes: harness.lastRequest().body.length });
      expect(textOf(events)).toBe('Grün, 红色 😀');
      expect(events.filter((event) => event.type === 'thinking-delta').map((event) => event.text)).toEqual(['Hm. ']);
      expect(events.slice(-2)).toEqual([
        { type: 'usage', usage: { inputTokens: 12, cachedTokens: 4, outputTokens: 5 } },
        { type: 'finish', reason: 'stop' },
      ]);
      expect(endsOf(events)).toHaveLength(1);
    },
  };
  return harness;
}

/** The end of an answer, with its usage. */
export function wholeEnd(wire: ConformanceWire, reason: FinishReason): readonly string[] {
  return [wire.finish(reason, { withUsage: true }), wire.usage, wire.endMark];
}

/** One turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
