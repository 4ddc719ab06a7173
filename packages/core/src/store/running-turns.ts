import { AppError } from '../base/app-error.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { Codec } from './codec.ts';
import type { Reader } from './database.ts';
import { hasProcessEnded, isProcessVisible, type ProcessMark } from './process-mark.ts';
import { parseTurn } from './records.ts';

/**
 * A process of another host or container cannot be asked whether it lives. Its turn blocks the
 * session for so long after its beginning, and not for ever: the container may be gone.
 */
const UNSEEN_PROCESS_BLOCKS_MS = 60 * 60 * 1000;

export interface RunningTurnsQuery {
  readonly sessionId: string;
  readonly owner: string;
  readonly codec: Codec;
  /** Of the asking process. */
  readonly process: ProcessMark;
  /** ISO-8601. */
  readonly now: string;
  /** Left out. */
  readonly exceptTurnId?: string;
}

/**
 * The turns of a session that say `running` although their process is gone. Throws `SESSION_BUSY`
 * (`data`: `sessionId`, `turnId`, `pid`, `host`) when one of them does run, in this process or
 * another, and `RECORD_INVALID`.
 */
export async function findAbandonedTurns(
  reader: Reader,
  { sessionId, owner, codec, process, now, exceptTurnId = '' }: RunningTurnsQuery,
): Promise<readonly TurnRecord[]> {
  const rows = await reader
    .selectFrom('turns')
    .selectAll()
    .where('owner', '=', owner)
    .where('session_id', '=', sessionId)
    .where('status', '=', 'running')
    .where('id', '!=', exceptTurnId)
    .execute();
  return rows.map((row) => {
    const { record, writer } = parseTurn(row, codec);
    if (isStillRunning(record, { writer, process, now })) throw sessionBusy(record, writer);
    return record;
  });
}

function isStillRunning(
  { startedAt }: TurnRecord,
  { writer, process, now }: { readonly writer: ProcessMark; readonly process: ProcessMark; readonly now: string },
): boolean {
  if (isProcessVisible(writer, process)) return !hasProcessEnded(writer, process);
  return Date.parse(now) - Date.parse(startedAt) < UNSEEN_PROCESS_BLOCKS_MS;
}

function sessionBusy(turn: TurnRecord, { pid, host }: ProcessMark): AppError {
  const { id: turnId, sessionId } = turn;
  return new AppError(
    'SESSION_BUSY',
    `the process ${pid} on ${host} is running a turn of the session ${sessionId}; wait for its end, or stop that process`,
    { data: { sessionId, turnId, pid, host } },
  );
}
