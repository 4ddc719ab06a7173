import { lstat } from 'node:fs/promises';
import { systemErrorCode } from './system-error.ts';

/** Whether something has this name, a link without a target included. Throws what the system says otherwise. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}
