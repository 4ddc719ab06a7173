import type { Database } from './database.ts';
import { sessionNotFound } from './session-repository.ts';

/** The approvals that sessions of one owner remember. Every method may throw `STORE_UNAVAILABLE`. */
export class ApprovalRepository {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /** `key` names the tool and exactly what its call does. */
  async isRemembered(sessionId: string, key: string): Promise<boolean> {
    const row = await this.#database.read((reader) =>
      reader
        .selectFrom('approvals')
        .select('key')
        .where('session_id', '=', sessionId)
        .where('key', '=', key)
        .where('owner', '=', this.#owner)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  /** Durable when it resolves; one that is there already stays. Throws `SESSION_NOT_FOUND`. */
  async remember(sessionId: string, key: string): Promise<void> {
    await this.#database.write(async (writer) => {
      const session = await writer
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', sessionId)
        .where('owner', '=', this.#owner)
        .executeTakeFirst();
      if (session === undefined) throw sessionNotFound(sessionId);
      await writer
        .insertInto('approvals')
        .values({ session_id: sessionId, key, owner: this.#owner })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    });
  }
}
