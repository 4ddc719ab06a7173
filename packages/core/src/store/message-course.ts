import { sql } from 'kysely';
import type { Reader } from './database.ts';
import type { MessageRow } from './tables.ts';

export interface CourseQuery {
  readonly sessionId: string;
  readonly owner: string;
  /** The newest message that is wanted; absent: the newest of the course that the session is on. */
  readonly fromSeq?: number;
  /** So many messages at most, from the newest on. */
  readonly limit?: number;
}

/**
 * Messages from one back to the first, each with the one before it: the course of a conversation.
 * Reads as many rows as it gives, however long the session is. Newest first.
 */
export async function readCourse(
  reader: Reader,
  { sessionId, owner, fromSeq, limit = Number.MAX_SAFE_INTEGER }: CourseQuery,
): Promise<readonly Pick<MessageRow, 'session_id' | 'seq' | 'id' | 'turn_id' | 'revision' | 'body' | 'parent_seq'>[]> {
  const start =
    fromSeq === undefined
      ? sql<number>`(select head_seq from session_counters where session_id = ${sessionId} and owner = ${owner})`
      : sql<number>`${fromSeq}`;
  return reader
    .withRecursive('course', (recursive) =>
      recursive
        .selectFrom('messages')
        .select(['seq', 'parent_seq', sql<number>`1`.as('steps')])
        .where('session_id', '=', sessionId)
        .where('owner', '=', owner)
        .where('seq', '=', start)
        .unionAll(
          recursive
            .selectFrom('messages')
            .innerJoin('course', 'course.parent_seq', 'messages.seq')
            .select(['messages.seq', 'messages.parent_seq', sql<number>`course.steps + 1`.as('steps')])
            .where('messages.session_id', '=', sessionId)
            .where('course.steps', '<', limit),
        ),
    )
    .selectFrom('course')
    .innerJoin('messages', 'messages.seq', 'course.seq')
    .select([
      'messages.session_id',
      'messages.seq',
      'messages.id',
      'messages.turn_id',
      'messages.revision',
      'messages.body',
      'messages.parent_seq',
    ])
    .where('messages.session_id', '=', sessionId)
    .orderBy('course.steps')
    .execute();
}
