import type { Writer } from './database.ts';
import { queueItemNotFound } from './queue-faults.ts';

/**
 * The item of a turn that starts runs. Throws `QUEUE_ITEM_NOT_FOUND` when it does not wait any more,
 * because somebody removed it a moment before. A turn without an item is none of the queue's.
 */
export async function beginQueueItem(
  writer: Writer,
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
): Promise<void> {
  const begun = await writer
    .updateTable('queue_items')
    .set({ state: 'running' })
    .where('session_id', '=', sessionId)
    .where('turn_id', '=', turnId)
    .where('state', '=', 'queued')
    .returning('id')
    .executeTakeFirst();
  if (begun !== undefined) return;
  const gone = await writer
    .selectFrom('queue_items')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('turn_id', '=', turnId)
    .executeTakeFirst();
  if (gone !== undefined) throw queueItemNotFound(sessionId, gone.id);
}
