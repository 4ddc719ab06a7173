import type { Dispatcher } from 'undici';
import { type AppError, isAppError, toAppError } from '../base/app-error.ts';
import { KIB, MIB } from '../base/units.ts';
import type { ModelRequest } from '../content/request.ts';
import { requestUrl } from './base-url.ts';
import {
  createAnswerError,
  createEndpointError,
  type ErrorContext,
  errorContextOf,
  type HttpFacts,
  parseRetryAfter,
} from './endpoint-error.ts';
import { htmlTitle, isHtml } from './endpoint-words.ts';
import { readEventStream } from './event-stream.ts';
import { writeJsonBody } from './json-body.ts';
import type { Endpoint, Provider, ProviderContext, ProviderEvent } from './provider.ts';
import { type HttpAnswer, postBody } from './transport.ts';
import type { AnswerReader, WireDialect } from './wire-dialect.ts';

export interface WireProviderOptions {
  /** How requests leave: a proxy agent of undici, for instance. Absent: undici's own. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** A provider that speaks `dialect`. See the contract at {@link Provider}. */
export function createWireProvider(dialect: WireDialect, options: WireProviderOptions = {}): Provider {
  return {
    wireApi: dialect.wireApi,
    async *stream(request, endpoint, context) {
      try {
        for await (const event of exchange({ dialect, request, endpoint, context, dispatcher: options.dispatcher })) {
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
}

async function* exchange({ dialect, request, endpoint, context, dispatcher }: Exchange): AsyncGenerator<ProviderEvent> {
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
  const http = httpFactsOf(answer, context.clock.nowMs());
  context.logger.debug('endpoint-answered', {
    channel: endpoint.channel,
    status: answer.status,
    requestId: http.requestId?.slice(0, 100),
  });
  if (answer.status < 200 || answer.status > 299) throw await readRefusal({ dialect, answer, http, errorContext });
  yield* readAnswer({ answer, errorContext, reader: dialect.createAnswerReader(errorContext) });
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function httpFactsOf(answer: HttpAnswer, nowMs: number): HttpFacts {
  const retryAfterMs = parseRetryAfter(answer.headers, nowMs);
  const shouldRetry = answer.headers['x-should-retry'];
  const requestId = answer.headers['x-request-id'] ?? answer.headers['request-id'];
  return {
    status: answer.status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...((shouldRetry === 'true' || shouldRetry === 'false') && { shouldRetry: shouldRetry === 'true' }),
    ...(requestId !== undefined && { requestId }),
  };
}

const MAX_REFUSAL_BYTES = 64 * KIB;
const MAX_WHOLE_ANSWER_BYTES = 16 * MIB;

async function readRefusal({
  dialect,
  answer,
  http,
  errorContext,
}: {
  readonly dialect: WireDialect;
  readonly answer: HttpAnswer;
  readonly http: HttpFacts;
  readonly errorContext: ErrorContext;
}): Promise<AppError> {
  const body = await readRefusalBody(answer, http, errorContext);
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

/** A refusal whose words break off is still that refusal. */
async function readRefusalBody(answer: HttpAnswer, http: HttpFacts, errorContext: ErrorContext): Promise<string> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of answer.chunks) {
      pieces.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes >= MAX_REFUSAL_BYTES) break;
    }
  } catch (error) {
    if (isAppError(error) && error.code === 'CANCELED') throw error;
    if (pieces.length === 0) throw createEndpointError({}, errorContext, http);
  }
  return decodeText(pieces);
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
}

async function* readAnswer({ answer, errorContext, reader }: Reading): AsyncGenerator<ProviderEvent> {
  const { firstByte, chunks } = await peekFirstByte(answer.chunks);
  switch (firstByte) {
    case '<':
      throw await describeWebPage(chunks, errorContext);
    case '{':
    case '[':
      yield* reader.readWhole(await readWholeText(chunks, errorContext));
      break;
    case undefined:
      break;
    default:
      yield* readFrames({ answer: { ...answer, chunks }, errorContext, reader });
  }
  yield* reader.end();
}

/** How long usage and end mark may take after the answer itself is complete. */
const AFTER_COMPLETE_MS = 5000;

async function* readFrames({ answer, errorContext, reader }: Reading): AsyncGenerator<ProviderEvent> {
  let hasFrames = false;
  try {
    for await (const frame of readEventStream(answer.chunks)) {
      hasFrames = true;
      yield* reader.readFrame(frame);
      if (reader.isOver) {
        answer.expectRest();
        return;
      }
      if (reader.isComplete) answer.setIdleLimit(AFTER_COMPLETE_MS);
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

async function describeWebPage(chunks: AsyncIterable<Uint8Array>, errorContext: ErrorContext): Promise<AppError> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes >= MAX_REFUSAL_BYTES) break;
  }
  const words = htmlTitle(decodeText(pieces));
  return createEndpointError({ words }, errorContext, { errorCode: 'ENDPOINT_NOT_AN_API' });
}

async function readWholeText(chunks: AsyncIterable<Uint8Array>, errorContext: ErrorContext): Promise<string> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_WHOLE_ANSWER_BYTES) {
      throw createAnswerError('STREAM_INVALID', errorContext, 'the answer is longer than any answer of a model');
    }
  }
  return decodeText(pieces);
}

const BYTE_ORDER_MARK_AND_BLANKS: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0a, 0x0d]);

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
