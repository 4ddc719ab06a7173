import type { Message } from '../content/messages.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { Database, Reader } from './database.ts';
import { parseCourse } from './parse-course.ts';
import { parseTurn } from './records.ts';

/**
 * What became of turns, for those who follow them from another process. Every method may throw
 * `STORE_UNAVAILABLE`, `RECORD_INVALID`.
 */
export class TurnHistory {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  async find(turnId: string): Promise<TurnRecord | undefined> {
    const row = await this.#database.read((reader) =>
      this.#selectTurns(reader).where('id', '=', turnId).executeTakeFirst(),
    );
    return row === undefined ? undefined : parseTurn(row, this.#database.codec).record;
  }

  /** The turn of the session that began last. */
  async newest(sessionId: string): Promise<TurnRecord | undefined> {
    const row = await this.#database.read((reader) =>
      this.#selectTurns(reader)
        .where('session_id', '=', sessionId)
        .orderBy('started_at', 'desc')
        .orderBy('epoch', 'desc')
        .limit(1)
        .executeTakeFirst(),
    );
    return row === undefined ? undefined : parseTurn(row, this.#database.codec).record;
  }

  /** The turns of the session that began at that moment or later, in their order. `startedAt` is ISO-8601. */
  async since(sessionId: string, startedAt: string): Promise<readonly TurnRecord[]> {
    const rows = await this.#database.read((reader) =>
      this.#selectTurns(reader)
        .where('session_id', '=', sessionId)
        .where('started_at', '>=', startedAt)
        .orderBy('started_at')
        .orderBy('epoch')
        .execute(),
    );
    return rows.map((row) => parseTurn(row, this.#database.codec).record);
  }

  /** The messages of one turn, oldest first, whatever course the session is on. Throws `UNSUPPORTED_REVISION`. */
  async messagesOf({ id, sessionId }: Pick<TurnRecord, 'id' | 'sessionId'>): Promise<readonly Message[]> {
    const rows = await this.#database.read((reader) =>
      reader
        .selectFrom('messages')
        .select(['session_id', 'seq', 'id', 'turn_id', 'revision', 'body'])
        .where('session_id', '=', sessionId)
        .where('owner', '=', this.#owner)
        .where('turn_id', '=', id)
        .orderBy('seq', 'desc')
        .execute(),
    );
    return parseCourse(rows, this.#database.codec);
  }

  #selectTurns(reader: Reader) {
    return reader.selectFrom('turns').selectAll().where('owner', '=', this.#owner);
  }
}
