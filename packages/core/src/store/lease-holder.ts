import type { Codec, DatabaseKind } from './codec.ts';
import type { Reader } from './database.ts';
import { databaseNowMs } from './database-now.ts';
import { currentProcessMark, hasProcessEnded, type ProcessMark } from './process-mark.ts';
import { parseLease } from './records.ts';
import type { LeaseRow } from './tables.ts';

/** Whoever holds a session now. */
export interface LeaseHolder {
  readonly sessionId: string;
  readonly pid: number;
  readonly host: string;
  readonly epoch: number;
}

export interface LeaseQuery {
  readonly sessionId: string;
  readonly owner: string;
  readonly kind: DatabaseKind;
  readonly codec: Codec;
}

/** A lease as it was at `now_ms` of the database's clock. */
export type TimedLease = LeaseRow & { readonly now_ms: number };

/** The session's lease; absent where nobody ever held it. */
export async function readLease(
  reader: Reader,
  { sessionId, owner, kind }: Omit<LeaseQuery, 'codec'>,
): Promise<TimedLease | undefined> {
  return reader
    .selectFrom('session_leases')
    .selectAll()
    .select(databaseNowMs(kind).as('now_ms'))
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .executeTakeFirst();
}

/**
 * Who holds the lease; absent when it was given back, ran out, or its process has certainly ended.
 * Throws `RECORD_INVALID`.
 */
export function findHolder(
  row: TimedLease,
  { codec, own }: { readonly codec: Codec; readonly own: ProcessMark },
): LeaseHolder | undefined {
  const { process, ...lease } = parseLease(row, codec);
  if (lease.holder === '' || lease.leaseUntilMs < row.now_ms) return undefined;
  if (hasProcessEnded(process, own)) return undefined;
  return { sessionId: lease.sessionId, pid: process.pid, host: process.host, epoch: lease.epoch };
}

/**
 * The lowest epoch whose turns can still run: those of a lower one were left behind. It stays true
 * while others take and give back the session, because epochs only grow. Throws `RECORD_INVALID`.
 */
export async function readLiveEpoch(reader: Reader, query: LeaseQuery): Promise<number> {
  const row = await readLease(reader, query);
  if (row === undefined) return 1;
  const isHeld = findHolder(row, { codec: query.codec, own: currentProcessMark() }) !== undefined;
  return isHeld ? row.epoch : row.epoch + 1;
}
