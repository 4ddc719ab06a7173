import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { MIB } from '../base/units.ts';
import { type FileAccess, type ResolvedPath, refuseRealPath, resolvePath } from './access-policy.ts';
import { describeSystemError, systemErrorCode } from './system-error.ts';

/** How much is read between two looks at the signal. */
const PIECE_BYTES = 4 * MIB;

/** What bounds {@link OpenSource.read}. */
export interface ReadOptions {
  /** Inclusive. A larger file is refused before a byte of it is read. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** A file that was opened and found to be a regular one that may be read. Close it. */
export interface OpenSource {
  /** As it was given. */
  readonly path: string;
  /** Relative to the workspace, or below an alias; forward slashes. */
  readonly displayPath: string;
  /** When it was opened. */
  readonly sizeBytes: number;
  /**
   * The whole content, from the handle that was checked. Refuses with `TOO_MANY_BYTES`,
   * `CHANGED_WHILE_READING` (it grew, shrank or was written to), `UNREADABLE`, `CANCELED`.
   */
  read(options: ReadOptions): Promise<Result<Uint8Array, Refusal>>;
  /**
   * At most so many bytes of the beginning, from the same handle: enough to say what a file is that
   * is too large to be read. Refuses with `UNREADABLE`.
   */
  readStart(maxBytes: number): Promise<Result<Uint8Array, Refusal>>;
  close(): Promise<void>;
}

/** The step that can be raced: tests put what happens to the path between looking and opening here. */
export interface OpenSteps {
  open(realPath: string, flags: number): Promise<FileHandle>;
}

const systemSteps: OpenSteps = { open };

/**
 * Opens a file once and safely: never waits for a pipe, a device or a socket, follows no link that
 * was put there since the path was resolved, and holds what it has opened (not what had the name)
 * to the access policy.
 *
 * Refuses with the codes of `resolvePath` and with `NOT_A_REGULAR_FILE`, `UNREADABLE`,
 * `CHANGED_WHILE_READING` (another file took its place meanwhile).
 */
export async function openSource(
  path: string,
  access: FileAccess,
  steps: OpenSteps = systemSteps,
): Promise<Result<OpenSource, Refusal>> {
  const resolved = await resolvePath(path, access);
  if (!resolved.ok) return resolved;
  const opened = await openWithoutWaiting(resolved.value, steps);
  if (!opened.ok) return opened;
  const handle = opened.value;
  const checked = await checkHandle(handle, resolved.value, access);
  if (!checked.ok) {
    await handle.close();
    return checked;
  }
  const stats = checked.value;
  return ok({
    path,
    displayPath: resolved.value.displayPath,
    sizeBytes: Number(stats.size),
    read: (options) => readWhole({ handle, stats, name: path }, options),
    readStart: (maxBytes) => readStart({ handle, stats, name: path }, maxBytes),
    close: () => handle.close(),
  });
}

async function openWithoutWaiting(resolved: ResolvedPath, steps: OpenSteps): Promise<Result<FileHandle, Refusal>> {
  const name = resolved.path;
  try {
    // Opening a device or a socket can have effects of its own. This look only spares them; the
    // one at the handle decides.
    const kind = specialKind(await lstat(resolved.realPath, { bigint: true }));
    if (kind !== undefined) return fail({ code: 'NOT_A_REGULAR_FILE', name, detail: kind });
    return ok(await steps.open(resolved.realPath, openFlags()));
  } catch (error) {
    return fail(refuseBySystem(error, name));
  }
}

/** Windows has neither flag. */
function openFlags(): number {
  return constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
}

async function checkHandle(
  handle: FileHandle,
  resolved: ResolvedPath,
  access: FileAccess,
): Promise<Result<BigIntStats, Refusal>> {
  const name = resolved.path;
  try {
    const stats = await handle.stat({ bigint: true });
    const kind = specialKind(stats);
    if (kind !== undefined) return fail({ code: 'NOT_A_REGULAR_FILE', name, detail: kind });
    const realPath = await findHandlePath(handle, resolved, stats);
    if (realPath === undefined) return fail({ code: 'CHANGED_WHILE_READING', name });
    const refusal = await refuseRealPath({ path: name, realPath }, access);
    return refusal === undefined ? ok(stats) : fail(refusal);
  } catch (error) {
    return fail(refuseBySystem(error, name));
  }
}

/** What something is that is no regular file. */
function specialKind(stats: BigIntStats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'folder';
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'device';
  if (stats.isSymbolicLink()) return 'link';
  return 'special file';
}

/**
 * The path of what the handle has open, or `undefined` when another file has its place by now.
 * Linux tells it; elsewhere the path is resolved once more and must name the same file.
 */
async function findHandlePath(
  handle: FileHandle,
  resolved: ResolvedPath,
  stats: BigIntStats,
): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const told = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (told !== undefined) return stats.nlink === 0n ? undefined : told;
  }
  const realPath = await realpath(resolved.realPath).catch(() => undefined);
  if (realPath === undefined) return undefined;
  const named = await lstat(realPath, { bigint: true }).catch(() => undefined);
  return named !== undefined && named.dev === stats.dev && named.ino === stats.ino ? realPath : undefined;
}

