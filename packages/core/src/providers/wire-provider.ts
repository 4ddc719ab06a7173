import type { Dispatcher } from 'undici';
import { type AppError, isAppError, toAppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { formatBytes } from '../base/units.ts';
import type { ModelRequest } from '../content/request.ts';
import { type AnswerLimits, answerLimits } from './answer-limits.ts';
import { requestUrl } from './base-url.ts';
import {
  createAnswerError,
  createEndpointError,
  type ErrorContext,
  errorContextOf,
  type HttpFacts,
  parseRetryAfter,
} from './endpoint-error.ts';
import { keysOf } from './endpoint-secrets.ts';
import { cleanEndpointWords, htmlTitle, isHtml } from './endpoint-words.ts';
import { readEventStream } from './event-stream.ts';
import { writeJsonBody } from './json-body.ts';
import { createProgressWatch, type ProgressWatch } from './progress-watch.ts';
import type { Endpoint, Provider, ProviderContext, ProviderEvent } from './provider.ts';
import { hideKeys } from './secret-filter.ts';
import { type HttpAnswer, postBody } from './transport.ts';
import type { AnswerReader, WireDialect } from './wire-dialect.ts';

export interface WireProviderOptions {
  /** How requests leave: a proxy agent of undici, for instance. Absent: undici's own. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Others than {@link answerLimits}, for tests. */
  readonly limits?: Partial<AnswerLimits>;
}

/** A provider that speaks `dialect`. See the contract at {@link Provider}. */
export function createWireProvider(dialect: WireDialect, options: WireProviderOptions = {}): Provider {
  const { dispatcher } = options;
  const limits = { ...answerLimits, ...options.limits };
  return {
    wireApi: dialect.wireApi,
    async *stream(request, endpoint, context) {
      try {
        const events = exchange({ dialect, request, endpoint, context, dispatcher, limits });
        for await (const event of hideKeys(events, keysOf(endpoint))) {
          // What had already arrived when the user stopped is not told any more.
          if (context.signal.aborted) throw canceled(endpoint);
          yield event;
        }
      } catch (error) {
        yield { type: 'error', error: toLastError(error, endpoint, context) };
      }
    },
  };
}

function toLastError(error: unknown, endpoint: Endpoint, context: ProviderContext): AppError {
  // Whatever an abort broke on its way, it was the abort.
  if (context.signal.aborted && !(isAppError(error) && error.code === 'CANCELED')) {
    return canceled(endpoint);
  }
  return toAppError(error);
}

function canceled(endpoint: Endpoint): AppError {
  return createAnswerError('CANCELED', errorContextOf(endpoint), 'the request was cancelled');
}

interface Exchange {
  readonly dialect: WireDialect;
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly context: ProviderContext;
  readonly dispatcher: Dispatcher | undefined;
  readonly limits: AnswerLimits;
}

async function* exchange({
  dialect,
  request,
  endpoint,
  context,
  dispatcher,
  limits,
}: Exchange): AsyncGenerator<ProviderEvent> {
  const errorContext = errorContextOf(endpoint);
  if (context.signal.aborted) throw canceled(endpoint);
  const body = writeJsonBody(dialect.toWire(request, endpoint));
  yield { type: 'request-sent', bodyBytes: body.sizeBytes };
  const answer = await postBody({
    url: requestUrl(endpoint.baseUrl, dialect.path),
    headers: {
      accept: 'text/event-stream, application/json',
      'content-type': 'application/json',
      ...lowerCaseNames(dialect.headers(endpoint)),
      ...lowerCaseNames(endpoint.headers),
    },
    body,
    readBlob: (digest) => context.readBlob(digest),
    signal: context.signal,
    clock: context.clock,
    idleTimeoutMs: endpoint.idleTimeoutMs,
    dispatcher,
    errorContext,
  });
  const http = httpFactsOf(answer, context.clock.nowMs(), errorContext.secrets);
  context.logger.debug('endpoint-answered', {
    channel: endpoint.channel,
    status: answer.status,
    requestId: http.requestId?.slice(0, 100),
  });
  const brief: BriefReading = { answer, limits, clock: context.clock, idleTimeoutMs: endpoint.idleTimeoutMs };
  if (answer.status < 200 || answer.status > 299) throw await readRefusal({ dialect, brief, http, errorContext });
  if (answer.packing !== undefined) throw createPackedError(answer.packing, errorContext);
  const watch = createProgressWatch({ clock: context.clock, limitMs: limits.noProgressMs, channel: endpoint.channel });
  const chunks = watch.watch(answer.chunks);
  const reader = dialect.createAnswerReader(errorContext, context.logger);
  yield* readAnswer({ answer: { ...answer, chunks }, errorContext, reader, limits, watch, brief });
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function httpFactsOf(answer: HttpAnswer, nowMs: number, secrets: readonly string[]): HttpFacts {
  const retryAfterMs = parseRetryAfter(answer.headers, nowMs);
  const shouldRetry = answer.headers['x-should-retry'];
  const givenId = answer.headers['x-request-id'] ?? answer.headers['request-id'];
  const requestId = givenId === undefined ? undefined : cleanEndpointWords(givenId, secrets);
  return {
    status: answer.status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...((shouldRetry === 'true' || shouldRetry === 'false') && { shouldRetry: shouldRetry === 'true' }),
    ...(requestId !== undefined && { requestId }),
  };
}

async function readRefusal({
  dialect,
  brief,
  http,
  errorContext,
}: {
  readonly dialect: WireDialect;
  readonly brief: BriefReading;
  readonly http: HttpFacts;
  readonly errorContext: ErrorContext;
}): Promise<AppError> {
  const { answer } = brief;
  const body = await readRefusalBody(brief, http, errorContext);
  if (answer.status < 400) {
    return createEndpointError({ words: `it redirects to ${redirectTarget(answer)}` }, errorContext, http);
  }
  if (!isHtml(body)) return createEndpointError(dialect.readFailure(body), errorContext, http);
  // A page instead of an API is what a wrong address gives; elsewhere it is a proxy that says the same as its status.
  const isWrongAddress = answer.status === 404 || answer.status === 405;
  const words = htmlTitle(body) || 'a web page';
  return createEndpointError({ words }, errorContext, {
    ...http,
    ...(isWrongAddress && { errorCode: 'ENDPOINT_NOT_AN_API' }),
  });
}

/** Source of the bytes: RFC 1952 section 2.3.1. */
function isGzip(bytes: Uint8Array | undefined): boolean {
  return bytes?.[0] === 0x1f && bytes[1] === 0x8b;
}

function createPackedError(packing: string, errorContext: ErrorContext): AppError {
  return createAnswerError('STREAM_INVALID', errorContext, `the answer is compressed (${packing}) and cannot be read`);
}

/** A refusal whose words break off is still that refusal. */
async function readRefusalBody(brief: BriefReading, http: HttpFacts, errorContext: ErrorContext): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const chunk of readBriefly(brief)) pieces.push(chunk);
  } catch (error) {
    if (isAppError(error) && error.code === 'CANCELED') throw error;
    if (pieces.length === 0) throw createEndpointError({}, errorContext, http);
  }
  const packing = brief.answer.packing ?? (isGzip(pieces[0]) ? 'gzip' : undefined);
  return packing === undefined ? decodeText(pieces) : `its words are compressed (${packing})`;
}

