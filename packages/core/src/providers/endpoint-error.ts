import { AppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { secretsOf } from './endpoint-secrets.ts';
import { cleanEndpointWords, toOneLine } from './endpoint-words.ts';
import type { Endpoint, ProviderErrorData } from './provider.ts';

/** What an endpoint said of its failure, as its wire API says it. */
export interface EndpointFailure {
  readonly words?: string;
  readonly code?: string;
  readonly param?: string;
  /** Places in the request that a machine-readable field names, as they came. */
  readonly paths?: readonly string[];
  /** Longest side that a machine-readable field allows, px. */
  readonly maxSidePx?: number;
  /** An HTTP status inside the body, for failures in the middle of a stream. */
  readonly status?: number;
}

/** What an error message may name, and what it must never repeat. */
export interface ErrorContext {
  readonly channel: string;
  readonly secrets: readonly string[];
}

export function errorContextOf(endpoint: Endpoint): ErrorContext {
  return { channel: endpoint.channel, secrets: secretsOf(endpoint) };
}

/** Facts of the HTTP answer that carried the failure. */
export type HttpFacts = Pick<ProviderErrorData, 'status' | 'retryAfterMs' | 'shouldRetry' | 'requestId'>;

/** The error of a refusal or failure that the endpoint itself reported, in one line. */
export function createEndpointError(
  failure: EndpointFailure,
  context: ErrorContext,
  http: HttpFacts & { readonly errorCode?: ErrorCode } = {},
): AppError {
  const status = failure.status ?? http.status;
  const code = http.errorCode ?? codeOfStatus(status) ?? codeOfWords(failure.code);
  const words = cleanEndpointWords(failure.words ?? '', context.secrets);
  const machineCode = failure.code === undefined ? '' : cleanEndpointWords(failure.code, context.secrets);
  const data: ProviderErrorData = {
    ...(status !== undefined && { status }),
    ...(failure.code !== undefined && { endpointCode: machineCode }),
    ...(words !== '' && { endpointMessage: words }),
    ...(failure.param !== undefined && { param: cleanEndpointWords(failure.param, context.secrets) }),
    ...(failure.paths !== undefined && { paths: cleanPaths(failure.paths, context.secrets) }),
    ...(failure.maxSidePx !== undefined && { maxSidePx: failure.maxSidePx }),
    ...(http.retryAfterMs !== undefined && { retryAfterMs: http.retryAfterMs }),
    ...(http.shouldRetry !== undefined && { shouldRetry: http.shouldRetry }),
    ...(http.requestId !== undefined && { requestId: http.requestId }),
  };
  const said = toOneLine(words) || toOneLine(machineCode);
  const where = status === undefined ? '' : ` (HTTP ${status})`;
  const message = `${context.channel}: ${SENTENCES[code] ?? SENTENCES.ENDPOINT_FAILED}${where}`;
  return new AppError(code, said === '' ? message : `${message}: ${said}`, { data: { ...data } });
}

/** One request has no more pictures at fault than can be told. */
const MAX_PATHS = 100;

function cleanPaths(paths: readonly string[], secrets: readonly string[]): readonly string[] {
  return paths.slice(0, MAX_PATHS).map((path) => toOneLine(cleanEndpointWords(path, secrets)));
}

/** An error of our own about an answer, in one line that begins with the channel. */
export function createAnswerError(code: ErrorCode, context: ErrorContext, sentence: string): AppError {
  return new AppError(code, `${context.channel}: ${sentence}`);
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  ENDPOINT_UNAUTHORIZED: 'the endpoint refused the key',
  ENDPOINT_NOT_FOUND: 'the endpoint does not know this address or model',
  ENDPOINT_RATE_LIMITED: 'the endpoint asks to wait',
  ENDPOINT_REFUSED: 'the endpoint refused the request',
  ENDPOINT_FAILED: 'the endpoint reported an error of its own',
  ENDPOINT_NOT_AN_API: 'the address answers with something that is not its wire API; check the base URL',
};

function codeOfStatus(status: number | undefined): ErrorCode | undefined {
  if (status === undefined || status < 300) return undefined;
  if (status < 400) return 'ENDPOINT_NOT_AN_API';
  if (status === 401 || status === 403) return 'ENDPOINT_UNAUTHORIZED';
  if (status === 404) return 'ENDPOINT_NOT_FOUND';
  if (status === 429) return 'ENDPOINT_RATE_LIMITED';
  return status < 500 ? 'ENDPOINT_REFUSED' : 'ENDPOINT_FAILED';
}

/** Errors in the middle of a stream have no status; their machine code or type is all there is. */
function codeOfWords(code: string | undefined): ErrorCode {
  if (code === undefined) return 'ENDPOINT_FAILED';
  if (/rate_limit|too_many_requests/i.test(code)) return 'ENDPOINT_RATE_LIMITED';
  if (/invalid_api_key|authentication|permission/i.test(code)) return 'ENDPOINT_UNAUTHORIZED';
  if (/model_not_found|not_found_error/i.test(code)) return 'ENDPOINT_NOT_FOUND';
  if (/^invalid_|bad_?request|unsupported|too_large|image|context_length|_policy/i.test(code))
    return 'ENDPOINT_REFUSED';
  return 'ENDPOINT_FAILED';
}

/** A date begins with its day's name, or is one of ISO 8601; `Date.parse` takes many other texts for one. */
const DATE = /^(?:[A-Za-z]{3,9},? |\d{4}-\d\d-\d\dT)/;

/**
 * Milliseconds to wait: `retry-after-ms`, else `retry-after` in seconds or as a date; `undefined`
 * when neither says something sensible. A date that is over, as of a clock that is not ours, would
 * mean to come back at once, again and again. Source: RFC 9110 section 10.2.3.
 */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const milliseconds = parseNumber(headers['retry-after-ms']);
  if (milliseconds !== undefined) return milliseconds;
  const value = headers['retry-after'];
  const seconds = parseNumber(value);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const dateMs = value !== undefined && DATE.test(value) ? Date.parse(value) : Number.NaN;
  return dateMs > nowMs ? dateMs - nowMs : undefined;
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
