import { sql } from 'kysely';
import type { Session } from '../content/session.ts';
import { type Codec, type DatabaseKind, encodeLine } from './codec.ts';
import type { Writer } from './database.ts';
import { readLiveEpoch } from './lease-holder.ts';
import { lockSession } from './lock-session.ts';
import { parseSession } from './records.ts';
import { sessionNotFound } from './session-repository.ts';

/** What a fork does not have from its source. */
export interface Fork {
  readonly id: string;
  /** Absent: as the source's. */
  readonly title?: string;
  /** ISO-8601. */
  readonly createdAt: string;
}

interface ForkPlace {
  readonly sourceId: string;
  readonly owner: string;
  readonly kind: DatabaseKind;
  readonly codec: Codec;
}

/**
 * A session that begins with the course of messages that another one is on, without those of a turn
 * that runs just now: the same message ids, the plans of these messages' pictures and the edges to
 * their bytes, so that its next request is the one that the source would have sent. Bytes are not
 * copied; neither are queue, approvals, file changes, turns, events and the lease.
 *
 * Everything happens in the database, however long the session is. Throws `SESSION_NOT_FOUND`,
 * `UNSUPPORTED_REVISION`, `RECORD_INVALID`.
 */
export async function forkSession(writer: Writer, place: ForkPlace, fork: Fork): Promise<Session> {
  // Of a fork and a deletion at once the second waits: the edges that are copied still hold their bytes.
  await lockSession(writer, { id: place.sourceId, owner: place.owner });
  const session = await copySession(writer, place, fork);
  await copyMessages(writer, place, fork.id);
  await copyEdges(writer, place, fork.id);
  await copyPlans(writer, place, fork.id);
  await addPlanEdges(writer, fork.id);
  return session;
}

async function copySession(writer: Writer, { sourceId, codec }: ForkPlace, fork: Fork): Promise<Session> {
  const source = await writer.selectFrom('sessions').selectAll().where('id', '=', sourceId).executeTakeFirst();
  if (source === undefined) throw sessionNotFound(sourceId);
  const row = {
    ...source,
    id: fork.id,
    title: fork.title === undefined ? source.title : encodeLine(fork.title),
    created_at: fork.createdAt,
    updated_at: fork.createdAt,
  };
  const session = parseSession(row, codec);
  await writer.insertInto('sessions').values(row).execute();
  const counters = await writer
    .selectFrom('session_counters')
    .select(['owner', 'last_request_number'])
    .where('session_id', '=', sourceId)
    .executeTakeFirstOrThrow();
  await writer
    .insertInto('session_counters')
    .values({ ...counters, session_id: fork.id, last_message_seq: 0, message_count: 0, head_seq: null })
    .execute();
  return session;
}

/** The messages get the numbers from 1 on: a course is one message behind another. */
async function copyMessages(writer: Writer, place: ForkPlace, forkId: string): Promise<void> {
  const { sourceId } = place;
  const head = await findForkHead(writer, place);
  if (head === undefined) return;
  await writer
    .withRecursive('course', (recursive) =>
      recursive
        .selectFrom('messages')
        .select(['seq', 'parent_seq'])
        .where('session_id', '=', sourceId)
        .where('seq', '=', head.seq)
        .unionAll(
          recursive
            .selectFrom('messages')
            .innerJoin('course', 'course.parent_seq', 'messages.seq')
            .select(['messages.seq', 'messages.parent_seq'])
            .where('messages.session_id', '=', sourceId),
        ),
    )
    .insertInto('messages')
    .columns(['session_id', 'seq', 'owner', 'id', 'turn_id', 'revision', 'body', 'parent_seq', 'depth'])
    .expression((expression) =>
      expression
        .selectFrom('course')
        .innerJoin('messages', 'messages.seq', 'course.seq')
        .select([
          idOf(forkId),
          'messages.depth as seq',
          'messages.owner',
          'messages.id',
          'messages.turn_id',
          'messages.revision',
          'messages.body',
          sql<number | null>`case when messages.depth = 1 then null else messages.depth - 1 end`.as('parent_seq'),
          'messages.depth',
        ])
        .where('messages.session_id', '=', sourceId),
    )
    .execute();
  await writer
    .updateTable('session_counters')
    .set({ last_message_seq: head.depth, message_count: head.depth, head_seq: head.depth })
    .where('session_id', '=', forkId)
    .execute();
}

