import { chmod, copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../base/app-error.ts';
import type { Connection } from './connection.ts';
import { connect } from './database.ts';
import { migrate } from './migrate.ts';
import { systemCode } from './store-error.ts';
import type { SupportedStore } from './supported-store.ts';

/** The database, and what was committed and is not yet in it. */
const SUFFIXES = ['', '-wal'] as const;
const ATTEMPTS = 5;

/**
 * An SQLite database that cannot be opened where it is, as a copy in a temporary folder that is
 * removed when the connection is closed: SQLite makes a file beside a database even to read it, and
 * older tables have to be upgraded before they can be read. Rejects when it cannot be copied.
 */
export async function openPrivateCopy(path: string, supported: SupportedStore): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-read-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'fovea.db');
    await copyUnchanged(path, copy);
    const opened = await connect({ kind: 'sqlite', path: copy });
    const connection: Connection = {
      ...opened,
      place: path,
      isPrivate: true,
      async close() {
        await opened.close();
        await remove();
      },
    };
    await migrate(connection, supported).catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
    return connection;
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Both files as they were at one moment, also while another process writes. */
async function copyUnchanged(path: string, copy: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await factsOf(path);
    for (const suffix of SUFFIXES) await copyIfThere(`${path}${suffix}`, `${copy}${suffix}`);
    if ((await factsOf(path)) === before) return;
  }
  throw new AppError('STORE_UNAVAILABLE', 'it changes faster than it can be copied');
}

async function factsOf(path: string): Promise<string> {
  const facts = await Promise.all(SUFFIXES.map((suffix) => stat(`${path}${suffix}`).catch(() => undefined)));
  return facts.map((fact) => `${fact?.size} ${fact?.mtimeMs} ${fact?.ino}`).join('/');
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await rm(to, { force: true });
    await copyFile(from, to);
    // It has the mode of a file that may not be written.
    await chmod(to, 0o600);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || !from.endsWith('-wal')) throw error;
  }
}
