import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { type MessageName, requireMessage } from './require-message.ts';
import type { MessagesTable } from './tables.ts';

export interface CourseQuery {
  readonly sessionId: string;
  readonly owner: string;
  /** The newest message that is wanted; absent: the newest of the course that the session is on. */
  readonly fromSeq?: number;
  /** So many messages at most, from the newest on, at least one. */
  readonly limit?: number;
}

/** A message of a course, as it is stored. */
export type CourseRow = Pick<MessagesTable, (typeof columns)[number]>;

const columns = ['session_id', 'seq', 'parent_seq', 'revision', 'body'] as const;

/**
 * Messages from one back to the first, each with the one before it: the course of a conversation.
 * Reads as many rows as it gives, however long the session is. Newest first.
 */
export async function readCourse(reader: Reader, query: CourseQuery): Promise<readonly CourseRow[]> {
  const { sessionId, owner, fromSeq, limit } = query;
  const start =
    fromSeq === undefined
      ? sql<number>`(select head_seq from session_counters where session_id = ${sessionId} and owner = ${owner})`
      : sql<number>`${fromSeq}`;
  return reader
    .withRecursive('course', (recursive) => {
      const before = recursive
        .selectFrom('messages')
        .innerJoin('course', 'course.parent_seq', 'messages.seq')
        .select(columns.map((column) => `messages.${column}` as const))
        .select(sql<number>`course.place + 1`.as('place'))
        .where('messages.session_id', '=', sessionId);
      return recursive
        .selectFrom('messages')
        .select(columns)
        .select(sql<number>`1`.as('place'))
        .where('session_id', '=', sessionId)
        .where('owner', '=', owner)
        .where('seq', '=', start)
        .unionAll(limit === undefined ? before : before.where('course.place', '<', limit));
    })
    .selectFrom('course')
    .select(columns)
    .orderBy('place')
    .execute();
}

/**
 * The ids of the messages that have the same message before them, the given one included: one for
 * each course that the conversation took there, the first taken first. Throws `NOT_FOUND`.
 */
export async function readCourses(reader: Reader, name: MessageName): Promise<readonly string[]> {
  const { parent_seq } = await requireMessage(reader, name);
  const rows = await reader
    .selectFrom('messages')
    .select('id')
    .where('session_id', '=', name.sessionId)
    .where('parent_seq', parent_seq === null ? 'is' : '=', parent_seq)
    .orderBy('seq')
    .execute();
  return rows.map(({ id }) => id);
}
