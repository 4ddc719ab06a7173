import type { Writer } from './database.ts';
import { sessionNotFound } from './session-repository.ts';

/**
 * Locks a session for the rest of the transaction, by writing a row of it as it is: of two writers at
 * once the second sees what the first did, in both databases. Throws `SESSION_NOT_FOUND`.
 */
export async function lockSession(
  writer: Writer,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<void> {
  const locked = await writer
    .updateTable('session_counters')
    .set((expression) => ({ last_message_seq: expression.ref('last_message_seq') }))
    .where('session_id', '=', id)
    .where('owner', '=', owner)
    .returning('session_id')
    .executeTakeFirst();
  if (locked === undefined) throw sessionNotFound(id);
}
