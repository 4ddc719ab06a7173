import { sql } from 'kysely';
import type { Writer } from './database.ts';
import { deleteEvents } from './event-repository.ts';
import { finishQueueItem } from './finish-queue-item.ts';

/**
 * What a process left running when it died, settled by whoever takes its session: the turn is
 * `interrupted`. Where none of its calls can have changed anything, its queue item is done and the
 * queue goes on; else the item is `uncertain`, and everything behind it waits for the user. Gives
 * the turns, oldest first.
 */
export async function settleLeftTurns(
  writer: Writer,
  { sessionId, owner, now }: { readonly sessionId: string; readonly owner: string; readonly now: string },
): Promise<readonly string[]> {
  const turns = await writer
    .selectFrom('turns')
    .select(['id', 'has_effects'])
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .where('status', '=', 'running')
    .orderBy('started_at')
    .orderBy('id')
    .execute();
  await deleteEvents(writer, { sessionId });
  for (const { id: turnId, has_effects } of turns) {
    await writer.updateTable('turns').set({ status: 'interrupted', ended_at: now }).where('id', '=', turnId).execute();
    if (has_effects === 0) await finishQueueItem(writer, turnId);
    else await makeUncertain(writer, { sessionId, turnId });
  }
  return turns.map(({ id }) => id);
}

async function makeUncertain(
  writer: Writer,
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
): Promise<void> {
  const item = await writer
    .updateTable('queue_items')
    .set({ state: 'uncertain' })
    .where('turn_id', '=', turnId)
    .where('state', '=', 'running')
    .returning('id')
    .executeTakeFirst();
  if (item === undefined) return;
  await writer
    .updateTable('session_queues')
    .set({ held_through: sql.ref('last_position'), held_because: 'interrupted' })
    .where('session_id', '=', sessionId)
    .execute();
}
