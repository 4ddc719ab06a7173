import type { Clock } from '../base/clock.ts';

/** Calls `onIdle` once when it has been running for its limit without being started anew. */
export interface IdleTimer {
  readonly hasFired: boolean;
  /** Counts from now. */
  start(): void;
  stop(): void;
  /** Takes effect with the next start. */
  setLimit(limitMs: number): void;
}

export function createIdleTimer(options: {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly onIdle: () => void;
}): IdleTimer {
  let limitMs = options.limitMs;
  let sleeping: AbortController | undefined;
  let hasFired = false;

  function stop(): void {
    sleeping?.abort();
    sleeping = undefined;
  }

  return {
    get hasFired() {
      return hasFired;
    },
    start() {
      stop();
      const controller = new AbortController();
      sleeping = controller;
      options.clock.sleep(limitMs, controller.signal).then(
        () => {
          if (controller.signal.aborted) return;
          hasFired = true;
          options.onIdle();
        },
        () => undefined,
      );
    },
    stop,
    setLimit(newLimitMs) {
      limitMs = newLimitMs;
    },
  };
}
