/** The only source of time. Tests give a fixed one. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when it is aborted before. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** An instant as it is stored and sent: ISO-8601 in UTC. */
export function isoTime(clock: Pick<Clock, 'nowMs'>): string {
  return new Date(clock.nowMs()).toISOString();
}
