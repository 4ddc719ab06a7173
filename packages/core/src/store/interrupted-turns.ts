import type { TurnRecord } from '../content/turn-record.ts';
import type { Reader } from './database.ts';
import { type LeaseQuery, readLiveEpoch } from './lease-holder.ts';
import { parseTurn } from './records.ts';

/**
 * The turns of a session that ended without being finished, oldest first, with the status
 * `interrupted`: those that say so, and those that still say `running` although their lease is over.
 * Changes nothing, so that it is safe beside running processes. Throws `RECORD_INVALID`.
 */
export async function readInterruptedTurns(reader: Reader, query: LeaseQuery): Promise<readonly TurnRecord[]> {
  const liveEpoch = await readLiveEpoch(reader, query);
  const rows = await reader
    .selectFrom('turns')
    .selectAll()
    .where('session_id', '=', query.sessionId)
    .where('owner', '=', query.owner)
    .where(({ and, eb, or }) =>
      or([eb('status', '=', 'interrupted'), and([eb('status', '=', 'running'), eb('epoch', '<', liveEpoch)])]),
    )
    .orderBy('started_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...parseTurn(row, query.codec).record, status: 'interrupted' }));
}
