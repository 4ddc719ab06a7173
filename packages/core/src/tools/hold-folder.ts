import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { systemErrorCode } from '../attachments/system-error.ts';

/** A folder that is open, so that what is done in it is done there, whatever takes its name meanwhile. */
export interface HeldFolder {
  /**
   * Where names in the folder are looked up: through the open handle on Linux. Elsewhere the
   * folder's own path, and `isInPlace` asked afterwards tells whether it was that folder.
   */
  readonly path: string;
  /** Whether the folder still has the path that it was opened by. */
  isInPlace(): Promise<boolean>;
  /** Makes new and changed names durable, where the system can. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a folder by a path that is free of links; undefined where it is no such folder (any more).
 * Throws the system's error for everything else.
 */
export async function holdFolder(realPath: string): Promise<HeldFolder | undefined> {
  // Windows cannot open folders, and has no such flags.
  if (process.platform === 'win32') return holdByName(realPath);
  let handle: FileHandle;
  try {
    handle = await open(realPath, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  const handlePath = `/proc/self/fd/${handle.fd}`;
  const told = process.platform === 'linux' ? await readlink(handlePath).catch(() => undefined) : undefined;
  const isInPlace = async (): Promise<boolean> => {
    if (told !== undefined) return (await readlink(handlePath).catch(() => undefined)) === realPath;
    const named = await lstat(realPath, { bigint: true }).catch(() => undefined);
    const opened = await handle.stat({ bigint: true });
    return named !== undefined && named.dev === opened.dev && named.ino === opened.ino;
  };
  if (!(await isInPlace())) {
    await handle.close();
    return undefined;
  }
  return {
    path: told === undefined ? realPath : handlePath,
    isInPlace,
    sync: () => syncWherePossible(handle),
    close: () => handle.close(),
  };
}

/** Some file systems sync no folder. Source: fsync(2), `EINVAL` and `EROFS`. */
async function syncWherePossible(handle: FileHandle): Promise<void> {
  await handle.sync().catch((error: unknown) => {
    if (!['EINVAL', 'EROFS', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemErrorCode(error))) throw error;
  });
}

async function holdByName(realPath: string): Promise<HeldFolder | undefined> {
  const isInPlace = async (): Promise<boolean> => {
    const stats = await lstat(realPath).catch(() => undefined);
    return stats?.isDirectory() === true;
  };
  if (!(await isInPlace())) return undefined;
  return { path: realPath, isInPlace, sync: async () => {}, close: async () => {} };
}

function isGone(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'EMLINK';
}
