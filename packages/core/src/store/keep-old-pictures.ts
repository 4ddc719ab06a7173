import type { Digest } from '../base/ids.ts';
import { addEdges, type ContentEdge } from './content-graph.ts';
import type { Database, Reader } from './database.ts';
import { requireSession } from './session-repository.ts';

/** Stored bytes, and the old message that held them itself. */
export interface KeptPicture {
  readonly messageId: string;
  readonly digest: Digest;
}

interface SessionName {
  readonly id: string;
  readonly owner: string;
}

/**
 * Edges from old messages to the bytes of their pictures, which were stored when a turn needed them.
 * Looks first, and writes nothing where they are there already. Throws `SESSION_NOT_FOUND`.
 */
export async function keepOldPictures(
  database: Database,
  session: SessionName,
  pictures: readonly KeptPicture[],
): Promise<void> {
  const missing: ContentEdge[] = [];
  await database.read(async (reader) => {
    for (const { messageId, digest } of pictures) {
      const edge = { kind: 'message', sourceId: messageId, digest } as const;
      if (!(await hasEdge(reader, session, edge))) missing.push(edge);
    }
  });
  if (missing.length === 0) return;
  await database.write(async (writer) => {
    await requireSession(writer, session);
    await addEdges(writer, session, missing);
  });
}

async function hasEdge(reader: Reader, { id, owner }: SessionName, edge: ContentEdge): Promise<boolean> {
  const row = await reader
    .selectFrom('content_edges')
    .select('digest')
    .where('session_id', '=', id)
    .where('owner', '=', owner)
    .where('kind', '=', edge.kind)
    .where('source_id', '=', edge.sourceId)
    .where('digest', '=', edge.digest)
    .executeTakeFirst();
  return row !== undefined;
}
