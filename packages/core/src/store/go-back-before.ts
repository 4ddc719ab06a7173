import type { Codec } from './codec.ts';
import type { Writer } from './database.ts';
import { type MessageName, requireMessage, requireUserMessage } from './require-message.ts';

/**
 * The session goes on from the message before the given one; what came after stays as another course
 * of the conversation. Throws as `requireUserMessage`.
 */
export async function goBackBefore(writer: Writer, name: MessageName, codec: Codec): Promise<void> {
  const row = await requireUserMessage(writer, name, codec);
  await moveHead(writer, name, { headSeq: row.parent_seq, depth: row.depth - 1 });
}

/** The session goes on from the given message. Throws `NOT_FOUND`. */
export async function goBackTo(writer: Writer, name: MessageName): Promise<void> {
  const { seq, depth } = await requireMessage(writer, name);
  await moveHead(writer, name, { headSeq: seq, depth });
}

async function moveHead(
  writer: Writer,
  { sessionId, owner }: MessageName,
  { headSeq, depth }: { readonly headSeq: number | null; readonly depth: number },
): Promise<void> {
  await writer
    .updateTable('session_counters')
    .set({ head_seq: headSeq, message_count: depth })
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .execute();
}
