import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';

/** Watches that something besides keep-alives arrives. The idle timer watches that anything does. */
export interface ProgressWatch {
  /** Counts from now, with this limit. */
  restart(limitMs: number): void;
  /** The same chunks. Throws `STREAM_IDLE` when one arrives after the limit. */
  watch(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

export function createProgressWatch(options: {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly channel: string;
}): ProgressWatch {
  const { clock, channel } = options;
  let { limitMs } = options;
  let startMs = clock.nowMs();
  return {
    restart(newLimitMs) {
      limitMs = newLimitMs;
      startMs = clock.nowMs();
    },
    async *watch(chunks) {
      for await (const chunk of chunks) {
        if (clock.nowMs() - startMs > limitMs) {
          const seconds = Math.round(limitMs / 1000);
          throw new AppError('STREAM_IDLE', `${channel}: the endpoint sent no part of an answer for ${seconds} s`);
        }
        yield chunk;
      }
    },
  };
}
