import { randomUUID } from 'node:crypto';
import { open, rename, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../base/app-error.ts';
import type { Digest } from '../base/ids.ts';
import { digestOf } from '../media/digest.ts';
import { blobPath } from './blob-path.ts';
import { BlobTrash } from './blob-trash.ts';
import { linkFile, removeFile } from './link-file.ts';
import { makeFolder } from './make-folder.ts';
import { LARGEST_BLOB_BYTES, readStored } from './read-stored.ts';
import { systemCode, toStoreError } from './store-error.ts';
import { syncFolder } from './sync-folder.ts';

/** A collection may move a file away while it is looked for, and back; nobody meets more of them than this. */
const LOOKS = 4;

/**
 * Bytes as files `ab/cd/<64 hex>` below one folder, named by their SHA-256.
 *
 * A file appears whole or not at all: the bytes are written and synced under another name in the
 * same file system, then linked, then the folder is synced. What a crash leaves behind lies in
 * `tmp/` and is never read. Several processes may share the folder, and garbage may be collected
 * meanwhile: a file's time says when its bytes were put the last time.
 */
export class BlobFiles {
  readonly folder: string;
  readonly trash: BlobTrash;
  readonly #temporaryFolder: string;
  /** Folders whose own names this process has made durable. */
  readonly #durableFolders = new Set<string>();
  readonly #writeRefusal: AppError | undefined;

  private constructor(folder: string, writeRefusal: AppError | undefined) {
    this.folder = folder;
    this.#writeRefusal = writeRefusal;
    this.trash = new BlobTrash(folder);
    this.#temporaryFolder = join(folder, 'tmp');
  }

  /**
   * With a `writeRefusal` nothing is made, and every `put` throws it. Throws `STORE_UNAVAILABLE` when
   * the folder cannot be made.
   */
  static async open(
    folder: string,
    { writeRefusal }: { readonly writeRefusal?: AppError | undefined } = {},
  ): Promise<BlobFiles> {
    const blobs = new BlobFiles(folder, writeRefusal);
    if (writeRefusal !== undefined) return blobs;
    try {
      await makeFolder(blobs.#temporaryFolder);
      await syncFolder(dirname(folder));
      return blobs;
    } catch (error) {
      throw toStoreError(error, `the folder for pictures ${folder} cannot be used`);
    }
  }

  /**
   * Resolves when the bytes are durable, and counts them as put now. Bytes that are there already
   * are compared, which costs one read, and not written again; a stored file that differs from them
   * is damaged and is replaced. Throws `STORE_UNAVAILABLE`.
   */
  async put(digest: Digest, bytes: Uint8Array): Promise<void> {
    if (this.#writeRefusal !== undefined) throw this.#writeRefusal;
    const path = blobPath(this.folder, digest);
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
      const temporary = await this.#store(path, bytes);
      await Promise.all([
        this.#makeNameDurable(dirname(path)),
        temporary === undefined ? undefined : removeQuietly(temporary),
      ]);
    } catch (error) {
      throw toStoreError(error, 'a picture cannot be stored');
    }
  }

  /**
   * The bytes, verified against their digest; also those that a collection has moved away and not
   * deleted, which are put back. Throws `BLOB_MISSING`, `BLOB_DAMAGED` (also for what is no regular
   * file, which is not read), and `STORE_UNAVAILABLE` when the file is there and cannot be read.
   */
  async get(digest: Digest): Promise<Uint8Array> {
    const { bytes, discardedPath } = await this.#find(digest);
    if (discardedPath !== undefined && this.#writeRefusal === undefined) {
      // Best effort: else the next collection puts them back.
      await this.trash.restore({ digest, path: discardedPath }).catch(() => {});
    }
    return bytes;
  }

  /** Whether {@link get} would give the bytes; changes nothing. Throws what it would throw. */
  async verify(digest: Digest): Promise<void> {
    await this.#find(digest);
  }

  async #find(digest: Digest): Promise<{ readonly bytes: Uint8Array; readonly discardedPath?: string }> {
    const path = blobPath(this.folder, digest);
    let found: FoundFile | undefined;
    try {
      for (let look = 0; look < LOOKS && found === undefined; look += 1) {
        found = (await readIfThere(path)) ?? (await this.#findDiscarded(digest));
      }
    } catch (error) {
      throw toStoreError(error, 'a stored picture cannot be read');
    }
    if (found === undefined) {
      throw new AppError('BLOB_MISSING', `the stored bytes ${digest} are missing`, { data: { digest } });
    }
    const { bytes } = found;
    if (bytes === undefined || digestOf(bytes) !== digest) {
      throw new AppError('BLOB_DAMAGED', `the stored bytes ${digest} do not match their digest`, { data: { digest } });
    }
    return found.path === path ? { bytes } : { bytes, discardedPath: found.path };
  }

  /** Gives the name of a temporary file that may be removed. */
  async #store(path: string, bytes: Uint8Array): Promise<string | undefined> {
    for (;;) {
      const stored = await compareFile(path, bytes);
      if (stored === 'same') {
        const refreshed = await refresh(path);
        if (refreshed === 'done') return undefined;
        // Gone: a collection moved it away in this moment, and whatever it decides, these bytes are put anew.
        if (refreshed === 'gone') continue;
      }
      const written = await this.#write(path, bytes, stored === 'absent' ? 'absent' : 'different');
      if (written.isThere) return written.temporary;
      await removeQuietly(written.temporary);
    }
  }

  async #write(
    path: string,
    bytes: Uint8Array,
    stored: 'absent' | 'different',
  ): Promise<{ readonly temporary: string; readonly isThere: boolean }> {
    const temporary = join(this.#temporaryFolder, `${process.pid}-${randomUUID()}`);
    try {
      await this.#makeFolder(dirname(path));
      await writeDurably(temporary, bytes);
      if (stored === 'absent') return { temporary, isThere: await publish(temporary, path, bytes) };
      await rename(temporary, path);
      return { temporary, isThere: true };
    } catch (error) {
      await removeQuietly(temporary);
      throw error;
    }
  }

  async #findDiscarded(digest: Digest): Promise<FoundFile | undefined> {
    for (const path of await this.trash.find(digest)) {
      const found = await readIfThere(path);
      if (found !== undefined) return found;
    }
    return undefined;
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
    const folders = areParentsDurable ? [folder] : [folder, dirname(folder), this.folder];
    await Promise.all(folders.map(syncFolder));
    this.#durableFolders.add(folder);
  }
}

