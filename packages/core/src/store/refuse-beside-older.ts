import type { Kysely } from 'kysely';
import { Compile } from 'typebox/compile';
import { AppError } from '../base/app-error.ts';
import { type Codec, codecOf, type DatabaseKind } from './codec.ts';
import { databaseNowMs } from './database-now.ts';
import { currentProcessMark, hasProcessEnded, isProcessVisible, ProcessMark } from './process-mark.ts';
import type { Tables } from './tables.ts';

/** The migration that made `session_leases`. */
const LEASES_MIGRATION = 4;

const markValidator = Compile(ProcessMark);

/**
 * Refuses to change tables with which a living process works: it would go on to write rows in their
 * older shape. Of a process on another machine only its lease tells. Throws `STORE_UNAVAILABLE`.
 */
export async function refuseBesideOlder(
  kysely: Kysely<Tables>,
  { kind, migration }: { readonly kind: DatabaseKind; readonly migration: number },
): Promise<void> {
  const codec = codecOf(kind);
  const own = currentProcessMark();
  const running = await kysely
    .selectFrom('turns')
    .select(['session_id', 'writer'])
    .where('status', '=', 'running')
    .execute();
  const leases = migration < LEASES_MIGRATION ? [] : await selectLeases(kysely, kind);
  const workers = [
    ...running.map((turn) => ({ sessionId: turn.session_id, mark: parseMark(turn.writer, codec), isLeased: false })),
    ...leases.map((lease) => ({ sessionId: lease.session_id, mark: parseMark(lease.process, codec), isLeased: true })),
  ];
  for (const { sessionId, mark, isLeased } of workers) {
    if (mark === undefined || hasProcessEnded(mark, own)) continue;
    if (!isLeased && !isProcessVisible(mark, own)) continue;
    throw new AppError(
      'STORE_UNAVAILABLE',
      `the store cannot be upgraded: the process ${mark.pid} on ${mark.host} is working in it with the older tables; ` +
        'wait until it has finished, or end it, and try again',
      { data: { sessionId, pid: mark.pid, host: mark.host } },
    );
  }
}

function selectLeases(kysely: Kysely<Tables>, kind: DatabaseKind) {
  return kysely
    .selectFrom('session_leases')
    .select(['session_id', 'process'])
    .where('holder', '!=', '')
    .where('lease_until', '>=', databaseNowMs(kind))
    .execute();
}

/** `undefined` for a row that is not valid: no process can be known by it. */
function parseMark(column: string, codec: Codec): ProcessMark | undefined {
  const decoded = codec.decodeJson(column);
  return decoded.ok && markValidator.Check(decoded.value) ? decoded.value : undefined;
}
