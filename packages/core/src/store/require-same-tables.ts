import type { Transaction } from 'kysely';
import { AppError } from '../base/app-error.ts';
import type { DatabaseKind } from './codec.ts';
import type { Tables } from './tables.ts';

/**
 * Makes sure, inside a transaction that writes, that the tables are still those with which the store
 * was opened: another process may have upgraded it since. No migration runs until the transaction
 * has ended. Throws `UNSUPPORTED_REVISION`.
 */
export async function requireSameTables(
  writer: Transaction<Tables>,
  { kind, migration }: { readonly kind: DatabaseKind; readonly migration: number },
): Promise<void> {
  const query = writer.selectFrom('meta').select('migration').where('id', '=', 1);
  // A migration locks the row before anything else; SQLite has one writer at a time anyway.
  const meta = await (kind === 'postgres' ? query.forShare() : query).executeTakeFirst();
  if (meta?.migration === migration) return;
  throw new AppError(
    'UNSUPPORTED_REVISION',
    'a newer Fovea has upgraded the store while this one was running; nothing was written: start this one anew',
    { data: { openedWithMigration: migration, ...(meta && { migration: meta.migration }) } },
  );
}
