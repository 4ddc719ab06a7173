import { sql } from 'kysely';
import type { SequencedEvent } from '../content/events.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { Database, Writer } from './database.ts';
import { parseEventRow, parseSnapshotRow, type StoredSnapshot } from './event-rows.ts';

/** What the running turn told, as it stands at one moment; both in the order of `seq`. */
export interface StoredEvents {
  readonly events: readonly SequencedEvent[];
  readonly snapshots: readonly StoredSnapshot[];
}

/**
 * What a running turn tells, for those who follow it from another process. Its rows are gone when
 * the turn ends: the messages are the history. Every method may throw `STORE_UNAVAILABLE`.
 */
export class EventRepository {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /** One transaction: the events, and the newest state of the running step in place of the one before. */
  async append(
    { id: turnId, sessionId }: Pick<TurnRecord, 'id' | 'sessionId'>,
    {
      events,
      snapshot,
    }: { readonly events: readonly SequencedEvent[]; readonly snapshot?: Omit<StoredSnapshot, 'turnId'> },
  ): Promise<void> {
    if (events.length === 0 && snapshot === undefined) return;
    const { codec } = this.#database;
    const common = { session_id: sessionId, owner: this.#owner, turn_id: turnId };
    await this.#database.write(async (writer) => {
      for (const { seq, event } of events) {
        await writer
          .insertInto('session_events')
          .values({ ...common, seq, body: codec.encodeJson(event) })
          .execute();
      }
      if (snapshot === undefined) return;
      const { step, seq, text, thinking } = snapshot;
      const body = codec.encodeJson({ text, thinking });
      await writer
        .insertInto('step_snapshots')
        .values({ ...common, step, seq, body })
        .onConflict((conflict) => conflict.columns(['session_id', 'turn_id', 'step']).doUpdateSet({ seq, body }))
        .execute();
    });
  }

  /**
   * What was told behind `seq`, and the snapshots that hold more than was told until then; all of it
   * as one transaction left it. Throws `RECORD_INVALID`.
   */
  async readAfter(sessionId: string, seq: number): Promise<StoredEvents> {
    const { codec } = this.#database;
    // One statement: between two of them a turn may go on, and its words would be given twice.
    const rows = await this.#database.read((reader) =>
      reader
        .selectFrom('session_events')
        .select(['session_id', 'seq', 'turn_id', 'body', sql<number | null>`cast(null as integer)`.as('step')])
        .where('session_id', '=', sessionId)
        .where('owner', '=', this.#owner)
        .where('seq', '>', seq)
        .unionAll(
          reader
            .selectFrom('step_snapshots')
            .select(['session_id', 'seq', 'turn_id', 'body', sql<number | null>`step`.as('step')])
            .where('session_id', '=', sessionId)
            .where('owner', '=', this.#owner)
            .where('seq', '>', seq),
        )
        .orderBy('seq')
        .execute(),
    );
    return {
      events: rows.flatMap((row) => (row.step === null ? [parseEventRow(row, codec)] : [])),
      snapshots: rows.flatMap(({ step, ...row }) => (step === null ? [] : [parseSnapshotRow({ ...row, step }, codec)])),
    };
  }

  /**
   * A number that differs from the one before when another process has written to the database
   * meanwhile: whoever looks often reads no row for it. `undefined` where the database has none.
   * Source: SQLite manual, "PRAGMA data_version".
   */
  async changeMark(): Promise<number | undefined> {
    if (this.#database.kind !== 'sqlite') return undefined;
    const mark = await this.#database.read((reader) =>
      reader
        .selectFrom(sql<{ readonly data_version: number }>`pragma_data_version`.as('mark'))
        .select('data_version')
        .executeTakeFirst(),
    );
    return mark?.data_version;
  }
}

/** Deletes what a turn of the session told; without `turnId` what any of them did. */
export async function deleteEvents(
  writer: Writer,
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId?: string },
): Promise<void> {
  for (const table of ['session_events', 'step_snapshots'] as const) {
    const ofSession = writer.deleteFrom(table).where('session_id', '=', sessionId);
    await (turnId === undefined ? ofSession : ofSession.where('turn_id', '=', turnId)).execute();
  }
}
