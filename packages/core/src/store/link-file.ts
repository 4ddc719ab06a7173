import { link, rename, unlink } from 'node:fs/promises';
import { systemCode } from './store-error.ts';

/** Codes of file systems that have no hard links (exFAT, some network and FUSE file systems). */
const noHardLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/**
 * Gives a file another name as well, as long as nothing has that name: `taken` tells that something
 * has it. Where there are no hard links `no-links` tells that nothing was done. Rejects with the
 * system's error.
 */
export async function linkFile(from: string, to: string): Promise<'linked' | 'taken' | 'no-links'> {
  try {
    await link(from, to);
    return 'linked';
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return 'taken';
    if (noHardLinks.has(code)) return 'no-links';
    throw error;
  }
}

/** `false` when there was no such file. Rejects with the system's error. */
export async function moveFile(from: string, to: string): Promise<boolean> {
  return doesExist(() => rename(from, to));
}

/** `false` when there was no such file. Rejects with the system's error. */
export async function removeFile(path: string): Promise<boolean> {
  return doesExist(() => unlink(path));
}

async function doesExist(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
