import type { Message } from '../content/messages.ts';
import type { Codec } from './codec.ts';
import { addEdges, edgesOfMessage } from './content-graph.ts';
import type { Writer } from './database.ts';
import { sessionNotFound } from './session-repository.ts';
import { STORAGE_REVISION } from './storage-revision.ts';
import type { MessageRow } from './tables.ts';

export interface AppendPlace {
  readonly sessionId: string;
  readonly owner: string;
  readonly codec: Codec;
}

/**
 * Adds messages behind the newest one of the course that the session is on, in this order, with the
 * edges of their pictures. The row of the session's counters is locked first: of two writers at once
 * the second sees what the first has added. Throws `SESSION_NOT_FOUND`.
 */
export async function insertMessages(
  writer: Writer,
  { sessionId, owner, codec }: AppendPlace,
  messages: readonly Message[],
): Promise<void> {
  const count = messages.length;
  const counters = await writer
    .updateTable('session_counters')
    .set((expression) => ({ last_message_seq: expression('last_message_seq', '+', count) }))
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .returning(['last_message_seq', 'head_seq', 'message_count'])
    .executeTakeFirst();
  if (counters === undefined) throw sessionNotFound(sessionId);
  const firstSeq = counters.last_message_seq - count + 1;
  const rows = messages.map(
    (message, index): MessageRow => ({
      session_id: sessionId,
      seq: firstSeq + index,
      owner,
      id: message.id,
      turn_id: message.turnId,
      revision: STORAGE_REVISION,
      body: codec.encodeJson(message),
      parent_seq: index === 0 ? counters.head_seq : firstSeq + index - 1,
      depth: counters.message_count + index + 1,
    }),
  );
  await writer.insertInto('messages').values(rows).execute();
  await writer
    .updateTable('session_counters')
    .set({ head_seq: counters.last_message_seq, message_count: counters.message_count + count })
    .where('session_id', '=', sessionId)
    .execute();
  await addEdges(writer, { id: sessionId, owner }, messages.flatMap(edgesOfMessage));
}
