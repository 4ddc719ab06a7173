import { sql, type Updateable } from 'kysely';
import { QUEUE_SCHEMA, type QueueHold, type QueueItemState, type Submission } from '../content/queue-item.ts';
import { type Codec, encodeLine } from './codec.ts';
import { addEdges } from './content-graph.ts';
import type { Writer } from './database.ts';
import type { QueuePlace } from './lock-queue.ts';
import { encodeBody } from './queue-rows.ts';
import type { QueueItemsTable, SessionQueuesTable } from './tables.ts';
import { edgesOfItem } from './upgrade-queue.ts';

/** What is put into the queue of a session; its pictures are stored already. */
export interface NewQueueItem {
  readonly sessionId: string;
  readonly itemId: string;
  readonly turnId: string;
  readonly createdAt: string;
  /** Of what was submitted, as it was submitted. */
  readonly contentDigest: string;
  readonly submission: Submission;
}

/** Adds an item behind all others, with the edges of its pictures. Call it with the queue locked. */
export async function insertQueueItem(
  writer: Writer,
  { sessionId, itemId, turnId, createdAt, contentDigest, submission }: NewQueueItem,
  { owner, codec }: { readonly owner: string; readonly codec: Codec },
): Promise<void> {
  const { last_position } = await writer
    .updateTable('session_queues')
    .set((expression) => ({ last_position: expression('last_position', '+', 1), schema_version: QUEUE_SCHEMA }))
    .where('session_id', '=', sessionId)
    .returning('last_position')
    .executeTakeFirstOrThrow();
  await writer
    .insertInto('queue_items')
    .values({
      id: itemId,
      session_id: sessionId,
      owner,
      position: last_position,
      state: 'queued',
      intent: submission.intent,
      submission_id: encodeLine(submission.submissionId),
      content_digest: contentDigest,
      schema_version: QUEUE_SCHEMA,
      body: encodeBody(submission, codec),
      turn_id: turnId,
      joined_turn_id: null,
      error: null,
      created_at: createdAt,
    })
    .execute();
  await addEdges(writer, { id: sessionId, owner }, edgesOfItem(itemId, submission.imageInputs));
}

/** Changes an item that is in one of the states; `false`, and nothing changed, when it is not. */
export async function updateQueueItem(
  writer: Writer,
  {
    sessionId,
    owner,
    itemId,
    states,
  }: QueuePlace & { readonly itemId: string; readonly states: readonly QueueItemState[] },
  columns: Updateable<QueueItemsTable>,
): Promise<boolean> {
  const changed = await writer
    .updateTable('queue_items')
    .set(columns)
    .where('id', '=', itemId)
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .where('state', 'in', states)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

export async function updateQueue(
  writer: Writer,
  sessionId: string,
  columns: Updateable<SessionQueuesTable>,
): Promise<void> {
  await writer.updateTable('session_queues').set(columns).where('session_id', '=', sessionId).execute();
}

/** Everything that was submitted so far waits until the user goes on. */
export async function holdQueue(writer: Writer, sessionId: string, because: QueueHold): Promise<void> {
  await writer
    .updateTable('session_queues')
    .set({ held_through: sql.ref('last_position'), held_because: because })
    .where('session_id', '=', sessionId)
    .execute();
}
