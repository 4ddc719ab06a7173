import { basename, dirname } from 'node:path';
import { isThere } from '../attachments/is-there.ts';
import { describeSystemError } from '../attachments/system-error.ts';
import { AppError } from '../base/app-error.ts';
import type { Digest } from '../base/ids.ts';
import type { Result } from '../base/result.ts';
import { MIB } from '../base/units.ts';
import { digestOf } from '../media/digest.ts';
import { openTarget } from '../tools/replace-file.ts';
import type { WriteFault, WriteTarget } from '../tools/write-target.ts';

/** More than a tool writes: a file of this size is not the one that it left. */
const LARGEST_FILE_BYTES = 64 * MIB;

/** A file that stands at a path now. Close it. */
export interface StandingFile {
  readonly digest: Digest;
  /** Puts `bytes` in its place, whole or not at all, with its rights. `false`: it was changed meanwhile. */
  replace(bytes: Uint8Array): Promise<boolean>;
  /** Durable when it resolves. `false`: it was changed meanwhile, or its folder was moved. */
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
    replace: async (bytes: Uint8Array) => isDone(await opened.value.replace(bytes)),
    remove: async () => isDone(await opened.value.remove()),
    close: () => opened.value.close(),
  };
}

function targetOf(path: string): WriteTarget {
  return {
    ...{ path, realPath: path, displayPath: path, isInsideWorkspace: false },
    ...{ folder: dirname(path), newFolders: [], fileName: basename(path) },
  };
}

function isDone(done: Result<undefined, WriteFault>): boolean {
  return done.ok || (isOtherNow(done.error) ? false : refuse(done.error));
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
