import { type Kysely, type Selectable, sql } from 'kysely';
import { AppError } from '../base/app-error.ts';
import type { Connection } from './connection.ts';
import type { Migration } from './migrations/migration.ts';
import type { SupportedStore } from './supported-store.ts';
import type { MetaTable, Tables } from './tables.ts';

/** What a build may do with a store, and how far the store's tables are. */
export interface StoreMeta {
  readonly access: 'write' | 'read';
  /** The number of migrations that the store has had; 0 when it is new. */
  readonly migration: number;
}

/**
 * The rule "which build may read and write a store". A store whose `min_reader` is above what this
 * build supports is refused; one whose `min_writer` alone is above it is for reading only. A store
 * that says that this build may write, and has had a migration that it does not know, contradicts
 * itself and is refused. Changes nothing. Throws `UNSUPPORTED_REVISION`, `RECORD_INVALID`.
 */
export async function readStoreMeta(
  { kind }: Pick<Connection, 'kind'>,
  kysely: Kysely<Tables>,
  supported: SupportedStore,
): Promise<StoreMeta> {
  if (!(await hasMeta(kysely, kind))) return { access: 'write', migration: 0 };
  const query = kysely.selectFrom('meta').selectAll().where('id', '=', 1);
  const meta = await query.executeTakeFirst();
  if (meta === undefined) throw new AppError('RECORD_INVALID', 'the row 1 of meta is missing');
  const access = meta.min_writer > supported.revision ? 'read' : 'write';
  const isUnknown = access === 'write' && meta.migration > supported.migrations.length;
  if (meta.min_reader > supported.revision || isUnknown) {
    throw newerStore(meta, supported, 'the store was written by a newer Fovea; nothing was changed');
  }
  return { access, migration: meta.migration };
}

/** Of a store that this build may not write. */
export async function newerWriter(kysely: Kysely<Tables>, supported: SupportedStore): Promise<AppError> {
  const meta = await kysely.selectFrom('meta').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  return newerStore(meta, supported, 'a newer Fovea upgraded the store: this one may read it and not write to it');
}

function newerStore(meta: Selectable<MetaTable>, supported: SupportedStore, message: string): AppError {
  return new AppError('UNSUPPORTED_REVISION', message, {
    data: {
      revision: meta.revision,
      minReader: meta.min_reader,
      minWriter: meta.min_writer,
      supportedRevision: supported.revision,
    },
  });
}

async function hasMeta(kysely: Kysely<Tables>, kind: Connection['kind']): Promise<boolean> {
  const query =
    kind === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = 'meta'`
      : // Not to_regclass: its cache may miss a table made while this transaction waited for the lock.
        sql`select 1 from pg_catalog.pg_tables where tablename = 'meta' and schemaname = current_schema()`;
  return (await query.execute(kysely)).rows.length > 0;
}

export async function createMeta(kysely: Kysely<Tables>): Promise<void> {
  await kysely.schema
    .createTable('meta')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('min_reader', 'integer', (column) => column.notNull())
    .addColumn('min_writer', 'integer', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('migration', 'integer', (column) => column.notNull())
    .execute();
  await kysely.insertInto('meta').values({ id: 1, min_reader: 1, min_writer: 1, revision: 1, migration: 0 }).execute();
}

export async function noteMigration(kysely: Kysely<Tables>, migration: Migration): Promise<void> {
  const { number, revision, minReader, minWriter } = migration;
  await kysely
    .updateTable('meta')
    .set({ min_reader: minReader, min_writer: minWriter, revision, migration: number })
    .where('id', '=', 1)
    .execute();
}
