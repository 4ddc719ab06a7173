import { type Kysely, sql } from 'kysely';
import { AppError } from '../base/app-error.ts';
import { codecOf, type DatabaseKind } from './codec.ts';
import type { Connection } from './connection.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { fileChanges } from './migrations/0002-file-changes.ts';
import { messageTree } from './migrations/0003-message-tree.ts';
import { leasesAndEvents } from './migrations/0004-leases-and-events.ts';
import { queue } from './migrations/0005-queue.ts';
import { planImages } from './migrations/0006-plan-images.ts';
import { expiringEdges } from './migrations/0007-expiring-edges.ts';
import type { Migration } from './migrations/migration.ts';
import { STORAGE_REVISION } from './records.ts';
import { toStoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** What one build can read and write; an older one in tests. */
export interface SupportedStore {
  readonly revision: number;
  /** In the order of their numbers. */
  readonly migrations: readonly Migration[];
}

const supportedStore: SupportedStore = {
  revision: STORAGE_REVISION,
  migrations: [firstTables, fileChanges, messageTree, leasesAndEvents, queue, planImages, expiringEdges],
};

/** Any number; the same one for every Fovea, so that two of them do not migrate at once. */
const POSTGRES_LOCK = 7_035_401;

/**
 * Refuses a store that is too new, before anything is changed, and then brings its tables up to
 * date. Throws `UNSUPPORTED_REVISION`, `STORE_UNAVAILABLE`, `RECORD_INVALID`.
 */
export async function migrate(connection: Connection, supported: SupportedStore = supportedStore): Promise<void> {
  const { kysely, kind } = connection;
  const { migrations } = supported;
  try {
    const done = await readMeta(kysely, { kind, supported });
    await connection.prepare();
    if (done === migrations.length) return;
    await kysely.transaction().execute(async (transaction) => {
      if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${POSTGRES_LOCK})`.execute(transaction);
      // Another process may have done it while this one waited for the lock.
      const already = await readMeta(transaction, { kind, supported });
      if (already === 0) await createMeta(transaction);
      for (const migration of migrations.slice(already)) {
        await migration.run(transaction, { kind, codec: codecOf(kind) });
        await noteMigration(transaction, migration);
      }
    });
  } catch (error) {
    throw toStoreError(error, `the database ${connection.place} cannot be opened`);
  }
}

/** The number of migrations that the store has had; 0 when it is new. */
async function readMeta(
  kysely: Kysely<Tables>,
  { kind, supported }: { readonly kind: DatabaseKind; readonly supported: SupportedStore },
): Promise<number> {
  if (!(await hasMeta(kysely, kind))) return 0;
  const meta = await kysely.selectFrom('meta').selectAll().where('id', '=', 1).executeTakeFirst();
  if (meta === undefined) throw new AppError('RECORD_INVALID', 'the row 1 of meta is missing');
  const needed = Math.max(meta.min_reader, meta.min_writer);
  if (needed > supported.revision || meta.migration > supported.migrations.length) {
    throw new AppError('UNSUPPORTED_REVISION', 'the store was written by a newer Fovea; nothing was changed', {
      data: {
        revision: meta.revision,
        minReader: meta.min_reader,
        minWriter: meta.min_writer,
        supportedRevision: supported.revision,
      },
    });
  }
  return meta.migration;
}

async function hasMeta(kysely: Kysely<Tables>, kind: DatabaseKind): Promise<boolean> {
  const query =
    kind === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = 'meta'`
      : // Not to_regclass: its cache may miss a table made while this transaction waited for the lock.
        sql`select 1 from pg_catalog.pg_tables where tablename = 'meta' and schemaname = current_schema()`;
  return (await query.execute(kysely)).rows.length > 0;
}

async function createMeta(kysely: Kysely<Tables>): Promise<void> {
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

async function noteMigration(kysely: Kysely<Tables>, migration: Migration): Promise<void> {
  const { number, revision, minReader, minWriter } = migration;
  await kysely
    .updateTable('meta')
    .set({ min_reader: minReader, min_writer: minWriter, revision, migration: number })
    .where('id', '=', 1)
    .execute();
}
