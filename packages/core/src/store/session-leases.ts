import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../base/app-error.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { Database, Reader, Writer } from './database.ts';
import { databaseNowMs } from './database-now.ts';
import { findHolder, type LeaseHolder, readLease } from './lease-holder.ts';
import { currentProcessMark, type ProcessMark } from './process-mark.ts';
import { requireSession } from './session-repository.ts';
import { settleLeftTurns } from './settle-left-turns.ts';

/** The right to write to one session, for as long as it is renewed. */
export interface SessionLease {
  readonly sessionId: string;
  /** Names the opened store that holds it. */
  readonly holder: string;
  /** Grows with every acquisition; every write of its turns is guarded by it. */
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

  /** @param leaseMs How long a lease lasts without being renewed. */
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
   * Looks first without a transaction: whoever waits for a session asks often and must not write.
   *
   * @param now ISO-8601: when what was left running counts as ended.
   */
  async acquire(sessionId: string, now: string): Promise<Result<AcquiredLease, LeaseHolder>> {
    const holder = await this.find(sessionId);
    if (holder !== undefined) return fail(holder);
    return this.#database.write(async (writer) => {
      await requireSession(writer, { id: sessionId, owner: this.#owner });
      await this.#lockRow(writer, sessionId);
      const before = await this.#read(writer, sessionId);
      if (before === undefined) throw new AppError('INTERNAL', `the lease of ${sessionId} has no row`);
      const faster = this.#findHolder(before);
      if (faster !== undefined) return fail(faster);
      const lease = { sessionId, holder: this.#holder, epoch: before.epoch + 1 };
      await writer
        .updateTable('session_leases')
        .set({
          holder: lease.holder,
          process: this.#database.codec.encodeJson(this.#process),
          epoch: lease.epoch,
          lease_until: this.#leaseEnd(),
        })
        .where('session_id', '=', sessionId)
        .execute();
      const interruptedTurnIds = await settleLeftTurns(writer, { sessionId, owner: this.#owner, now });
      return ok({ lease, interruptedTurnIds });
    });
  }

  /** `false` when the lease is lost: whatever runs under it has to end. */
  async renew(lease: SessionLease): Promise<boolean> {
    return this.#database.write((writer) => changeLease(writer, lease, { lease_until: this.#leaseEnd() }));
  }

  /** Gives the session back at once; a lease that is lost already stays as it is. */
  async release(lease: SessionLease): Promise<void> {
    await this.#database.write((writer) => changeLease(writer, lease, { holder: '', lease_until: 0 }));
  }

  /** Who holds the session now; absent when it is free. */
  async find(sessionId: string): Promise<LeaseHolder | undefined> {
    const row = await this.#database.read((reader) => this.#read(reader, sessionId));
    return row === undefined ? undefined : this.#findHolder(row);
  }

  #leaseEnd(): RawBuilder<number> {
    return sql<number>`${databaseNowMs(this.#database.kind)} + ${this.#leaseMs}`;
  }

  #read(reader: Reader, sessionId: string) {
    return readLease(reader, { sessionId, owner: this.#owner, kind: this.#database.kind });
  }

  #findHolder(row: Parameters<typeof findHolder>[0]): LeaseHolder | undefined {
    return findHolder(row, { codec: this.#database.codec, own: this.#process });
  }

  /** Makes the row or writes it as it is: of two acquisitions at once the second waits here, and sees the first. */
  async #lockRow(writer: Writer, sessionId: string): Promise<void> {
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
}

/** Changes a lease in the caller's transaction if it is still held; `false`, and nothing changed, if it is lost. */
export async function changeLease(
  writer: Writer,
  { sessionId, holder, epoch }: SessionLease,
  changes: { readonly holder?: string; readonly epoch?: number; readonly lease_until?: number | RawBuilder<number> },
): Promise<boolean> {
  const changed = await writer
    .updateTable('session_leases')
    .set(changes)
    .where('session_id', '=', sessionId)
    .where('holder', '=', holder)
    .where('epoch', '=', epoch)
    .returning('session_id')
    .executeTakeFirst();
  return changed !== undefined;
}