interface CheckedFile {
  readonly handle: FileHandle;
  /** When it was opened. */
  readonly stats: BigIntStats;
  readonly name: string;
}

async function readWhole(file: CheckedFile, options: ReadOptions): Promise<Result<Uint8Array, Refusal>> {
  const { handle, stats, name } = file;
  const { maxBytes, signal } = options;
  const sizeBytes = Number(stats.size);
  if (sizeBytes > maxBytes) return fail({ code: 'TOO_MANY_BYTES', name, actual: sizeBytes, limit: maxBytes });
  try {
    // One byte more than there should be: what grows is noticed without reading on.
    const buffer = Buffer.allocUnsafeSlow(sizeBytes + 1);
    let filled = 0;
    while (filled < buffer.length) {
      if (signal?.aborted === true) return fail({ code: 'CANCELED', name });
      const length = Math.min(PIECE_BYTES, buffer.length - filled);
      const { bytesRead } = await handle.read(buffer, filled, length, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const after = await handle.stat({ bigint: true });
    if (filled !== sizeBytes || hasChanged(stats, after)) return fail({ code: 'CHANGED_WHILE_READING', name });
    return ok(new Uint8Array(buffer.buffer, buffer.byteOffset, sizeBytes));
  } catch (error) {
    return fail(refuseBySystem(error, name));
  }
}

async function readStart({ handle, stats, name }: CheckedFile, maxBytes: number): Promise<Result<Uint8Array, Refusal>> {
  try {
    const buffer = Buffer.allocUnsafeSlow(Math.min(maxBytes, Number(stats.size)));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return ok(new Uint8Array(buffer.buffer, buffer.byteOffset, bytesRead));
  } catch (error) {
    return fail(refuseBySystem(error, name));
  }
}

/** Not by the change time: a file that was only renamed over is whole, and its old content is what was opened. */
function hasChanged(before: BigIntStats, after: BigIntStats): boolean {
  return before.size !== after.size || before.mtimeNs !== after.mtimeNs;
}

function refuseBySystem(error: unknown, name: string): Refusal {
  switch (systemErrorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { code: 'NOT_FOUND', name };
    case 'ENXIO':
    case 'ENODEV':
      return { code: 'NOT_A_REGULAR_FILE', name, detail: 'device' };
    // With O_NOFOLLOW: a link took the place of the file that was resolved.
    case 'ELOOP':
    case 'EMLINK':
      return { code: 'CHANGED_WHILE_READING', name };
    default:
      return { code: 'UNREADABLE', name, detail: describeSystemError(error) };
  }
}
