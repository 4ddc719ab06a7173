import type { IdSource } from '../base/ids.ts';

/** Ids that a test can write down: `msg_000001`, `msg_000002`, counted for each prefix. */
export function createCountingIds(): IdSource {
  const counts = new Map<string, number>();
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${String(count).padStart(6, '0')}`;
    },
  };
}
