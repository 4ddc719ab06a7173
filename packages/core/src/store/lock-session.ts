import { AppError } from '../base/app-error.ts';
import type { Writer } from './database.ts';
import { sessionNotFound } from './session-repository.ts';

interface SessionName {
  readonly id: string;
  readonly owner: string;
}

/**
 * Locks a session for the rest of the transaction, by writing a row of it as it is: of two writers at
 * once the second sees what the first did, in both databases. Throws `SESSION_NOT_FOUND`.
 */
export async function lockSession(writer: Writer, { id, owner }: SessionName): Promise<void> {
  const locked = await writer
    .updateTable('session_counters')
    .set((expression) => ({ last_message_seq: expression.ref('last_message_seq') }))
    .where('session_id', '=', id)
    .where('owner', '=', owner)
    .returning('session_id')
    .executeTakeFirst();
  if (locked === undefined) throw sessionNotFound(id);
}

/**
 * The same for a session in which no turn runs. What a dead process left running is settled when its
 * session is taken over: what still says that it runs does run. Throws `SESSION_NOT_FOUND`, and
 * `SESSION_BUSY` (`data`: `sessionId`, `turnId`).
 */
export async function lockIdleSession(writer: Writer, session: SessionName): Promise<void> {
  await lockSession(writer, session);
  const running = await writer
    .selectFrom('turns')
    .select('id')
    .where('session_id', '=', session.id)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (running === undefined) return;
  throw new AppError('SESSION_BUSY', `a turn of the session ${session.id} is running`, {
    data: { sessionId: session.id, turnId: running.id },
  });
}
