import { type Kysely, sql } from 'kysely';
import type { CopyName } from './connection.ts';
import { toStoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/**
 * A copy of every table in a schema `fovea_backup_<migration>_<time>` of the same database. It is
 * part of the transaction that upgrades: whoever sees the new tables sees the copy. Throws
 * `STORE_UNAVAILABLE`.
 */
export async function copyPostgres(
  transaction: Kysely<Tables>,
  { place, migration, at }: CopyName & { readonly place: string },
): Promise<void> {
  const schema = `fovea_backup_${migration}_${at.toLowerCase()}`;
  try {
    const tables = await sql<{ schemaname: string; tablename: string }>`
      select schemaname, tablename from pg_catalog.pg_tables where schemaname = current_schema() order by tablename
    `.execute(transaction);
    const names = tables.rows.map((row) => sql.table(`${row.schemaname}.${row.tablename}`));
    // Older builds write without a look at the row of meta.
    await sql`lock table ${sql.join(names)} in exclusive mode`.execute(transaction);
    await sql`create schema ${sql.id(schema)}`.execute(transaction);
    for (const { schemaname, tablename } of tables.rows) {
      const copy = sql.table(`${schema}.${tablename}`);
      await sql`create table ${copy} as table ${sql.table(`${schemaname}.${tablename}`)}`.execute(transaction);
    }
  } catch (error) {
    throw toStoreError(
      error,
      `the database ${place} is not upgraded, because no copy of it can be made as schema ${schema}`,
    );
  }
}