/** The newest message of the course that belongs to no running turn. */
async function findForkHead(writer: Writer, { sourceId, owner, kind, codec }: ForkPlace) {
  const liveEpoch = await readLiveEpoch(writer, { sessionId: sourceId, owner, kind, codec });
  const running = writer
    .selectFrom('turns')
    .select('id')
    .where('session_id', '=', sourceId)
    .where('status', '=', 'running')
    .where('epoch', '>=', liveEpoch);
  return writer
    .withRecursive('course', (recursive) =>
      recursive
        .selectFrom('session_counters')
        .innerJoin('messages', (join) =>
          join
            .onRef('messages.session_id', '=', 'session_counters.session_id')
            .onRef('messages.seq', '=', 'session_counters.head_seq'),
        )
        .select(['messages.seq', 'messages.parent_seq', 'messages.turn_id', 'messages.depth'])
        .where('session_counters.session_id', '=', sourceId)
        .unionAll(
          recursive
            .selectFrom('messages')
            .innerJoin('course', 'course.parent_seq', 'messages.seq')
            .select(['messages.seq', 'messages.parent_seq', 'messages.turn_id', 'messages.depth'])
            .where('messages.session_id', '=', sourceId)
            .where('course.turn_id', 'in', running),
        ),
    )
    .selectFrom('course')
    .select(['seq', 'depth'])
    .where('turn_id', 'not in', running)
    .executeTakeFirst();
}

/** Of every plan the pictures that the copied messages hold, in their order and without gaps. */
async function copyPlans(writer: Writer, { sourceId }: ForkPlace, forkId: string): Promise<void> {
  await writer
    .insertInto('plans')
    .columns(['session_id', 'endpoint_id', 'owner'])
    .expression(
      writer
        .selectFrom('plans')
        .select([idOf(forkId), 'endpoint_id', 'owner'])
        .where('session_id', '=', sourceId),
    )
    .execute();
  await writer
    .insertInto('plan_images')
    .columns(['session_id', 'endpoint_id', 'position', 'owner', 'original_digest', 'digest'])
    .expression(
      writer
        .selectFrom('plan_images')
        .select([
          idOf(forkId),
          'endpoint_id',
          sql<number>`row_number() over (partition by endpoint_id order by position) - 1`.as('position'),
          'owner',
          'original_digest',
          'digest',
        ])
        .where('session_id', '=', sourceId)
        .where('original_digest', 'in', digestsOfMessages(writer, forkId)),
    )
    .execute();
}

/** Of the copied messages, and then of the variants of their pictures. */
async function copyEdges(writer: Writer, { sourceId }: ForkPlace, forkId: string): Promise<void> {
  const copied = writer
    .selectFrom('content_edges')
    .select([idOf(forkId), 'digest', 'kind', 'source_id', 'owner', 'expires_at'])
    .where('session_id', '=', sourceId);
  const target = writer
    .insertInto('content_edges')
    .columns(['session_id', 'digest', 'kind', 'source_id', 'owner', 'expires_at']);
  const messageIds = writer.selectFrom('messages').select('id').where('session_id', '=', forkId);
  await target.expression(copied.where('kind', '=', 'message').where('source_id', 'in', messageIds)).execute();
  await target
    .expression(copied.where('kind', '=', 'variant').where('source_id', 'in', digestsOfMessages(writer, forkId)))
    .execute();
}

/** Also where the source reaches a variant only as that of another picture. */
async function addPlanEdges(writer: Writer, forkId: string): Promise<void> {
  await writer
    .insertInto('content_edges')
    .columns(['session_id', 'digest', 'kind', 'source_id', 'owner'])
    .expression(
      writer
        .selectFrom('plan_images')
        .select(['session_id', 'digest', sql<'variant'>`'variant'`.as('kind'), 'original_digest', 'owner'])
        .where('session_id', '=', forkId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function digestsOfMessages(writer: Writer, sessionId: string) {
  return writer
    .selectFrom('content_edges')
    .select('digest')
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'message');
}

function idOf(forkId: string) {
  return sql<string>`cast(${forkId} as text)`.as('session_id');
}