/** What it takes to read the first words of a body, and not wait for the others. */
interface BriefReading {
  readonly answer: HttpAnswer;
  readonly limits: Pick<AnswerLimits, 'refusalBytes' | 'refusalMs'>;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
}

async function* readBriefly({ answer, limits, clock, idleTimeoutMs }: BriefReading): AsyncGenerator<Uint8Array> {
  const endMs = clock.nowMs() + limits.refusalMs;
  const limitSilence = (): void => answer.setIdleLimit(Math.min(idleTimeoutMs, Math.max(0, endMs - clock.nowMs())));
  let sizeBytes = 0;
  limitSilence();
  for await (const chunk of answer.chunks) {
    yield chunk;
    sizeBytes += chunk.length;
    if (sizeBytes >= limits.refusalBytes || clock.nowMs() >= endMs) return;
    limitSilence();
  }
}

/** Where a redirect leads, without the query, which may hold a key. */
function redirectTarget(answer: HttpAnswer): string {
  const location = answer.headers['location'] ?? '';
  return URL.canParse(location) ? new URL(location).origin + new URL(location).pathname : 'another path';
}

function decodeText(pieces: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(pieces));
}

interface Reading {
  readonly answer: HttpAnswer;
  readonly errorContext: ErrorContext;
  readonly reader: AnswerReader;
  readonly limits: AnswerLimits;
  readonly watch: ProgressWatch;
  readonly brief: BriefReading;
}

