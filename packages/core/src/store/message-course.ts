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

const columns = ['session_id', 'seq', 'id', 'turn_id', 'parent_seq', 'revision', 'body'] as const;

/**
 * Messages from one back to the first, each with the one before it: the course of a conversation.
 * Looks at the messages that it gives and at no other, however long the session is. Newest first.
 */
export async function readCourse(reader: Reader, query: CourseQuery): Promise<readonly CourseRow[]> {
  return selectCourse(reader, query).execute();
}

/** The query of {@link readCourse}. */
export function selectCourse(reader: Reader, { sessionId, owner, fromSeq, limit }: CourseQuery) {
  return (
    reader
      .withRecursive('course', (recursive) => {
        const newest =
          fromSeq === undefined
            ? recursive
                .selectFrom('session_counters')
                .select(['head_seq as seq', sql<number>`1`.as('place')])
                .where('session_id', '=', sessionId)
                .where('owner', '=', owner)
            : recursive
                .selectFrom('messages')
                .select([sql<number | null>`seq`.as('seq'), sql<number>`1`.as('place')])
                .where('session_id', '=', sessionId)
                .where('owner', '=', owner)
                .where('seq', '=', fromSeq);
        // Not a join: PostgreSQL would rather read a table of some thousand rows again for each message.
        const before = recursive
          .selectFrom('course')
          .select(({ selectFrom }) => [
            selectFrom('messages')
              .select('parent_seq')
              .where('messages.session_id', '=', sessionId)
              .whereRef('messages.seq', '=', 'course.seq')
              .as('seq'),
            sql<number>`course.place + 1`.as('place'),
          ])
          .where('course.seq', 'is not', null);
        return newest.unionAll(limit === undefined ? before : before.where('course.place', '<', limit));
      })
      .selectFrom('course')
      // Not an inner join: SQLite would read the whole session and look for each message in the course.
      .crossJoin('messages')
      .select(columns.map((column) => `messages.${column}` as const))
      .where('messages.session_id', '=', sessionId)
      .whereRef('messages.seq', '=', 'course.seq')
      .orderBy('course.place')
  );
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