/** Gives the temporary file its name. It never replaces a whole file. `false`: nothing has the name after all. */
async function publish(temporary: string, path: string, bytes: Uint8Array): Promise<boolean> {
  const outcome = await linkFile(temporary, path);
  if (outcome === 'linked') return true;
  if (outcome === 'taken' && (await compareFile(path, bytes)) === 'same') {
    // Another writer of the same bytes came first: its file stays, unless it is damaged.
    const refreshed = await refresh(path);
    if (refreshed !== 'denied') return refreshed === 'done';
  }
  // A rename may replace a file, but only by the same content: the name is the content's digest.
  await rename(temporary, path);
  return true;
}

/**
 * The bytes were put now. By name, so that a file which was moved away is not meant: a collection
 * sees the new time after it moved the file, or there is none under this name any more.
 */
async function refresh(path: string): Promise<'done' | 'gone' | 'denied'> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return 'done';
  } catch (error) {
    switch (systemCode(error)) {
      case 'ENOENT':
        return 'gone';
      case 'EPERM':
      case 'EACCES':
        return 'denied';
      case 'EROFS':
        return 'done';
      default:
        throw error;
    }
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

/** A file that was there when it was looked for; its bytes are absent where it is none of ours. */
interface FoundFile {
  readonly path: string;
  readonly bytes: Buffer | undefined;
}

async function readIfThere(path: string): Promise<FoundFile | undefined> {
  try {
    return { path, bytes: await readStored(path) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
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

async function removeQuietly(path: string): Promise<void> {
  try {
    await removeFile(path);
  } catch {
    // What stays in the temporary folder is harmless.
  }
}
