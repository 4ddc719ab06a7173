import type { Clock } from '../base/clock.ts';

/** A clock that stands still until a test moves it. */
export interface FixedClock extends Clock {
  /** Moves time on and wakes, in the order of their ends, the sleeps that are over by then. */
  advance(durationMs: number): Promise<void>;
  /** What is still sleeping: the milliseconds that remain, soonest first. */
  pendingSleepsMs(): readonly number[];
  /** Every duration that was asked for, in order, whether it is over or not. */
  readonly sleepsMs: readonly number[];
}

interface Sleeper {
  readonly endMs: number;
  readonly wake: () => void;
}

const DEFAULT_START_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

/**
 * A {@link FixedClock}, at 2026-01-02T03:04:05Z unless `startMs` says otherwise. With
 * `autoAdvance` a sleep moves the time itself and is over at once, for code whose waiting is not
 * what the test is about.
 */
export function createFixedClock(options: { startMs?: number; autoAdvance?: boolean } = {}): FixedClock {
  let nowMs = options.startMs ?? DEFAULT_START_MS;
  const sleepers = new Set<Sleeper>();
  const sleepsMs: number[] = [];

  function bySoonestEnd(): Sleeper[] {
    return [...sleepers].sort((one, other) => one.endMs - other.endMs);
  }

  return {
    sleepsMs,
    nowMs: () => nowMs,
    sleep(durationMs, signal) {
      sleepsMs.push(durationMs);
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (options.autoAdvance) {
        nowMs += durationMs;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const cancel = (): void => {
          if (sleepers.delete(sleeper)) reject(signal?.reason);
        };
        const wake = (): void => {
          signal?.removeEventListener('abort', cancel);
          resolve();
        };
        const sleeper: Sleeper = { endMs: nowMs + durationMs, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', cancel, { once: true });
      });
    },
    async advance(durationMs) {
      const endMs = nowMs + durationMs;
      for (;;) {
        const next = bySoonestEnd().find((sleeper) => sleeper.endMs <= endMs);
        if (next === undefined) break;
        nowMs = next.endMs;
        sleepers.delete(next);
        next.wake();
        // Who was woken may sleep again before the end: it gets the turn of the event loop first.
        await new Promise((resolve) => setImmediate(resolve));
      }
      nowMs = endMs;
    },
    pendingSleepsMs: () => bySoonestEnd().map((sleeper) => sleeper.endMs - nowMs),
  };
}
