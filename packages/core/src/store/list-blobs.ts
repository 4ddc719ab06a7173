import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../base/ids.ts';
import { digestOfName } from './blob-path.ts';
import { removeFile } from './link-file.ts';
import { systemCode } from './store-error.ts';

/** One stored file. */
export interface ListedBlob {
  readonly digest: Digest;
  readonly sizeBytes: number;
  /** When the bytes were put the last time, in milliseconds since 1970. */
  readonly modifiedMs: number;
}

const SHORT_NAME = /^[0-9a-f]{2}$/;
const TEMPORARY = 'tmp';

/**
 * Every stored file in the order of the digests, one folder of a few files after the other. Anything
 * else that lies there is passed over. Rejects with the system's error.
 */
export async function* listBlobs(folder: string): AsyncGenerator<readonly ListedBlob[]> {
  for (const first of await readSorted(folder)) {
    if (!SHORT_NAME.test(first)) continue;
    for (const second of await readSorted(join(folder, first))) {
      if (!SHORT_NAME.test(second)) continue;
      const names = await readSorted(join(folder, first, second));
      const own = names.filter((name) => name.startsWith(first + second));
      yield await describeFiles(join(folder, first, second), own);
    }
  }
}

/** How many files a crash left among the temporary ones, or a writer is just writing. */
export async function countTemporary(folder: string): Promise<number> {
  return (await readSorted(join(folder, TEMPORARY))).length;
}

/** Deletes temporary files that were last written before `beforeMs`; gives how many. */
export async function deleteTemporary(folder: string, beforeMs: number): Promise<number> {
  let deleted = 0;
  for (const name of await readSorted(join(folder, TEMPORARY))) {
    const path = join(folder, TEMPORARY, name);
    const facts = await statIfThere(path);
    if (facts?.isFile() && facts.mtimeMs < beforeMs && (await removeFile(path))) deleted += 1;
  }
  return deleted;
}

async function describeFiles(folder: string, names: readonly string[]): Promise<readonly ListedBlob[]> {
  const found: ListedBlob[] = [];
  for (const name of names) {
    const digest = digestOfName(name);
    const facts = digest && (await statIfThere(join(folder, name)));
    if (digest && facts?.isFile()) found.push({ digest, sizeBytes: facts.size, modifiedMs: facts.mtimeMs });
  }
  return found;
}

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readSorted(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
