import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../base/app-error.ts';
import { type Digest, isDigest } from '../base/ids.ts';
import { MIB } from '../base/units.ts';
import { digestOf } from '../media/digest.ts';
import { makeFolder } from './make-folder.ts';
import { systemCode, toStoreError } from './store-error.ts';

/** More than any picture that is admitted; what has this name and is larger was not stored here. */
const LARGEST_BLOB_BYTES = 64 * MIB;

/** Codes of file systems that have no hard links (exFAT, some network and FUSE file systems). */
const noHardLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/**
 * Bytes as files `ab/cd/<64 hex>` below one folder, named by their SHA-256.
 *
 * A file appears whole or not at all: the bytes are written and synced under another name in the
 * same file system, then linked, then the folder is synced. What a crash leaves behind lies in
 * `tmp/` and is never read. Several processes may share the folder.
 */
export class BlobFiles {
  readonly #folder: string;
  readonly #temporaryFolder: string;
  /** Folders whose own names this process has made durable. */
  readonly #durableFolders = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#temporaryFolder = join(folder, 'tmp');
  }

  /** Throws `STORE_UNAVAILABLE` when the folder cannot be made. */
  static async open(folder: string): Promise<BlobFiles> {
    const blobs = new BlobFiles(folder);
    try {
      await makeFolder(blobs.#temporaryFolder);
      await syncFolder(dirname(folder));
      return blobs;
    } catch (error) {
      throw toStoreError(error, `the folder for pictures ${folder} cannot be used`);
    }
  }

  /**
   * Resolves when the bytes are durable. Bytes that are there already are compared, which costs one
   * read, and not written again; a stored file that differs from them is damaged and is replaced.
   * Throws `STORE_UNAVAILABLE`.
   */
  async put(digest: Digest, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(digest);
    if (bytes.byteLength > LARGEST_BLOB_BYTES) {
      throw new AppError(
        'STORE_UNAVAILABLE',
        `a picture cannot be stored: it is larger than ${LARGEST_BLOB_BYTES} bytes`,
        {
          data: { digest, sizeBytes: bytes.byteLength, limit: LARGEST_BLOB_BYTES },
        },
      );
    }
    try {
      const stored = await compareFile(path, bytes);
      const temporary = stored === 'same' ? undefined : await this.#write(path, bytes, stored);
      await Promise.all([
        this.#makeNameDurable(dirname(path)),
        temporary === undefined ? undefined : removeQuietly(temporary),
      ]);
    } catch (error) {
      throw toStoreError(error, 'a picture cannot be stored');
    }
  }

  /**
   * The bytes, verified against their digest. Throws `BLOB_MISSING`, `BLOB_DAMAGED` (also for what
   * is no regular file, which is not read), and `STORE_UNAVAILABLE` when the file is there and
   * cannot be read.
   */
  async get(digest: Digest): Promise<Uint8Array> {
    let bytes: Uint8Array | undefined;
    try {
      bytes = await readStored(this.#pathOf(digest));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') {
        throw new AppError('BLOB_MISSING', `the stored bytes ${digest} are missing`, {
          data: { digest },
          cause: error,
        });
      }
      throw toStoreError(error, 'a stored picture cannot be read');
    }
    if (bytes === undefined || digestOf(bytes) !== digest) {
      throw new AppError('BLOB_DAMAGED', `the stored bytes ${digest} do not match their digest`, { data: { digest } });
    }
    return bytes;
  }

  #pathOf(digest: Digest): string {
    if (!isDigest(digest)) throw new AppError('INTERNAL', 'not a digest');
    const hex = digest.slice('sha256:'.length);
    return join(this.#folder, hex.slice(0, 2), hex.slice(2, 4), hex);
  }

  /** Gives the name of a temporary file that may be removed. */
  async #write(path: string, bytes: Uint8Array, stored: 'absent' | 'different'): Promise<string> {
    const temporary = join(this.#temporaryFolder, `${process.pid}-${randomUUID()}`);
    try {
      await this.#makeFolder(dirname(path));
      await writeDurably(temporary, bytes);
      if (stored === 'different') await rename(temporary, path);
      else await publish(temporary, path, bytes);
      return temporary;
    } catch (error) {
      await removeQuietly(temporary);
      throw error;
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    if (!this.#durableFolders.has(folder)) await makeFolder(folder);
  }

  /**
   * Syncs the folders last, together: the sync of the bytes has mostly written them already. Needed
   * for bytes that were there as well, because their writer may not have come so far yet.
   */
  async #makeNameDurable(folder: string): Promise<void> {
    const areParentsDurable = this.#durableFolders.has(folder);
    const folders = areParentsDurable ? [folder] : [folder, dirname(folder), this.#folder];
    await Promise.all(folders.map(syncFolder));
    this.#durableFolders.add(folder);
  }
}

/** Gives the temporary file its name. It never replaces a whole file. */
async function publish(temporary: string, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') {
      // Another writer of the same bytes came first: its file stays, unless it is damaged.
      if ((await compareFile(path, bytes)) === 'same') return;
    } else if (!noHardLinks.has(code)) {
      throw error;
    }
    // A rename may replace a file, but only by the same content: the name is the content's digest.
    await rename(temporary, path);
  }
}

async function compareFile(path: string, bytes: Uint8Array): Promise<'absent' | 'same' | 'different'> {
  try {
    const stored = await readStored(path, bytes.byteLength);
    return stored?.equals(bytes) === true ? 'same' : 'different';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return 'absent';
    if (code === 'EIO') return 'different';
    throw error;
  }
}

/**
 * The content of a regular file; `undefined` where something else has the name, or the size is not
 * the one expected. Whoever can write into the folder may have put a pipe or a link to a device
 * there: it is never waited for, and never read without end.
 */
async function readStored(path: string, sizeBytes?: number): Promise<Buffer | undefined> {
  // Opening a device or a socket can fail or have effects of its own. The look at the handle decides.
  if (!(await stat(path)).isFile()) return undefined;
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > LARGEST_BLOB_BYTES) return undefined;
    return sizeBytes === undefined || facts.size === sizeBytes ? await readBytes(file, facts.size) : undefined;
  } finally {
    await file.close();
  }
}

/** As many bytes as the file has now: one that grows meanwhile is not followed. */
async function readBytes(file: FileHandle, sizeBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(sizeBytes);
  let filled = 0;
  while (filled < sizeBytes) {
    const { bytesRead } = await file.read(buffer, filled, sizeBytes - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
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

async function removeQuietly(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch {
    // What stays in the temporary folder is harmless.
  }
}
