import { AppError } from '../base/app-error.ts';
import type { Writer } from './database.ts';

export interface CourseChange {
  readonly sessionId: string;
  readonly owner: string;
  readonly messageId: string;
}

/**
 * The session goes on from the message before the given one; what came after stays as another course
 * of the conversation. Throws `NOT_FOUND` when the session has no such message.
 */
export async function goBackBefore(writer: Writer, change: CourseChange): Promise<void> {
  const { parent_seq, depth } = await findMessage(writer, change);
  await moveHead(writer, change, { headSeq: parent_seq, depth: depth - 1 });
}

/** The session goes on from the given message. Throws `NOT_FOUND`. */
export async function goBackTo(writer: Writer, change: CourseChange): Promise<void> {
  const { seq, depth } = await findMessage(writer, change);
  await moveHead(writer, change, { headSeq: seq, depth });
}

async function findMessage(writer: Writer, { sessionId, owner, messageId }: CourseChange) {
  const message = await writer
    .selectFrom('messages')
    .select(['seq', 'parent_seq', 'depth'])
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .where('id', '=', messageId)
    .executeTakeFirst();
  if (message !== undefined) return message;
  throw new AppError('NOT_FOUND', `the session ${sessionId} has no message with the id ${messageId}`, {
    data: { sessionId, messageId },
  });
}

async function moveHead(
  writer: Writer,
  { sessionId, owner }: CourseChange,
  { headSeq, depth }: { readonly headSeq: number | null; readonly depth: number },
): Promise<void> {
  await writer
    .updateTable('session_counters')
    .set({ head_seq: headSeq, message_count: depth })
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .execute();
}
