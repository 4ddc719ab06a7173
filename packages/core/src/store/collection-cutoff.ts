import type { Database } from './database.ts';
import { databaseNowMs } from './database-now.ts';
import { currentProcessMark, hasProcessEnded, type ProcessMark } from './process-mark.ts';
import { parseTurn } from './records.ts';

/** So long bytes may be stored before the message, queue item or draft that they belong to. */
export const YOUNG_MS = 10 * 60 * 1000;

/** After so long without a renewal a process that cannot be seen from here is taken for dead. */
const SILENCE_MS = 24 * 60 * 60 * 1000;

/**
 * Bytes that were put before this instant, in milliseconds since 1970, and that nothing leads to,
 * belong to no work that goes on: ten minutes ago, or before the earliest turn began that may still
 * store what it made. A turn may as long as nobody took its session over and its process may live,
 * even if it slept through its lease.
 */
export async function findCutoff(database: Database, nowMs: number): Promise<number> {
  const running = await database.read((reader) =>
    reader
      .selectFrom('turns')
      .leftJoin('session_leases', 'session_leases.session_id', 'turns.session_id')
      .selectAll('turns')
      .select(['session_leases.epoch as lease_epoch', 'session_leases.lease_until'])
      .select(databaseNowMs(database.kind).as('now_ms'))
      .where('turns.status', '=', 'running')
      .execute(),
  );
  const own = currentProcessMark();
  const starts = running
    .map((row) => ({ row, turn: parseTurn(row, database.codec) }))
    .filter(({ row, turn }) => mayWrite(row, turn.writer, own))
    .map(({ turn }) => Date.parse(turn.record.startedAt));
  return Math.min(nowMs - YOUNG_MS, ...starts);
}

interface RunningTurn {
  readonly epoch: number;
  readonly lease_epoch: number | null;
  readonly lease_until: number | null;
  readonly now_ms: number;
}

function mayWrite(row: RunningTurn, writer: ProcessMark, own: ProcessMark): boolean {
  if (hasProcessEnded(writer, own)) return false;
  if (row.lease_epoch === null || row.lease_until === null) return true;
  return row.epoch >= row.lease_epoch && row.lease_until > row.now_ms - SILENCE_MS;
}
