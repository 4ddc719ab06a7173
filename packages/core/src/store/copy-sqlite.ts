import { open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Libsql from 'libsql';
import type { CopyName } from './connection.ts';
import { makeFolder } from './make-folder.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { toStoreError } from './store-error.ts';
import { syncFolder } from './sync-folder.ts';

/** Beside the database file: copies that were made before upgrades. */
const COPIES_FOLDER = 'backups';

/**
 * A whole copy of an SQLite database `backups/fovea-before-<migration>-<time>.db` beside it, for its
 * user alone. Reads through a connection of its own, which sees what is committed while another one
 * holds the write lock. Throws `STORE_UNAVAILABLE`; what was begun is removed then.
 */
export async function copySqlite(path: string, { migration, at }: CopyName): Promise<void> {
  const folder = join(dirname(path), COPIES_FOLDER);
  const copy = join(folder, `fovea-before-${migration}-${at}.db`);
  // Who restores by hand must not take what a killed process left for a whole copy.
  const unfinished = `${copy}.unfinished`;
  try {
    await makeFolder(folder);
    // SQLite fills an empty file; one that it made itself others could read.
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await retryWhileBusy(() => copyInto(path, unfinished));
      await file.sync();
      await rename(unfinished, copy);
    } catch (error) {
      await unlink(unfinished).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
    await syncFolder(folder);
    await syncFolder(dirname(folder));
  } catch (error) {
    throw toStoreError(error, notUpgraded(path));
  }
}

/** The operation that fails where there is no copy. */
export function notUpgraded(path: string): string {
  const folder = join(dirname(path), COPIES_FOLDER);
  return `the database ${path} is not upgraded, because no copy of it can be made in ${folder}`;
}

function copyInto(path: string, copy: string): void {
  const database = new Libsql(path);
  try {
    database.exec(`vacuum into '${copy.replaceAll("'", "''")}'`);
  } finally {
    database.close();
  }
}
