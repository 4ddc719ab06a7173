import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { ProviderErrorData } from '../providers/provider.ts';
import { decideRetry, MOST_ATTEMPTS } from './retry-policy.ts';

function errorOf(code: ErrorCode, data: ProviderErrorData = {}): AppError {
  return new AppError(code, 'lab: something', { data: { ...data } });
}

const limited = (data: ProviderErrorData = {}) => errorOf('ENDPOINT_RATE_LIMITED', { status: 429, ...data });

function delaysOf(error: AppError, random: number): readonly (number | string)[] {
  return [1, 2, 3, 4, 5].map((attempt) => {
    const decision = decideRetry({ attempt, error, random });
    return decision.type === 'retry' ? decision.delayMs : (decision.note ?? 'no');
  });
}

describe('decideRetry', () => {
  it('doubles the pause from half a second, and ends after four attempts', () => {
    expect(MOST_ATTEMPTS).toBe(4);
    expect(delaysOf(limited(), 0)).toEqual([500, 1000, 2000, 'It was tried 4 times.', 'It was tried 5 times.']);
  });

  it('takes up to a quarter of the pause away by chance', () => {
    expect(delaysOf(limited(), 0.5).slice(0, 3)).toEqual([438, 875, 1750]);
    expect(delaysOf(limited(), 0.999999).slice(0, 3)).toEqual([375, 750, 1500]);
  });

  it('waits exactly as long as the endpoint asks, up to a minute', () => {
    expect(delaysOf(limited({ retryAfterMs: 1234 }), 0.7).slice(0, 3)).toEqual([1234, 1234, 1234]);
    expect(delaysOf(limited({ retryAfterMs: 60_000 }), 0).slice(0, 1)).toEqual([60_000]);
    expect(delaysOf(limited({ retryAfterMs: 0 }), 0).slice(0, 1)).toEqual([0]);
  });

  it('gives up when the endpoint asks for more than a minute, and says when to come back', () => {
    expect(delaysOf(limited({ retryAfterMs: 60_001 }), 0)[0]).toBe(
      'The endpoint asks to wait 2 minutes: try again then.',
    );
    expect(delaysOf(limited({ retryAfterMs: 5 * 3_600_000 }), 0)[3]).toBe(
      'The endpoint asks to wait 5 hours: try again then.',
    );
    expect(delaysOf(limited({ retryAfterMs: 72 * 3_600_000 }), 0)[0]).toBe(
      'The endpoint asks to wait 3 days: try again then.',
    );
    expect(delaysOf(limited({ retryAfterMs: 1e42 }), 0)[0]).toBe(
      'The endpoint asks to wait more than a year: try again then.',
    );
  });

  it('never repeats what cannot succeed unchanged, whatever the pause that is named', () => {
    const hopeless = [
      errorOf('ENDPOINT_REFUSED', { status: 400, retryAfterMs: 10 }),
      errorOf('ENDPOINT_UNAUTHORIZED', { status: 401 }),
      errorOf('ENDPOINT_NOT_FOUND', { status: 404 }),
      errorOf('CONTENT_FILTERED'),
      errorOf('INTERNAL'),
      errorOf('BLOB_MISSING'),
      limited({ shouldRetry: false }),
      errorOf('ENDPOINT_FAILED', {
        status: 500,
        endpointMessage:
          'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      }),
    ];
    for (const error of hopeless) expect(decideRetry({ attempt: 1, error, random: 0 })).toEqual({ type: 'give-up' });
  });

  it('repeats what the endpoint was too busy for, and what found nobody', () => {
    const hopeful = [
      errorOf('ENDPOINT_FAILED', { status: 503 }),
      errorOf('ENDPOINT_FAILED', { status: 529 }),
      errorOf('ENDPOINT_UNREACHABLE', { networkCode: 'ECONNREFUSED' }),
    ];
    for (const error of hopeful) expect(decideRetry({ attempt: 1, error, random: 0 }).type).toBe('retry');
  });
});
