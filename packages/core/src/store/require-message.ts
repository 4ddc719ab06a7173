import { AppError } from '../base/app-error.ts';
import type { Reader } from './database.ts';

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

export function messageNotFound({ sessionId, messageId }: Omit<MessageName, 'owner'>): AppError {
  return new AppError('NOT_FOUND', `the session ${sessionId} has no message with the id ${messageId}`, {
    data: { sessionId, messageId },
  });
}
