import type { AppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { ImageInputCapability } from '../catalog/wire-api.ts';
import {
  corruptedMediaWords,
  type PictureErrorKind,
  type PictureErrorPattern,
  pictureErrorPatterns,
  type StatedLimit,
} from './picture-error-patterns.ts';
import { type PicturePosition, parsePicturePositions } from './picture-position.ts';

/** Limits that an error states, in the units of their names. */
export type StatedLimits = { readonly [Limit in StatedLimit]?: number };

/** Whether pictures are at fault, and which. */
export interface ErrorVerdict {
  /**
   * - `blind-endpoint`: this model at this endpoint takes no pictures.
   * - `bad-picture`: one picture is at fault, that of `positions` where the error names one.
   * - `too-much`: too many or too large in sum; `limits` says what would fit, where the error does.
   * - `wrong-place`: a role or an order that this endpoint does not take.
   * - `unrelated`: everything else.
   */
  readonly kind: PictureErrorKind;
  /** Places of the wire's own list that the error names; empty when it names none. */
  readonly positions: readonly PicturePosition[];
  readonly limits: StatedLimits;
  /** An uploaded file that the endpoint has no more: the picture itself is good. */
  readonly isExpired: boolean;
}

/** What is known of the request that failed. */
export interface SentRequest {
  /** Whether it held a picture. Without one only broken pairs of calls and answers are `wrong-place`. */
  readonly hasImages: boolean;
  /** What was known of the model's eyes. Absent: `unknown`. */
  readonly imageInput?: ImageInputCapability;
}

const UNRELATED: ErrorVerdict = { kind: 'unrelated', positions: [], limits: {}, isExpired: false };

/** Statuses by which endpoints are known to refuse pictures. An error inside a stream has none. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 415, 422, 429, 500, 503]);
const REFUSING_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ENDPOINT_REFUSED',
  'ENDPOINT_NOT_FOUND',
  'ENDPOINT_RATE_LIMITED',
  'ENDPOINT_FAILED',
]);

/**
 * Whether a picture is at fault for an error of a provider. Pure; never throws. Decides by machine
 * code and by the endpoint's own words, never by a model's name, a timeout or a status alone (but for
 * 413, which says that the body is too large).
 *
 * See `docs/rules/providers-classify-error.md`.
 */
export function classifyError(error: AppError, sent: SentRequest): ErrorVerdict {
  const said = readWhatWasSaid(error);
  if (said === undefined) return UNRELATED;
  return judge(said, sent);
}

/**
 * Whether the same request may succeed when it is sent once more: rate limits, overload, no
 * connection, and 5xx, unless a picture or its place is at fault. What the endpoint says by
 * `x-should-retry` comes before all but that.
 */
export function isRetryable(error: AppError): boolean {
  const said = readWhatWasSaid(error);
  if (said !== undefined && judge(said, { hasImages: true }).kind !== 'unrelated') return false;
  const shouldRetry = error.data['shouldRetry'];
  if (typeof shouldRetry === 'boolean') return shouldRetry;
  switch (error.code) {
    case 'ENDPOINT_UNREACHABLE':
      return !LASTING_NETWORK_CODES.test(textOf(error.data['networkCode']));
    case 'ENDPOINT_RATE_LIMITED':
      return !isSpent(error);
    case 'ENDPOINT_FAILED':
      return isPassingFailure(error);
    default:
      // 408: the endpoint waited for the body in vain.
      return error.code === 'ENDPOINT_REFUSED' && error.data['status'] === 408;
  }
}

/**
 * Whether an answer's text is the error of an endpoint that a proxy passed on as words, with status
 * 200. Such a text is told as what it is, and nothing is learned from it.
 */
export function isErrorAsText(text: string): boolean {
  return /^\s*\[?(?:API )?Error: ?\(?[45]\d\d\b/i.test(text) && /\{[\s\S]*"(?:message|error)"\s*:/.test(text);
}

/** A wrong name or certificate is as wrong in a second. */
const LASTING_NETWORK_CODES = /^ENOTFOUND$|CERT|SELF_SIGNED|UNABLE_TO_|^ERR_(?:TLS|SSL|INVALID)|^EPROTO$/;

/** Money and quotas do not come back by waiting. */
function isSpent(error: AppError): boolean {
  const { code, words } = readWords(error);
  return (
    /insufficient_quota|billing|payment/i.test(code) || /exceeded your current quota|insufficient balance/i.test(words)
  );
}

function isPassingFailure(error: AppError): boolean {
  const status = error.data['status'];
  if (typeof status === 'number') return status >= 500 && status !== 501 && status !== 505;
  const { code } = readWords(error);
  return /overloaded|server_error|internal|unavailable|timeout|api_error/i.test(code);
}

interface WhatWasSaid {
  readonly status: number | undefined;
  readonly code: string;
  readonly words: string;
  readonly param: string;
  readonly paths: readonly string[];
  readonly maxSidePx: number | undefined;
}

/** `undefined` when the error is none by which an endpoint refuses a picture. */
function readWhatWasSaid(error: AppError): WhatWasSaid | undefined {
  if (!REFUSING_CODES.has(error.code)) return undefined;
  const { status, param, paths, maxSidePx } = error.data;
  if (typeof status === 'number' && !isRefusing(status)) return undefined;
  return {
    ...readWords(error),
    status: typeof status === 'number' ? status : undefined,
    param: textOf(param),
    paths: Array.isArray(paths) ? paths.map(textOf) : [],
    maxSidePx: typeof maxSidePx === 'number' ? maxSidePx : undefined,
  };
}

/** A stream that failed after HTTP 200 keeps that status where the error names no other. */
function isRefusing(status: number): boolean {
  return REFUSING_STATUSES.has(status) || (status >= 200 && status < 300);
}

function readWords(error: AppError): { readonly code: string; readonly words: string } {
  return { code: textOf(error.data['endpointCode']), words: textOf(error.data['endpointMessage']) };
}

function judge(said: WhatWasSaid, { hasImages, imageInput }: SentRequest): ErrorVerdict {
  const positions = positionsOf(said);
  if (hasImages && corruptedMediaWords.test(said.words)) {
    const kind = imageInput === 'yes' ? 'bad-picture' : 'blind-endpoint';
    return { kind, positions, limits: {}, isExpired: false };
  }
  const pattern = pictureErrorPatterns.find((candidate) => matches(candidate, said));
  if (pattern === undefined || pattern.kind === 'unrelated') return UNRELATED;
  if (!hasImages && pattern.isAboutPairs !== true) return UNRELATED;
  return {
    kind: pattern.kind,
    positions,
    limits: limitsOf(pattern, said),
    isExpired: pattern.isExpired === true,
  };
}

function matches({ status, code, param, words }: PictureErrorPattern, said: WhatWasSaid): boolean {
  return (
    (status === undefined || said.status === status) &&
    (code === undefined || code.test(said.code)) &&
    (param === undefined || param.test(said.param)) &&
    (words === undefined || words.test(said.words))
  );
}

/** The most exact source first: machine-readable paths, the param, the words. */
function positionsOf({ paths, param, words }: WhatWasSaid): readonly PicturePosition[] {
  const sources = [paths.join('\n'), param, words];
  return sources.map(parsePicturePositions).find((positions) => positions.length > 0) ?? [];
}

function limitsOf({ limit, words }: PictureErrorPattern, said: WhatWasSaid): StatedLimits {
  const figure = limit === undefined ? undefined : words?.exec(said.words)?.[1];
  return {
    ...(said.maxSidePx !== undefined && { maxSidePx: said.maxSidePx }),
    ...(limit !== undefined && figure !== undefined && { [limit]: Number(figure) }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
