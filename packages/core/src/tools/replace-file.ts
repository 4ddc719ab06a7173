import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { access, type FileHandle, link, lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSystemError, systemErrorCode } from '../attachments/system-error.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { type HeldFolder, holdFolder } from './hold-folder.ts';
import type { WriteFault, WriteTarget } from './write-target.ts';

/** A file that is about to be written, as it is before that. Close it. */
export interface OpenTarget {
  /** Absent: there is no file yet. */
  readonly before?: Uint8Array;
  /**
   * Puts `after` in its place, whole or not at all: written to a file beside it, made durable, then
   * renamed. Folders that are missing are made. Refuses with `CHANGED_WHILE_READING` when the file
   * or its folder is not what was opened any more.
   */
  replace(after: Uint8Array): Promise<Result<undefined, WriteFault>>;
  /** Removes the file. Refuses as `replace` does, also where there was none. */
  remove(): Promise<Result<undefined, WriteFault>>;
  close(): Promise<void>;
}

/** Opens what a target is now. Refuses what is no regular file, what is too large, and what may not be written. */
export async function openTarget(
  target: WriteTarget,
  { maxBytes }: { readonly maxBytes: number },
): Promise<Result<OpenTarget, WriteFault>> {
  let held: HeldFolder | undefined;
  try {
    held = await holdFolder(target.folder);
    if (held === undefined) return refuse({ code: 'CHANGED_WHILE_READING', name: target.path });
    const folder = held;
    const found = target.newFolders.length > 0 ? ok(undefined) : await readExisting(target, folder, maxBytes);
    if (found.ok) {
      held = undefined;
      return ok({
        ...(found.value && { before: found.value.bytes }),
        replace: (after) => replace({ target, folder, existing: found.value?.stats }, after),
        remove: () => remove({ target, folder, existing: found.value?.stats }),
        close: () => folder.close(),
      });
    }
    return found;
  } catch (error) {
    return fail({ kind: 'not-written', detail: describeSystemError(error) });
  } finally {
    await held?.close();
  }
}

function refuse(refusal: Refusal): Result<never, WriteFault> {
  return fail({ kind: 'refused', refusal });
}

interface ExistingFile {
  readonly bytes: Uint8Array;
  readonly stats: BigIntStats;
}

async function readExisting(
  { path: name, fileName }: WriteTarget,
  folder: HeldFolder,
  maxBytes: number,
): Promise<Result<ExistingFile | undefined, WriteFault>> {
  const place = join(folder.path, fileName);
  const named = await lstat(place, { bigint: true }).catch(() => undefined);
  if (named === undefined) return ok(undefined);
  if (!named.isFile()) return refuse({ code: 'NOT_A_REGULAR_FILE', name, detail: kindOf(named) });
  // The rename asks for no right on the file itself: what is marked as read-only stays so.
  await access(place, constants.W_OK);
  // Windows has neither flag.
  const handle = await open(place, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const stats = await handle.stat({ bigint: true });
    if (!isSame(stats, named)) return refuse({ code: 'CHANGED_WHILE_READING', name });
    if (stats.size > maxBytes) {
      return refuse({ code: 'TEXT_TOO_LARGE', name, actual: Number(stats.size), limit: maxBytes });
    }
    const bytes = await handle.readFile();
    const isWhole = isSame(stats, await handle.stat({ bigint: true })) && BigInt(bytes.length) === stats.size;
    return isWhole ? ok({ bytes, stats }) : refuse({ code: 'CHANGED_WHILE_READING', name });
  } finally {
    await handle.close();
  }
}

function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'device' : 'special file';
}

/** The same file with the same content, as far as the system tells. */
function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs;
}

interface Replacement {
  readonly target: WriteTarget;
  readonly folder: HeldFolder;
  /** Absent: there is no file yet. */
  readonly existing: BigIntStats | undefined;
}

