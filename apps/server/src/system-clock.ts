import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@fovea/core/base';

/** The machine's own time. */
export function createSystemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    async sleep(durationMs, signal) {
      signal?.throwIfAborted();
      try {
        await wait(durationMs, undefined, signal === undefined ? {} : { signal });
      } catch (error) {
        // The timer rejects with an error of its own; the port promises the signal's reason.
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}