async function* readAnswer(reading: Reading): AsyncGenerator<ProviderEvent> {
  const { answer, errorContext, reader, limits, brief } = reading;
  const { firstByte, chunks } = await peekFirstByte(answer.chunks);
  switch (firstByte) {
    case '<':
      throw await describeWebPage({ ...brief, answer: { ...answer, chunks } }, errorContext);
    case '{':
    case '[':
      yield* readWithin(reading, reader.readWhole(await readWholeText(chunks, errorContext, limits)));
      break;
    case undefined:
      break;
    case '\u001f':
      throw createPackedError('gzip, although it does not say so', errorContext);
    default:
      yield* readFrames({ ...reading, answer: { ...answer, chunks } });
  }
  yield* reader.end();
}

/** The events, unless the answer has become too large with them. */
function readWithin(
  { reader, limits, errorContext }: Pick<Reading, 'reader' | 'limits' | 'errorContext'>,
  events: readonly ProviderEvent[],
): readonly ProviderEvent[] {
  const { characters, toolCalls } = reader.size;
  if (toolCalls > limits.toolCalls) {
    const sentence = `the answer holds more than ${limits.toolCalls} tool calls; it was broken off`;
    throw createAnswerError('OUTPUT_LIMIT', errorContext, sentence);
  }
  if (characters > limits.answerCharacters) {
    const sentence = `the answer is longer than ${limits.answerCharacters.toLocaleString('en')} characters; it was broken off`;
    throw createAnswerError('OUTPUT_LIMIT', errorContext, sentence);
  }
  return events;
}

async function* readFrames(reading: Reading): AsyncGenerator<ProviderEvent> {
  const { answer, errorContext, reader, limits, watch } = reading;
  let hasFrames = false;
  let characters = 0;
  let wasComplete = false;
  try {
    const streaming = { maxEventCharacters: limits.eventCharacters, errorContext };
    for await (const frame of readEventStream(answer.chunks, streaming)) {
      hasFrames = true;
      yield* readWithin(reading, reader.readFrame(frame));
      if (reader.isOver) {
        answer.expectRest();
        return;
      }
      if (reader.size.characters > characters || reader.isComplete !== wasComplete) {
        watch.restart(reader.isComplete ? limits.afterCompleteMs : limits.noProgressMs);
      }
      ({ characters } = reader.size);
      wasComplete = reader.isComplete;
      if (wasComplete) answer.setIdleLimit(limits.afterCompleteMs);
    }
  } catch (error) {
    const isLost = isAppError(error) && (error.code === 'STREAM_CUT' || error.code === 'STREAM_IDLE');
    if (!isLost || !reader.isComplete) throw error;
  }
  if (!hasFrames && !(answer.headers['content-type'] ?? '').includes('text/event-stream')) {
    throw createAnswerError(
      'ENDPOINT_NOT_AN_API',
      errorContext,
      'the address answers with something that is no stream',
    );
  }
}

async function describeWebPage(brief: BriefReading, errorContext: ErrorContext): Promise<AppError> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const chunk of readBriefly(brief)) pieces.push(chunk);
  } catch (error) {
    // A page that breaks off is still a page.
    if (isAppError(error) && error.code === 'CANCELED') throw error;
  }
  const words = htmlTitle(decodeText(pieces));
  return createEndpointError({ words }, errorContext, { errorCode: 'ENDPOINT_NOT_AN_API' });
}

async function readWholeText(
  chunks: AsyncIterable<Uint8Array>,
  errorContext: ErrorContext,
  { wholeAnswerBytes }: Pick<AnswerLimits, 'wholeAnswerBytes'>,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > wholeAnswerBytes) {
      const sentence = `the answer is larger than ${formatBytes(wholeAnswerBytes)}; it was broken off`;
      throw createAnswerError('OUTPUT_LIMIT', errorContext, sentence);
    }
  }
  return decodeText(pieces);
}

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BYTE_ORDER_MARK_AND_BLANKS: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf, ...BLANKS]);

/** The first character that is no blank (`undefined` for an empty body), and the chunks from the start. */
async function peekFirstByte(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly firstByte: string | undefined; readonly chunks: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let firstByte: string | undefined;
  while (firstByte === undefined) {
    const next = await iterator.next();
    if (next.done === true) break;
    // Blanks alone are told by nobody and need not be kept, however many come.
    if (next.value.every((value) => BLANKS.has(value))) continue;
    seen.push(next.value);
    const byte = next.value.find((value) => !BYTE_ORDER_MARK_AND_BLANKS.has(value));
    if (byte !== undefined) firstByte = String.fromCharCode(byte);
  }
  return { firstByte, chunks: replay(seen, iterator) };
}

async function* replay(seen: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* seen;
    for (;;) {
      const next = await rest.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
