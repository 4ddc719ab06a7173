import type { Writer } from './database.ts';

/**
 * The item of a turn that ended is done: its text and pictures are in the message, so that the item
 * stays only as the receipt of its submission. A turn without an item is none of the queue's.
 */
export async function finishQueueItem(writer: Writer, turnId: string): Promise<void> {
  const item = await writer
    .updateTable('queue_items')
    .set({ state: 'done', body: null })
    .where('turn_id', '=', turnId)
    .where('state', '=', 'running')
    .returning(['id', 'session_id'])
    .executeTakeFirst();
  if (item === undefined) return;
  await deleteItemEdges(writer, { sessionId: item.session_id, itemId: item.id });
}

/** The item no longer holds its pictures. */
export async function deleteItemEdges(
  writer: Writer,
  { sessionId, itemId }: { readonly sessionId: string; readonly itemId: string },
): Promise<void> {
  await writer
    .deleteFrom('content_edges')
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'queue-item')
    .where('source_id', '=', itemId)
    .execute();
}
