import type { AppError } from '../base/app-error.ts';
import { isRetryable } from '../providers/classify-error.ts';

/** How often one request is sent at most. */
export const MOST_ATTEMPTS = 4;
/** Longest pause that an endpoint may ask for: whoever waits longer is told when to come back. */
const LONGEST_PAUSE_MS = 60_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;
/** Part of a pause that chance takes away, so that many who failed together do not come back together. */
const JITTER = 0.25;

export type RetryDecision =
  | { readonly type: 'retry'; readonly delayMs: number }
  /** `note` is what the user should know besides the error itself. */
  | { readonly type: 'give-up'; readonly note?: string };

/**
 * Whether a request that gave nothing is sent once more, and when. Pure. What cannot succeed
 * unchanged (a refusal, a picture at fault) is never repeated; what the endpoint says of the pause
 * comes before our own growing one.
 *
 * @param attempt how often it was sent, from 1.
 * @param random from 0 (inclusive) to 1 (exclusive).
 */
export function decideRetry({
  attempt,
  error,
  random,
}: {
  readonly attempt: number;
  readonly error: AppError;
  readonly random: number;
}): RetryDecision {
  if (!isRetryable(error)) return { type: 'give-up' };
  const askedMs = error.data['retryAfterMs'];
  if (typeof askedMs === 'number' && askedMs > LONGEST_PAUSE_MS) {
    return { type: 'give-up', note: `The endpoint asks to wait ${describePause(askedMs)}: try again then.` };
  }
  if (attempt >= MOST_ATTEMPTS) return { type: 'give-up', note: `It was tried ${attempt} times.` };
  if (typeof askedMs === 'number') return { type: 'retry', delayMs: askedMs };
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
  return { type: 'retry', delayMs: Math.round(backoffMs * (1 - JITTER * random)) };
}

function describePause(durationMs: number): string {
  const minutes = Math.ceil(durationMs / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  if (hours < 48) return `${hours} hours`;
  const days = Math.ceil(hours / 24);
  return days <= 365 ? `${days} days` : 'more than a year';
}
