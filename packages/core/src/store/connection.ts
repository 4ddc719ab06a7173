import type { Kysely } from 'kysely';
import type { DatabaseKind } from './codec.ts';
import type { Tables } from './tables.ts';

/** What a copy is named by. */
export interface CopyName {
  /** The first migration that the copy has not had. */
  readonly migration: number;
  /** UTC, `20261201T012345Z`. */
  readonly at: string;
}

/** A connection before its records were checked and migrated. */
export interface Connection {
  readonly kind: DatabaseKind;
  /** Names the database in errors: a path, or host and name; never a password. */
  readonly place: string;
  readonly kysely: Kysely<Tables>;
  /** Nobody else has the database, and it is gone when it is closed: an upgrade of it needs no care. */
  readonly isPrivate?: true;
  /** Settings that may change the file; called after its revision was checked. */
  prepare(): Promise<void>;
  /**
   * Copies everything while `transaction`, which keeps others from writing, is open. Whole and
   * durable at the latest when the transaction is. Throws `STORE_UNAVAILABLE` and leaves nothing.
   */
  copyBeforeUpgrade(transaction: Kysely<Tables>, name: CopyName): Promise<void>;
  close(): Promise<void>;
  /** In place of `close`, where nothing of the files may change: not even the log may be moved into the database. */
  abandon(): Promise<void>;
}
