import { AppError } from '../base/app-error.ts';
import type { Codec } from './codec.ts';
import type { Reader } from './database.ts';
import { parseMessageRow } from './records.ts';

export interface MessageName {
  readonly sessionId: string;
  readonly owner: string;
  readonly messageId: string;
}

/** The row of a message of any course of the session. Throws `NOT_FOUND`. */
export async function requireMessage(reader: Reader, { sessionId, owner, messageId }: MessageName) {
  const message = await reader
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .where('id', '=', messageId)
    .executeTakeFirst();
  if (message !== undefined) return message;
  throw messageNotFound({ sessionId, messageId });
}

/**
 * The row of a message that another one can be put in the place of: the user's own, because between a
 * call and its answer nothing can stand. Throws `NOT_FOUND`, `RECORD_INVALID`.
 */
export async function requireUserMessage(reader: Reader, name: MessageName, codec: Codec) {
  const row = await requireMessage(reader, name);
  if (parseMessageRow(row, codec).role !== 'user') throw messageNotFound(name);
  return row;
}

function messageNotFound({ sessionId, messageId }: Omit<MessageName, 'owner'>): AppError {
  return new AppError('NOT_FOUND', `the session ${sessionId} has no message with the id ${messageId}`, {
    data: { sessionId, messageId },
  });
}
