import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkStoresBelow } from './check-stores.ts';

/** An empty folder for one test. */
export interface TemporaryFolder {
  /** Absolute and real: no part of it is a link. */
  readonly path: string;
  /** Writes a file below the folder, with the folders that it needs, and gives its absolute path. */
  write(name: string, content: Uint8Array | string): Promise<string>;
  /** The absolute path of a name below the folder. */
  resolve(name: string): string;
  /** Deletes the folder and all that is in it. Rejects when a store in it is not whole; see `check-stores.ts`. */
  remove(): Promise<void>;
}

/** Makes a {@link TemporaryFolder}; remove it in `afterEach` or with `onTestFinished`. */
export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'fovea-test-')));
  return {
    path,
    async write(name, content) {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    resolve: (name) => join(path, name),
    async remove() {
      try {
        await checkStoresBelow(path);
      } finally {
        await rm(path, { recursive: true, force: true });
      }
    },
  };
}
