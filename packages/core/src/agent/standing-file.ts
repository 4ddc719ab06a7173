import { unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isThere } from '../attachments/is-there.ts';
import { describeSystemError } from '../attachments/system-error.ts';
import { AppError } from '../base/app-error.ts';
import type { Digest } from '../base/ids.ts';
import { MIB } from '../base/units.ts';
import { digestOf } from '../media/digest.ts';
import { holdFolder } from '../tools/hold-folder.ts';
import { type OpenTarget, openTarget } from '../tools/replace-file.ts';
import type { WriteFault, WriteTarget } from '../tools/write-target.ts';

/** More than a tool writes: a file of this size is not the one that it left. */
const LARGEST_FILE_BYTES = 64 * MIB;

/** A file that stands at a path now. Close it. */
export interface StandingFile {
  readonly digest: Digest;
  /** Puts `bytes` in its place, whole or not at all, with its rights. `false`: it was changed meanwhile. */
  replace(bytes: Uint8Array): Promise<boolean>;
  /** Durable when it resolves. `false`: its folder was moved meanwhile. */
  remove(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * What stands at a path that was absolute and without links when it was noted. `other`: a link, a
 * folder, a device, more than any tool has written, or whatever a link among its folders leads to
 * now. Throws `UNREADABLE`, as its methods do, with what the system says.
 */
export async function openStandingFile(path: string): Promise<StandingFile | 'absent' | 'other'> {
  const isHere = await isThere(path).catch((error: unknown) => {
    throw unreadable(describeSystemError(error));
  });
  if (!isHere) return 'absent';
  const opened = await openTarget(targetOf(path), { maxBytes: LARGEST_FILE_BYTES });
  if (!opened.ok) return isOtherNow(opened.error) ? 'other' : refuse(opened.error);
  const { before } = opened.value;
  if (before === undefined) {
    await opened.value.close();
    return 'absent';
  }
  return {
    digest: digestOf(before),
    replace: (bytes: Uint8Array) => replaceFile(opened.value, bytes),
    remove: () => removeFile(path),
    close: () => opened.value.close(),
  };
}

function targetOf(path: string): WriteTarget {
  return {
    ...{ path, realPath: path, displayPath: path, isInsideWorkspace: false },
    ...{ folder: dirname(path), newFolders: [], fileName: basename(path) },
  };
}

async function replaceFile(file: OpenTarget, bytes: Uint8Array): Promise<boolean> {
  const replaced = await file.replace(bytes);
  return replaced.ok || (isOtherNow(replaced.error) ? false : refuse(replaced.error));
}

async function removeFile(path: string): Promise<boolean> {
  const folder = await holdFolder(dirname(path));
  if (folder === undefined) return false;
  try {
    await unlink(join(folder.path, basename(path)));
    await folder.sync();
    return true;
  } catch (error) {
    throw unreadable(describeSystemError(error));
  } finally {
    await folder.close();
  }
}

function isOtherNow(fault: WriteFault): boolean {
  return fault.kind === 'refused';
}

function refuse(fault: WriteFault): never {
  throw unreadable('detail' in fault ? fault.detail : fault.kind);
}

function unreadable(detail: string): AppError {
  return new AppError('UNREADABLE', detail);
}
