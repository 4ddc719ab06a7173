import type { Kysely, Transaction } from 'kysely';
import type { AppError } from '../base/app-error.ts';
import { type Codec, codecOf, type DatabaseKind } from './codec.ts';
import type { Connection } from './connection.ts';
import { requireSameTables } from './require-same-tables.ts';
import { toStoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** Where records are kept. */
export type DatabaseTarget =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly connectionString: string };

/** Queries without writes. Its type has no way to write outside a transaction. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'withRecursive'>;

/** Queries of one transaction. */
export type Writer = Transaction<Tables>;

/**
 * An open database. Failures of either database surface as `STORE_UNAVAILABLE`.
 *
 * Neither callback may await anything but its own queries, or call `read` or `write` again: SQLite
 * has one connection, and other processes wait for the lock.
 */
export interface Database {
  readonly kind: DatabaseKind;
  readonly codec: Codec;
  read<Value>(work: (reader: Reader) => Promise<Value>): Promise<Value>;
  /** One transaction; durable when it resolves, without any effect when it rejects. */
  write<Value>(work: (writer: Writer) => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

/** The driver of either database is loaded only when it is needed. Throws `STORE_UNAVAILABLE`. */
export async function connect(target: DatabaseTarget, { isReadOnly = false } = {}): Promise<Connection> {
  if (target.kind === 'sqlite') {
    const { connectSqlite } = await import('./connect-sqlite.ts');
    return explain(() => connectSqlite(target.path, { isReadOnly }), `the database ${target.path} cannot be opened`);
  }
  const { connectPostgres, placeOf } = await import('./connect-postgres.ts');
  const { connectionString } = target;
  return explain(() => connectPostgres(connectionString), `the database ${placeOf(connectionString)} cannot be opened`);
}

/** How an open database is used. */
export interface DatabaseUse {
  /** With how many migrations it was opened; a write finds as many, or throws `UNSUPPORTED_REVISION`. */
  readonly migration?: number;
  /** Absent: what this build supports. */
  readonly supportedRevision?: number;
  /** Why nothing can be written: every write throws it. Absent: it can. */
  readonly writeRefusal?: AppError;
}

/** The database of a connection whose revision was checked. */
export function createDatabase(connection: Connection, use: DatabaseUse = {}): Database {
  const { kind, kysely, place } = connection;
  const { migration, supportedRevision, writeRefusal } = use;
  return {
    kind,
    codec: { ...codecOf(kind), ...(supportedRevision !== undefined && { supportedRevision }) },
    read: (work) => explain(() => work(kysely), `the database ${place} cannot be read`),
    async write(work) {
      if (writeRefusal !== undefined) throw writeRefusal;
      return explain(
        () =>
          kysely.transaction().execute(async (writer) => {
            if (migration !== undefined) await requireSameTables(writer, { kind, migration });
            return work(writer);
          }),
        `the database ${place} cannot be written`,
      );
    },
    close: () => connection.close(),
  };
}

async function explain<Value>(work: () => Promise<Value>, operation: string): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error, operation);
  }
}
