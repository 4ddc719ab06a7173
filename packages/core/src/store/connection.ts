import type { Kysely } from 'kysely';
import type { DatabaseKind } from './codec.ts';
import type { Tables } from './tables.ts';

/** A connection before its records were checked and migrated. */
export interface Connection {
  readonly kind: DatabaseKind;
  /** Names the database in errors: a path, or host and name; never a password. */
  readonly place: string;
  readonly kysely: Kysely<Tables>;
  /** Settings that may change the file; called after its revision was checked. */
  prepare(): Promise<void>;
  close(): Promise<void>;
}
