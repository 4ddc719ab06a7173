import { setImmediate, setTimeout } from 'node:timers/promises';
import { systemCode } from './store-error.ts';

const IMMEDIATE_ATTEMPTS = 10;
const ATTEMPTS = 2000;
const LONGEST_PAUSE_MS = 9;

/**
 * `SQLITE_BUSY_RECOVERY`: another process reads the log of one that was killed. Not here:
 * `SQLITE_BUSY_SNAPSHOT`, which no repetition cures. Source: SQLite manual, "Result and Error Codes".
 */
const curable: ReadonlySet<string> = new Set(['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_TIMEOUT']);

/** Whether an error says that another connection holds the database for a while, so that waiting helps. */
export function isBusyForNow(error: unknown): boolean {
  return curable.has(systemCode(error) ?? '');
}

/**
 * Repeats `work` while another connection holds the lock of an SQLite database, for about ten
 * seconds. SQLite's own busy handler sleeps inside the call and would stop the whole process,
 * another connection of it that holds the lock included; these pauses leave the event loop free.
 *
 * `work` must have had no effect when it fails so. Everything else is thrown at once.
 */
export async function retryWhileBusy<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isBusyForNow(error) || attempt === ATTEMPTS) throw error;
    }
    if (attempt <= IMMEDIATE_ATTEMPTS) await setImmediate();
    else await setTimeout(1 + Math.random() * (LONGEST_PAUSE_MS - 1));
  }
}
