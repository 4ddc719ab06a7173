import type { Message } from '../content/messages.ts';
import type { Codec } from './codec.ts';
import type { Reader } from './database.ts';
import { readCourse } from './message-course.ts';
import { parseCourse } from './parse-course.ts';
import { requireMessage } from './require-message.ts';

/** Which part of a conversation is wanted. */
export interface PageQuery {
  /** The message before which the page ends; absent: the page of the newest messages. */
  readonly before?: string;
  /** So many messages at most. */
  readonly limit: number;
}

/**
 * One page of a course of the conversation, oldest first: the course of `before`, else the one that
 * the session is on. Reads no more rows than it gives, and no picture. Throws `NOT_FOUND` when the
 * session has no message `before`, `RECORD_INVALID`, `UNSUPPORTED_REVISION`.
 */
export async function readPage(
  reader: Reader,
  session: { readonly sessionId: string; readonly owner: string; readonly codec: Codec },
  { before, limit }: PageQuery,
): Promise<readonly Message[]> {
  if (limit < 1) return [];
  const end = before === undefined ? undefined : await requireMessage(reader, { ...session, messageId: before });
  if (end?.parent_seq === null) return [];
  const rows = await readCourse(reader, {
    sessionId: session.sessionId,
    owner: session.owner,
    limit,
    ...(end === undefined ? {} : { fromSeq: end.parent_seq }),
  });
  return parseCourse(rows, session.codec);
}
