import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { AppError } from '../base/app-error.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { Database, Reader, Writer } from './database.ts';
import { databaseNowMs } from './database-now.ts';
import { currentProcessMark, hasProcessEnded, type ProcessMark } from './process-mark.ts';
import { parseLease } from './records.ts';
import { requireSession } from './session-repository.ts';
import { settleLeftTurns } from './settle-left-turns.ts';
import type { LeaseRow } from './tables.ts';

/** The right to write to one session, for as long as it is renewed. */
export interface SessionLease {
  readonly sessionId: string;
  /** Names the opened store that holds it. */
  readonly holder: string;
  /** Grows with every acquisition; every write of its turns is guarded by it. */
  readonly epoch: number;
}

/** Whoever holds a session now. */
export interface LeaseHolder {
  readonly sessionId: string;
  readonly pid: number;
  readonly host: string;
  readonly epoch: number;
}

/** A lease, and what its holder before left behind. */
export interface AcquiredLease {
  readonly lease: SessionLease;
  /** Turns that were running and are `interrupted` now, oldest first. */
  readonly interruptedTurnIds: readonly string[];
}

/** So long a lease lasts without being renewed: whoever takes over waits at most twice as long. */
export const LEASE_MS = 10_000;

/** How often a holder renews. */
export const LEASE_RENEWAL_MS = 3_000;

/**
 * The rule "one writer a session". A lease is a row that its holder renews; it runs out by the
 * database's clock, so that the clocks of processes do not matter. Each acquisition has a higher
 * epoch, and every write of a turn asks for its own (`guard-database.ts`): a holder that slept
 * through its lease can write nothing any more.
 *
 * Every method may throw `STORE_UNAVAILABLE` and `RECORD_INVALID`.
 */
export class SessionLeases {
  readonly #database: Database;
  readonly #owner: string;
  readonly #process: ProcessMark;
  readonly #holder: string;
  readonly #leaseMs: number;

  constructor(database: Database, owner: string, leaseMs: number = LEASE_MS) {
    this.#database = database;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
    this.#process = currentProcessMark();
    this.#holder = `${this.#process.pid}-${randomUUID()}`;
  }

  /**
   * Takes the session when nobody holds it: there is no lease, or it ran out, or its process has
   * certainly ended. What the holder before left running is settled in the same transaction. Fails
   * with who holds it, also where that is this store. Throws `SESSION_NOT_FOUND`.
   *
   * @param now ISO-8601: when what was left running counts as ended.
   */
  async acquire(sessionId: string, now: string): Promise<Result<AcquiredLease, LeaseHolder>> {
    return this.#database.write(async (writer) => {
      await requireSession(writer, { id: sessionId, owner: this.#owner });
      await this.#makeRow(writer, sessionId);
      const before = await this.#selectLease(writer, sessionId);
      if (before === undefined) throw new AppError('INTERNAL', 'a lease has no row');
      const holder = this.#livingHolder(before);
      if (holder !== undefined) return fail(holder);
      const epoch = before.epoch + 1;
      await writer
        .updateTable('session_leases')
        .set({
          holder: this.#holder,
          process: this.#database.codec.encodeJson(this.#process),
          epoch,
          lease_until: sql<number>`${databaseNowMs(this.#database.kind)} + ${this.#leaseMs}`,
        })
        .where('session_id', '=', sessionId)
        .execute();
      const interruptedTurnIds = await settleLeftTurns(writer, { sessionId, owner: this.#owner, now });
      return ok({ lease: { sessionId, holder: this.#holder, epoch }, interruptedTurnIds });
    });
  }

  /** `false` when the lease is lost: whatever runs under it has to end. */
  async renew({ sessionId, holder, epoch }: SessionLease): Promise<boolean> {
    return this.#database.write(async (writer) => {
      const renewed = await writer
        .updateTable('session_leases')
        .set({ lease_until: sql<number>`${databaseNowMs(this.#database.kind)} + ${this.#leaseMs}` })
        .where('session_id', '=', sessionId)
        .where('holder', '=', holder)
        .where('epoch', '=', epoch)
        .returning('epoch')
        .executeTakeFirst();
      return renewed !== undefined;
    });
  }

  /** Gives the session back at once; a lease that is lost already stays as it is. */
  async release({ sessionId, holder, epoch }: SessionLease): Promise<void> {
    await this.#database.write(async (writer) => {
      await writer
        .updateTable('session_leases')
        .set({ holder: '', lease_until: 0 })
        .where('session_id', '=', sessionId)
        .where('holder', '=', holder)
        .where('epoch', '=', epoch)
        .execute();
    });
  }

  /** Who holds the session now; absent when it is free. */
  async find(sessionId: string): Promise<LeaseHolder | undefined> {
    const row = await this.#database.read((reader) => this.#selectLease(reader, sessionId));
    return row === undefined ? undefined : this.#livingHolder(row);
  }

  /** Of two acquisitions at once the second waits here, and sees the first. */
  async #makeRow(writer: Writer, sessionId: string): Promise<void> {
    await writer
      .insertInto('session_leases')
      .values({
        session_id: sessionId,
        owner: this.#owner,
        holder: '',
        process: this.#database.codec.encodeJson(this.#process),
        epoch: 0,
        lease_until: 0,
      })
      .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ owner: this.#owner }))
      .execute();
  }

  #selectLease(reader: Reader, sessionId: string) {
    return reader
      .selectFrom('session_leases')
      .selectAll()
      .select(databaseNowMs(this.#database.kind).as('now_ms'))
      .where('session_id', '=', sessionId)
      .where('owner', '=', this.#owner)
      .executeTakeFirst();
  }

  #livingHolder(row: LeaseRow & { readonly now_ms: number }): LeaseHolder | undefined {
    const { process, ...lease } = parseLease(row, this.#database.codec);
    if (lease.holder === '' || lease.leaseUntilMs < row.now_ms) return undefined;
    if (hasProcessEnded(process, this.#process)) return undefined;
    return { sessionId: lease.sessionId, pid: process.pid, host: process.host, epoch: lease.epoch };
  }
}
