import { connectSqlite } from '../store/connect-sqlite.ts';
import type { Connection } from '../store/connection.ts';

/**
 * Works on the tables of a store's SQLite file itself, for rows as another build would have written
 * them. Close the store first.
 */
export async function withStoreDatabase<Value>(
  path: string,
  work: (kysely: Connection['kysely']) => Promise<Value>,
): Promise<Value> {
  const connection = await connectSqlite(path);
  try {
    return await work(connection.kysely);
  } finally {
    await connection.close();
  }
}