async function replace(replacement: Replacement, after: Uint8Array): Promise<Result<undefined, WriteFault>> {
  const { target, folder } = replacement;
  const made: MadeFolder[] = [];
  let temporary: string | undefined;
  let isDone = false;
  try {
    const last = await makeFolders(target, folder, made);
    if (last === undefined) return refuse({ code: 'CHANGED_WHILE_READING', name: target.path });
    const written = join(last.path, `.fovea-${randomBytes(8).toString('hex')}.tmp`);
    temporary = written;
    await writeTemporary(written, after, replacement.existing);
    if (!(await putInPlace(written, last, replacement))) {
      return refuse({ code: 'CHANGED_WHILE_READING', name: target.path });
    }
    temporary = undefined;
    isDone = true;
    await last.sync();
    return ok(undefined);
  } catch (error) {
    return fail({ kind: 'not-written', detail: describeSystemError(error) });
  } finally {
    if (temporary !== undefined) await unlink(temporary).catch(() => undefined);
    for (const { held, name } of made.reverse()) {
      // One that holds something by now stays.
      if (!isDone && name !== undefined) await rmdir(name).catch(() => undefined);
      await held.close();
    }
  }
}

async function remove({ target, folder, existing }: Replacement): Promise<Result<undefined, WriteFault>> {
  const place = join(folder.path, target.fileName);
  try {
    const named = await lstat(place, { bigint: true }).catch(() => undefined);
    const isThere = named !== undefined && existing !== undefined && isSame(named, existing);
    if (!isThere || !(await folder.isInPlace())) return refuse({ code: 'CHANGED_WHILE_READING', name: target.path });
    await unlink(place);
    await folder.sync();
    return ok(undefined);
  } catch (error) {
    return fail({ kind: 'not-written', detail: describeSystemError(error) });
  }
}

interface MadeFolder {
  readonly held: HeldFolder;
  /** Through the folder above, which is open as well; absent for a folder that was there. */
  readonly name?: string;
}

/** The folder of the file; undefined when something else has come in its way. */
async function makeFolders(
  target: WriteTarget,
  folder: HeldFolder,
  made: MadeFolder[],
): Promise<HeldFolder | undefined> {
  let current = folder;
  let realPath = target.folder;
  for (const part of target.newFolders) {
    realPath = join(realPath, part);
    const name = join(current.path, part);
    const isNew = await makeFolder(name);
    const held = await holdFolder(realPath);
    if (held === undefined) return undefined;
    made.push({ held, ...(isNew && { name }) });
    current = held;
  }
  return current;
}

/** Whether it was not there before. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

async function writeTemporary(path: string, bytes: Uint8Array, existing: BigIntStats | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  // Nobody reads what a private file will hold before its mode is set.
  const handle = await open(path, flags, existing === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (existing !== undefined) await keepOwnerAndMode(handle, existing);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwnerAndMode(handle: FileHandle, existing: BigIntStats): Promise<void> {
  const own = await handle.stat({ bigint: true });
  if (own.uid !== existing.uid || own.gid !== existing.gid) {
    // Only the superuser gives files away; for others the file becomes their own.
    await handle.chown(Number(existing.uid), Number(existing.gid)).catch(() => undefined);
  }
  await handle.chmod(Number(existing.mode & 0o777n));
}

/** False when the file or its folder is not what was opened any more. */
async function putInPlace(temporary: string, folder: HeldFolder, { target, existing }: Replacement): Promise<boolean> {
  const place = join(folder.path, target.fileName);
  if (!(await folder.isInPlace())) return false;
  if (existing === undefined) return putNew(temporary, place);
  const named = await lstat(place, { bigint: true }).catch(() => undefined);
  if (named === undefined || !isSame(named, existing)) return false;
  await rename(temporary, place);
  return true;
}

/** A link is only made where nothing has the name, which a rename does not ask. */
async function putNew(temporary: string, place: string): Promise<boolean> {
  try {
    await link(temporary, place);
    await unlink(temporary);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS' && code !== 'EMLINK') {
      throw error;
    }
  }
  // A file system without hard links.
  if ((await lstat(place).catch(() => undefined)) !== undefined) return false;
  await rename(temporary, place);
  return true;
}
