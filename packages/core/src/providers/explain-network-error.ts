import { AppError } from '../base/app-error.ts';
import { createAnswerError, type ErrorContext } from './endpoint-error.ts';
import { cleanEndpointWords, toOneLine } from './endpoint-words.ts';
import { isUnpackError } from './unpack-body.ts';

export interface NetworkErrorContext {
  readonly hasHeaders: boolean;
  readonly url: string;
  readonly errorContext: ErrorContext;
}

/** What an error of the HTTP client means to the user: an `AppError` in words, with `networkCode` where there is one. */
export function explainNetworkError(error: unknown, { hasHeaders, url, errorContext }: NetworkErrorContext): AppError {
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return createAnswerError('ENDPOINT_NOT_AN_API', errorContext, 'the endpoint does not answer in HTTP');
  }
  if (isUnpackError(error)) {
    const sentence = 'the answer is not compressed as it says, and cannot be unpacked';
    return createAnswerError('STREAM_INVALID', errorContext, sentence);
  }
  if (hasHeaders) {
    return createAnswerError('STREAM_CUT', errorContext, 'the connection was cut before the answer was complete');
  }
  const cause = findCause(error);
  const words = cleanEndpointWords(toOneLine(cause?.message ?? ''), errorContext.secrets);
  if (/ header(?: not supported)?$/.test(words) && cause?.code.startsWith('UND_') === true) {
    return createAnswerError('CONFIG_INVALID', errorContext, `a header of the channel cannot be sent: ${words}`);
  }
  const sentence = `${errorContext.channel}: no connection to ${new URL(url).origin}${reasonOf(cause, words)}`;
  return new AppError('ENDPOINT_UNREACHABLE', sentence, {
    data: cause === undefined ? {} : { networkCode: cause.code },
  });
}

function reasonOf(cause: NetworkCause | undefined, words: string): string {
  if (cause === undefined) return '';
  // Source: undici's proxy agent, whose errors have no fields for it.
  const proxyStatus = /^Proxy response \((\d{3})\)/.exec(words)?.[1];
  if (proxyStatus === '407') return ': the proxy asks for a user name and password (HTTP 407)';
  if (proxyStatus !== undefined) return `: the proxy refuses it (HTTP ${proxyStatus})`;
  // The client's own codes say less than its words.
  return cause.code.startsWith('UND_') && words !== '' ? `: ${words}` : ` (${cause.code})`;
}

interface NetworkCause {
  readonly code: string;
  readonly message: string;
}

/** The innermost network error: undici wraps, and several addresses make one error of many. */
function findCause(error: unknown): NetworkCause | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const cause = 'cause' in error ? findCause(error.cause) : undefined;
  if (cause !== undefined) return cause;
  if ('code' in error && typeof error.code === 'string') {
    return { code: error.code, message: error instanceof Error ? error.message : '' };
  }
  return 'errors' in error && Array.isArray(error.errors) ? findCause(error.errors[0]) : undefined;
}
