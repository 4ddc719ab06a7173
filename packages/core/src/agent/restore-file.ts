import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode } from '../attachments/system-error.ts';
import type { Digest } from '../base/ids.ts';
import { MIB } from '../base/units.ts';
import { digestOf } from '../media/digest.ts';

/** More than a tool writes: a file of this size is not the one that it left. */
const LARGEST_FILE_BYTES = 64 * MIB;

/** What stands at a path. `other`: a link, a folder, a device, or more than any tool has written. */
export type FileState = { readonly kind: 'absent' } | { readonly kind: 'other' } | WrittenFile;

export interface WrittenFile {
  readonly kind: 'file';
  readonly digest: Digest;
  readonly stats: Stats;
}

/** `path` was absolute and without links when it was noted; one that leads elsewhere now is `other`. */
export async function readFileState(path: string): Promise<FileState> {
  let file: FileHandle;
  try {
    const folder = dirname(path);
    if ((await realpath(folder)) !== folder) return { kind: 'other' };
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    if (code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO') return { kind: 'other' };
    throw error;
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > LARGEST_FILE_BYTES) return { kind: 'other' };
    return { kind: 'file', digest: digestOf(await file.readFile()), stats };
  } finally {
    await file.close();
  }
}

/**
 * Puts `bytes` in the place of a file, whole or not at all, with its rights and, where the system
 * lets us, its owner. Does nothing and gives `false` when the file is not the expected one any more.
 * Rejects with the system's error.
 */
export async function replaceFile(path: string, bytes: Uint8Array, expected: WrittenFile): Promise<boolean> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(bytes);
      await keepRights(file, expected.stats);
      await file.sync();
    } finally {
      await file.close();
    }
    // The last moment to see that somebody has written it meanwhile.
    const now = await readFileState(path);
    if (now.kind !== 'file' || now.digest !== expected.digest) {
      await unlink(temporary);
      return false;
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
  return true;
}

/** Durable when it resolves. Rejects with the system's error. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path);
  await syncFolder(dirname(path));
}

async function keepRights(file: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const own = await file.stat();
  // Only the superuser gives files away; for anybody else the file has the owner that it may have.
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => {});
  // After the owner: changing that one takes some rights away.
  await file.chmod(mode & 0o7777);
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders; its file systems keep names durable without it.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
