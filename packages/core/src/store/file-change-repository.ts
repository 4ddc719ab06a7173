import type { FileChangeRecord } from '../content/file-change-record.ts';
import { addEdges } from './content-graph.ts';
import type { Database, Writer } from './database.ts';
import { currentProcessMark, type ProcessMark } from './process-mark.ts';
import { parseFileChange } from './records.ts';
import { findAbandonedTurns } from './running-turns.ts';
import { sessionNotFound } from './session-repository.ts';

/**
 * What files were before the tools of a session changed them. Every writing method is one
 * transaction, durable when it resolves. Every method may throw `STORE_UNAVAILABLE`.
 */
export class FileChangeRepository {
  readonly #database: Database;
  readonly #owner: string;
  readonly #process: ProcessMark;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
    this.#process = currentProcessMark();
  }

  /**
   * The change behind all others of its session, and the session's edge to the bytes of
   * `beforeDigest`, which are stored already. Throws `SESSION_NOT_FOUND`.
   */
  async note(change: Omit<FileChangeRecord, 'seq'>): Promise<void> {
    const { sessionId, turnId, beforeDigest } = change;
    await this.#database.write(async (writer) => {
      await this.#lockSession(writer, sessionId);
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
   * empty when there is none. Throws `SESSION_BUSY` while a process runs a turn of the session,
   * which may be changing files just now, and `RECORD_INVALID`.
   *
   * @param now ISO-8601.
   */
  async lastUnsettled(sessionId: string, now: string): Promise<readonly FileChangeRecord[]> {
    const { codec } = this.#database;
    return this.#database.read(async (reader) => {
      await findAbandonedTurns(reader, { sessionId, owner: this.#owner, codec, process: this.#process, now });
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

  /** Of two changes noted at once the second sees the first one's number. */
  async #lockSession(writer: Writer, sessionId: string): Promise<void> {
    const locked = await writer
      .updateTable('session_counters')
      .set((expression) => ({ last_message_seq: expression.ref('last_message_seq') }))
      .where('session_id', '=', sessionId)
      .where('owner', '=', this.#owner)
      .returning('session_id')
      .executeTakeFirst();
    if (locked === undefined) throw sessionNotFound(sessionId);
  }
}
