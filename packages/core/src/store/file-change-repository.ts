import type { FileChangeRecord } from '../content/file-change-record.ts';
import { addEdges } from './content-graph.ts';
import type { Database } from './database.ts';
import { lockSession } from './lock-session.ts';
import { parseFileChange } from './records.ts';

/**
 * What files were before the tools of a session changed them. Every writing method is one
 * transaction, durable when it resolves. Every method may throw `STORE_UNAVAILABLE`.
 */
export class FileChangeRepository {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /**
   * The change behind all others of its session, and the session's edge to the bytes of
   * `beforeDigest`, which are stored already. Throws `SESSION_NOT_FOUND`.
   */
  async note(change: Omit<FileChangeRecord, 'seq'>): Promise<void> {
    const { sessionId, turnId, beforeDigest } = change;
    await this.#database.write(async (writer) => {
      await lockSession(writer, { id: sessionId, owner: this.#owner });
      const newest = await writer
        .selectFrom('file_changes')
        .select('seq')
        .where('session_id', '=', sessionId)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      await writer
        .insertInto('file_changes')
        .values({
          session_id: sessionId,
          seq: (newest?.seq ?? 0) + 1,
          owner: this.#owner,
          turn_id: turnId,
          path: JSON.stringify(change.path),
          display_path: JSON.stringify(change.displayPath),
          before_digest: beforeDigest ?? null,
          after_digest: change.afterDigest,
          undone_at: null,
        })
        .execute();
      if (beforeDigest === undefined) return;
      const edge = { kind: 'file-change', sourceId: turnId, digest: beforeDigest } as const;
      await addEdges(writer, { id: sessionId, owner: this.#owner }, [edge]);
    });
  }

  /**
   * The changes of the session's newest turn that has any which are not settled, in their order;
   * empty when there is none. Only whoever holds the session's lease may act on it: a turn that runs
   * may be changing files just now. Throws `RECORD_INVALID`.
   */
  async lastUnsettled(sessionId: string): Promise<readonly FileChangeRecord[]> {
    return this.#database.read(async (reader) => {
      const unsettled = reader
        .selectFrom('file_changes')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where('owner', '=', this.#owner)
        .where('undone_at', 'is', null);
      const newest = await unsettled.orderBy('seq', 'desc').limit(1).executeTakeFirst();
      if (newest === undefined) return [];
      const rows = await unsettled.where('turn_id', '=', newest.turn_id).orderBy('seq').execute();
      return rows.map(parseFileChange);
    });
  }

  /** The change is taken back, or is to stay: it is not given again. */
  async settle({ sessionId, seq }: Pick<FileChangeRecord, 'sessionId' | 'seq'>, undoneAt: string): Promise<void> {
    await this.#database.write(async (writer) => {
      await writer
        .updateTable('file_changes')
        .set({ undone_at: undoneAt })
        .where('session_id', '=', sessionId)
        .where('seq', '=', seq)
        .where('owner', '=', this.#owner)
        .where('undone_at', 'is', null)
        .execute();
    });
  }
}
