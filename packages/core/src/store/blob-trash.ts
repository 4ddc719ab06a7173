import { randomUUID } from 'node:crypto';
import { readdir, rename, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Digest } from '../base/ids.ts';
import { blobPath, digestOfName, hexOf } from './blob-path.ts';
import { linkFile, moveFile, removeFile } from './link-file.ts';
import { makeFolder } from './make-folder.ts';
import { systemCode } from './store-error.ts';
import { syncFolder } from './sync-folder.ts';

/** A file that was moved out of the way, and whose fate is not decided. */
export interface DiscardedBlob {
  readonly digest: Digest;
  readonly path: string;
  readonly sizeBytes: number;
  /** When its bytes were put the last time, in milliseconds since 1970. */
  readonly modifiedMs: number;
}

/**
 * Where bytes lie between the first and the last look at whether anything leads to them. Each file
 * has a name of its own, so that collections at the same time never decide about each other's file
 * by mistake, and what a crash left is decided by the next one.
 *
 * Every method rejects with the system's error.
 */
export class BlobTrash {
  readonly #blobFolder: string;
  readonly #folder: string;

  constructor(blobFolder: string) {
    this.#blobFolder = blobFolder;
    this.#folder = join(blobFolder, 'trash');
  }

  /** Moves the bytes here; absent when they are gone already. From then on `put` writes them anew. */
  async discard(digest: Digest): Promise<DiscardedBlob | undefined> {
    await makeFolder(this.#folder);
    const path = join(this.#folder, `${hexOf(digest)}.${randomUUID()}`);
    if (!(await moveFile(blobPath(this.#blobFolder, digest), path))) return undefined;
    return this.#describe(digest, path);
  }

  /** What lies here: left by a crash, or by a collection that goes on. */
  async list(): Promise<readonly DiscardedBlob[]> {
    const found: DiscardedBlob[] = [];
    for (const name of await readNames(this.#folder)) {
      const digest = digestOfName(name.slice(0, name.indexOf('.')));
      const blob = digest && (await this.#describe(digest, join(this.#folder, name)));
      if (blob !== undefined) found.push(blob);
    }
    return found;
  }

  /** The paths at which the bytes may be found here. */
  async find(digest: Digest): Promise<readonly string[]> {
    const beginning = `${hexOf(digest)}.`;
    const names = await readNames(this.#folder);
    return names.filter((name) => name.startsWith(beginning)).map((name) => join(this.#folder, name));
  }

  /**
   * Puts the bytes back. They are never nowhere: their name is given to them before it is taken away
   * here. Bytes that were put anew meanwhile stay.
   */
  async restore({ digest, path }: Pick<DiscardedBlob, 'digest' | 'path'>): Promise<void> {
    const target = blobPath(this.#blobFolder, digest);
    if ((await this.#link(path, target)) === 'gone') return;
    await syncFolder(dirname(target));
    await removeFile(path);
  }

  /** `false` when another collection was faster. */
  async delete({ path }: Pick<DiscardedBlob, 'path'>): Promise<boolean> {
    return removeFile(path);
  }

  async #link(path: string, target: string): Promise<'there' | 'gone'> {
    try {
      if ((await linkFile(path, target)) !== 'no-links') return 'there';
      // A rename may replace bytes that were put just now, so that these have to count as new as well.
      const now = new Date();
      await utimes(path, now, now);
      await rename(path, target);
      return 'there';
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return 'gone';
      throw error;
    }
  }

  async #describe(digest: Digest, path: string): Promise<DiscardedBlob | undefined> {
    try {
      const facts = await stat(path);
      return { digest, path, sizeBytes: facts.size, modifiedMs: facts.mtimeMs };
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

async function readNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
