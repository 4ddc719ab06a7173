import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type AppError, toAppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Digest } from '../base/ids.ts';
import { KIB } from '../base/units.ts';
import { createAnswerError, type ErrorContext } from './endpoint-error.ts';
import { explainNetworkError } from './explain-network-error.ts';
import { createIdleTimer } from './idle-timer.ts';
import { encodeJsonBody, type JsonBody } from './json-body.ts';
import { unpackBody } from './unpack-body.ts';

/** One POST of a JSON body. It is sent once: nothing is retried, no redirect is followed. */
export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonBody;
  readonly readBlob: (digest: Digest) => Promise<Uint8Array>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Longest silence: while the body is taken, before the headers, and between bytes of the answer. */
  readonly idleTimeoutMs: number;
  /** A proxy agent, for instance; absent: undici's own. */
  readonly dispatcher?: Dispatcher | undefined;
  readonly errorContext: ErrorContext;
}

/** An answer whose headers have arrived. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the body is compressed, where this build cannot unpack it. */
  readonly packing?: string;
  /**
   * The body, once, unpacked. Throws `CANCELED`, `STREAM_IDLE`, `STREAM_CUT`, and `STREAM_INVALID` when
   * it cannot be unpacked. Leaving it early closes the
   * connection, which also stops the model.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Only a small rest is left: leaving early reads it in the background and keeps the connection. */
  expectRest(): void;
  setIdleLimit(limitMs: number): void;
}

/**
 * Sends the request and resolves with the headers of the answer, whatever its status.
 *
 * Throws `CANCELED` (the signal), `STREAM_IDLE`, `ENDPOINT_UNREACHABLE` with `networkCode`,
 * `ENDPOINT_NOT_AN_API` when the other side does not speak HTTP, `CONFIG_INVALID` for a header that
 * cannot be sent, and what reading a picture throws. No message holds a header or a part of the body.
 */
export async function postBody(post: PostRequest): Promise<HttpAnswer> {
  checkHeaders(post);
  if (post.signal.aborted) throw canceled(post);
  // Loaded late: commands that call no model need not wait for it.
  const { request: send } = await import('undici');
  const stop = new AbortController();
  const idle = createIdleTimer({ clock: post.clock, limitMs: post.idleTimeoutMs, onIdle: () => stop.abort() });
  const onAbort = () => stop.abort();
  let uploadFault: { readonly error: unknown } | undefined;

  async function* upload(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of encodeJsonBody(post.body, post.readBlob)) {
        idle.start();
        yield chunk;
      }
    } catch (error) {
      uploadFault = { error };
      throw error;
    }
  }

  function release(): void {
    idle.stop();
    post.signal.removeEventListener('abort', onAbort);
  }

  function explain(error: unknown, hasHeaders: boolean): AppError {
    if (post.signal.aborted) return canceled(post);
    if (idle.hasFired) return createAnswerError('STREAM_IDLE', post.errorContext, idleSentence(post));
    if (uploadFault !== undefined) return toAppError(uploadFault.error);
    return explainNetworkError(error, { hasHeaders, url: post.url, errorContext: post.errorContext });
  }

  post.signal.addEventListener('abort', onAbort, { once: true });
  if (post.signal.aborted) stop.abort();
  idle.start();
  try {
    const answer = await send(post.url, {
      method: 'POST',
      headers: {
        'user-agent': 'fovea',
        ...post.headers,
        // What is not asked for need not be unpacked, and packing would hold events back.
        'accept-encoding': 'identity',
        'content-length': String(post.body.sizeBytes),
      },
      body: Readable.from(upload(), { objectMode: false }),
      signal: stop.signal,
      // The idle timer is stricter and knows about progress.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(post.dispatcher !== undefined && { dispatcher: post.dispatcher }),
    });
    idle.stop();
    let isRestExpected = false;
    const headers = joinHeaders(answer.headers);
    const { stream, packing } = unpackBody(answer.body, headers['content-encoding']);
    return {
      status: answer.statusCode,
      headers,
      ...(packing !== undefined && { packing }),
      chunks: readChunks({
        body: answer.body,
        stream,
        idle,
        release,
        explain: (error) => explain(error, true),
        isRestExpected: () => isRestExpected,
      }),
      expectRest() {
        isRestExpected = true;
      },
      setIdleLimit: (limitMs) => idle.setLimit(limitMs),
    };
  } catch (error) {
    const explained = explain(error, false);
    release();
    throw explained;
  }
}

/** An expected rest of at most this size is read, for at most this long. */
const REST_BYTES = 16 * KIB;
const REST_MS = 1000;

async function* readChunks(answer: {
  readonly body: Dispatcher.ResponseData['body'];
  /** The body, unpacked: destroying it destroys the body. */
  readonly stream: Readable;
  readonly idle: ReturnType<typeof createIdleTimer>;
  readonly release: () => void;
  readonly explain: (error: unknown) => AppError;
  readonly isRestExpected: () => boolean;
}): AsyncGenerator<Uint8Array> {
  const iterator: AsyncIterator<Uint8Array> = answer.stream.iterator({ destroyOnReturn: false });
  let hasEnded = false;
  try {
    for (;;) {
      // The consumer's own time does not count as silence of the endpoint.
      answer.idle.start();
      const next = await iterator.next();
      answer.idle.stop();
      if (next.done === true) break;
      yield next.value;
    }
    hasEnded = true;
  } catch (error) {
    hasEnded = true;
    answer.stream.destroy();
    throw answer.explain(error);
  } finally {
    answer.release();
    if (!hasEnded && answer.isRestExpected() && answer.stream === answer.body) {
      await iterator.return?.();
      answer.body.dump({ limit: REST_BYTES, signal: AbortSignal.timeout(REST_MS) }).catch(() => undefined);
    } else if (!hasEnded) answer.stream.destroy();
  }
}

function canceled(post: PostRequest): AppError {
  return createAnswerError('CANCELED', post.errorContext, 'the request was cancelled');
}

function idleSentence(post: PostRequest): string {
  return `the endpoint sent nothing for ${Math.round(post.idleTimeoutMs / 1000)} s`;
}

/** Header values as HTTP allows them: no control characters, nothing beyond Latin-1. */
const SENDABLE_HEADER = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

function checkHeaders(post: PostRequest): void {
  for (const [name, value] of Object.entries(post.headers)) {
    if (SENDABLE_HEADER.test(value) && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) continue;
    const what = name.toLowerCase() === 'authorization' ? 'the key' : `the header ${JSON.stringify(name)}`;
    throw createAnswerError('CONFIG_INVALID', post.errorContext, `${what} has characters that HTTP cannot carry`);
  }
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return joined;
}
