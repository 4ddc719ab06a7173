import { AppError } from '../base/app-error.ts';
import { QUEUE_SCHEMA, type QueueItem } from '../content/queue-item.ts';
import type { Codec } from './codec.ts';
import type { Reader, Writer } from './database.ts';
import { deleteItemEdges } from './finish-queue-item.ts';
import { isNewer, readQueue } from './lock-queue.ts';
import { canRun, parseQueueItem, readItems, readOrder } from './queue-rows.ts';

/**
 * The `steer` items that the running turn takes at its next step, in their order: those that wait and
 * are not held. One that edits an earlier message is on another course, and becomes a turn of its own.
 */
export async function findSteering(
  reader: Reader,
  { codec, ...place }: { readonly sessionId: string; readonly owner: string; readonly codec: Codec },
): Promise<readonly QueueItem[]> {
  const queue = await readQueue(reader, place);
  if (queue === undefined) return [];
  const order = await readOrder(reader, place);
  if (isNewer(queue, order, QUEUE_SCHEMA)) return [];
  const steering = order.filter(
    ({ state, intent, position }) => state === 'queued' && intent === 'steer' && position > queue.held_through,
  );
  if (steering.length === 0) return [];
  const rows = await readItems(
    reader,
    place,
    steering.map(({ id }) => id),
  );
  return rows
    .map((row) => parseQueueItem(row, { codec, supportedSchema: QUEUE_SCHEMA }))
    .filter(canRun)
    .filter(({ edits }) => edits === undefined);
}

/** The item is part of the turn, and done. Call it with the queue locked. */
export async function joinTurn(
  writer: Writer,
  { item, turnId }: { readonly item: QueueItem; readonly turnId: string },
): Promise<void> {
  const { id, sessionId } = item;
  const joined = await writer
    .updateTable('queue_items')
    .set({ state: 'done', body: null, joined_turn_id: turnId })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .returning('id')
    .executeTakeFirst();
  if (joined === undefined) throw new AppError('INTERNAL', `the item ${id} does not wait`, { data: { itemId: id } });
  await deleteItemEdges(writer, { sessionId, itemId: id });
}
