import { AppError } from '../base/app-error.ts';
import { type Message, toolCallsOf } from '../content/messages.ts';
import type { Database } from './database.ts';
import { goBackTo } from './go-back-before.ts';
import { lockIdleSession } from './lock-session.ts';
import { parseMessageRow } from './records.ts';
import { requireMessage } from './require-message.ts';

/**
 * What only whoever holds a session may do to it as a whole. Every method is one transaction, and
 * throws `LEASE_LOST`, `SESSION_NOT_FOUND`, `SESSION_BUSY` while a turn of the session runs,
 * `STORE_UNAVAILABLE`.
 */
export class HeldSession {
  readonly #database: Database;
  readonly #id: string;
  readonly #owner: string;

  /** @param database Guarded by the session's lease. */
  constructor(database: Database, { id, owner }: { readonly id: string; readonly owner: string }) {
    this.#database = database;
    this.#id = id;
    this.#owner = owner;
  }

  /**
   * The session goes on behind a complete answer; without `messageId`, from its beginning. What came
   * after it stays as another course, with its pictures. Throws `NOT_FOUND` when the session has no
   * such message, `USAGE` when the message is no complete answer: a conversation cannot go on from
   * the middle of a turn.
   */
  async rewind(messageId?: string): Promise<void> {
    const name = { sessionId: this.#id, owner: this.#owner };
    await this.#database.write(async (writer) => {
      await lockIdleSession(writer, { id: this.#id, owner: this.#owner });
      if (messageId === undefined) {
        await writer
          .updateTable('session_counters')
          .set({ head_seq: null, message_count: 0 })
          .where('session_id', '=', this.#id)
          .execute();
        return;
      }
      const row = await requireMessage(writer, { ...name, messageId });
      if (!isCompleteAnswer(parseMessageRow(row, this.#database.codec))) throw notAnAnswer(this.#id, messageId);
      await goBackTo(writer, { ...name, messageId });
    });
  }

  /**
   * The session with everything that belongs to it, its lease included. Bytes that only it held stay
   * until garbage is collected; records of other sessions are not touched.
   */
  async delete(): Promise<void> {
    await this.#database.write(async (writer) => {
      await lockIdleSession(writer, { id: this.#id, owner: this.#owner });
      await writer.deleteFrom('sessions').where('id', '=', this.#id).where('owner', '=', this.#owner).execute();
    });
  }
}

function isCompleteAnswer(message: Message): boolean {
  return message.role === 'assistant' && toolCallsOf(message).length === 0;
}

function notAnAnswer(sessionId: string, messageId: string): AppError {
  return new AppError(
    'USAGE',
    `the session ${sessionId} cannot go back to ${messageId}: it is in the middle of a turn; name the answer that ends one`,
    { data: { sessionId, messageId } },
  );
}
