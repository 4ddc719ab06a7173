import type { Kysely } from 'kysely';
import type { Codec, DatabaseKind } from '../codec.ts';
import type { Tables } from '../tables.ts';

/** One step from an older shape of the tables to the next. A released step is never changed. */
export interface Migration {
  /** The number of its file, from 1, without gaps. */
  readonly number: number;
  /** The storage revision after the step. */
  readonly revision: number;
  /** The oldest revisions whose builds may read and write the store after the step. */
  readonly minReader: number;
  readonly minWriter: number;
  /** Runs inside a transaction that also notes the step as done. */
  run(kysely: Kysely<Tables>, database: { readonly kind: DatabaseKind; readonly codec: Codec }): Promise<void>;
}
