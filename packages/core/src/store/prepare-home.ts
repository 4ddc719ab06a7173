import { constants } from 'node:fs';
import { access, chmod, open, stat } from 'node:fs/promises';
import { AppError } from '../base/app-error.ts';
import type { Logger } from '../base/logger.ts';
import type { DatabaseTarget } from './database.ts';
import { makeFolder } from './make-folder.ts';
import { systemCode, toStoreError } from './store-error.ts';

/** Makes the home and the file of its database where they are missing. Throws `STORE_UNAVAILABLE`. */
export async function prepareHome(home: string, target: DatabaseTarget): Promise<void> {
  try {
    await makeFolder(home);
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw toStoreError(error, `the home folder ${home} cannot be used`);
  }
  if (target.kind === 'sqlite') await prepareFile(target.path);
}

async function prepareFile(path: string): Promise<void> {
  const operation = `the database ${path} cannot be opened`;
  try {
    await createPrivately(path);
    const facts = await stat(path);
    if (!facts.isFile()) {
      const kind = facts.isDirectory() ? 'a folder' : 'a pipe, device or socket';
      throw new AppError('STORE_UNAVAILABLE', `${operation}: it is ${kind}; move it away`, { data: { operation } });
    }
    // SQLite opens a read-only file without complaint and fails at the first write.
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw toStoreError(error, operation);
  }
}

/** An empty file is a valid database; libsql would make one that others can read. */
async function createPrivately(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** Best effort: some file systems know no modes, and the file may belong to another user who shares it. */
export async function restrictFile(path: string, logger: Logger): Promise<void> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) await chmod(path, 0o600);
  } catch (error) {
    logger.warn('store-file-open-to-others', { path, systemCode: systemCode(error) });
  }
}
