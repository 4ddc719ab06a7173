import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../base/app-error.ts';
import { findNetworkMount } from './find-network-mount.ts';

/** Linux's list of what is mounted; elsewhere there is none, and nothing is refused. */
export const MOUNT_TABLE = '/proc/self/mountinfo';

/**
 * Refuses a home that several machines could open at once: their processes would not see each
 * other's locks, and would damage the database. Throws `STORE_UNAVAILABLE`.
 *
 * @param mountTable A file in the form of {@link MOUNT_TABLE}.
 */
export async function refuseNetworkHome(home: string, mountTable: string): Promise<void> {
  const table = await readFile(mountTable, 'utf8').catch(() => undefined);
  if (table === undefined) return;
  const mount = findNetworkMount(table, await realPathOf(resolve(home)));
  if (mount === undefined) return;
  throw new AppError(
    'STORE_UNAVAILABLE',
    `the home folder ${home} cannot be used: it lies on a network file system (${mount.kind}, mounted at ` +
      `${mount.mountPoint}), where processes do not see each other's locks; set FOVEA_HOME to a folder on a local disk`,
    { data: { home, ...mount } },
  );
}

/** Of a folder that may not exist yet: where it would be made. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), path.slice(parent.length));
  }
}
