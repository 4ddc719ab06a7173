import type { Selectable } from 'kysely';
import { QUEUE_SCHEMA } from '../content/queue-item.ts';
import type { Reader, Writer } from './database.ts';
import { requireSession } from './session-repository.ts';
import type { SessionQueuesTable } from './tables.ts';

export interface QueuePlace {
  readonly sessionId: string;
  readonly owner: string;
}

export type QueueRow = Selectable<SessionQueuesTable>;

/**
 * Locks the queue of a session for the rest of the transaction and gives its row, which is made on
 * first use: of two writers at once the second sees what the first did, in both databases. Throws
 * `SESSION_NOT_FOUND`.
 */
export async function lockQueue(writer: Writer, { sessionId, owner }: QueuePlace): Promise<QueueRow> {
  await requireSession(writer, { id: sessionId, owner });
  return writer
    .insertInto('session_queues')
    .values({
      session_id: sessionId,
      owner,
      schema_version: QUEUE_SCHEMA,
      last_position: 0,
      held_through: 0,
      held_because: null,
    })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ owner }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The row of a session's queue; absent while nothing was ever submitted. */
export function readQueue(reader: Reader, { sessionId, owner }: QueuePlace): Promise<QueueRow | undefined> {
  return reader
    .selectFrom('session_queues')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .executeTakeFirst();
}

/** Whether a newer Fovea wrote the queue, or one of the items that wait in it. */
export function isNewer(
  queue: Pick<QueueRow, 'schema_version'>,
  items: readonly { readonly schema_version: number }[],
  supportedSchema: number,
): boolean {
  return [queue, ...items].some(({ schema_version }) => schema_version > supportedSchema);
}
