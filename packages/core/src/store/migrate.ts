import { type Kysely, sql } from 'kysely';
import { codecOf } from './codec.ts';
import type { Connection } from './connection.ts';
import { databaseNowMs } from './database-now.ts';
import { refuseBesideOlder } from './refuse-beside-older.ts';
import { toStoreError } from './store-error.ts';
import { createMeta, newerWriter, noteMigration, readStoreMeta } from './store-meta.ts';
import { type SupportedStore, supportedStore } from './supported-store.ts';
import type { Tables } from './tables.ts';

/** Any number; the same one for every Fovea, so that two of them do not migrate at once. */
const POSTGRES_LOCK = 7_035_401;

/**
 * Refuses a store that this build may not write, before anything is changed, and then brings its
 * tables up to date. Before the tables of a store that is not new are changed, everything in it is
 * copied, in the same transaction: where no copy can be made, nothing is changed. Of several
 * processes at once one migrates, and the others find it done.
 *
 * Throws `UNSUPPORTED_REVISION`, `STORE_UNAVAILABLE`, `RECORD_INVALID`.
 */
export async function migrate(connection: Connection, supported: SupportedStore = supportedStore): Promise<void> {
  const { kysely, kind } = connection;
  try {
    const { migration: done } = await requireWritable(connection, kysely, supported);
    await connection.prepare();
    if (done === supported.migrations.length) return;
    await kysely.transaction().execute(async (transaction) => {
      if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${POSTGRES_LOCK})`.execute(transaction);
      // Another process may have done it while this one waited for the lock.
      const { migration: already } = await requireWritable(connection, transaction, supported);
      if (already === supported.migrations.length) return;
      if (already === 0) await createMeta(transaction);
      else if (connection.isPrivate !== true) await prepareUpgrade(transaction, connection, already);
      for (const migration of supported.migrations.slice(already)) {
        await migration.run(transaction, { kind, codec: codecOf(kind) });
        await noteMigration(transaction, migration);
      }
    });
  } catch (error) {
    throw toStoreError(error, `the database ${connection.place} cannot be opened`);
  }
}

async function requireWritable(connection: Connection, kysely: Kysely<Tables>, supported: SupportedStore) {
  const meta = await readStoreMeta(connection, kysely, supported);
  if (meta.access === 'read') throw await newerWriter(kysely, supported);
  return meta;
}

async function prepareUpgrade(transaction: Kysely<Tables>, connection: Connection, already: number): Promise<void> {
  const { kind } = connection;
  // Writes of other processes end first, and those that come wait: see `require-same-tables.ts`.
  await transaction.updateTable('meta').set({ id: 1 }).where('id', '=', 1).execute();
  await refuseBesideOlder(transaction, { kind, migration: already });
  const now = await sql<{ now_ms: number }>`select ${databaseNowMs(kind)} as now_ms`.execute(transaction);
  const at = new Date(now.rows[0]?.now_ms ?? 0).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  await connection.copyBeforeUpgrade(transaction, { migration: already + 1, at });
}
