import { sql } from 'kysely';
import { withStoreDatabase } from './with-store-database.ts';

/** One statement past the repositories, on a store's SQLite file, beside whoever has it open. */
export async function runStoreStatement(path: string, statement: string): Promise<void> {
  await withStoreDatabase(path, async (kysely) => {
    await sql.raw(statement).execute(kysely);
  });
}
