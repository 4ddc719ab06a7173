import { execFileSync } from 'node:child_process';
import {
  appendFile,
  type FileHandle,
  mkdir,
  open,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import type { FileAccess } from './access-policy.ts';
import { openSource } from './open-source.ts';

const isPosix = process.platform !== 'win32';
let folder: TemporaryFolder;
let access: FileAccess;
let server: Server | undefined;

beforeEach(async () => {
  folder = await createTemporaryFolder();
  access = { workspace: folder.path, externalFolders: {}, forbidden: [] };
});

afterEach(async () => {
  await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  server = undefined;
  await folder.remove();
});

async function openAndRead(path: string, maxBytes = 1000) {
  const source = await openSource(path, access);
  if (!source.ok) return source;
  try {
    return await source.value.read({ maxBytes });
  } finally {
    await source.value.close();
  }
}

describe('openSource', () => {
  it('reads a regular file whole, an empty one too', async () => {
    await folder.write('a/b.txt', 'hello');
    await folder.write('empty', '');
    expect(await openAndRead('a/b.txt')).toEqual({ ok: true, value: new TextEncoder().encode('hello') });
    expect(await openAndRead('empty')).toEqual({ ok: true, value: new Uint8Array() });
  });

  it('refuses a folder, a pipe, a socket and a device, and waits for none of them', async () => {
    await mkdir(folder.resolve('folder'));
    expect(await openAndRead('folder')).toMatchObject({ error: { code: 'NOT_A_REGULAR_FILE', detail: 'folder' } });
    if (!isPosix) return;
    execFileSync('mkfifo', [folder.resolve('pipe')]);
    expect(await openAndRead('pipe')).toMatchObject({ error: { code: 'NOT_A_REGULAR_FILE', detail: 'pipe' } });
    server = createServer();
    await new Promise<void>((resolve) => server?.listen(folder.resolve('socket'), resolve));
    expect(await openAndRead('socket')).toMatchObject({ error: { code: 'NOT_A_REGULAR_FILE', detail: 'socket' } });
    access = { ...access, workspace: '/dev' };
    expect(await openAndRead('zero')).toMatchObject({ error: { code: 'NOT_A_REGULAR_FILE', detail: 'device' } });
  });

  it('refuses a link to a pipe or device as what it leads to', async () => {
    if (!isPosix) return;
    execFileSync('mkfifo', [folder.resolve('pipe')]);
    await symlink('pipe', folder.resolve('shot.png'));
    expect(await openAndRead('shot.png')).toMatchObject({ error: { code: 'NOT_A_REGULAR_FILE', detail: 'pipe' } });
    await symlink('/dev/zero', folder.resolve('zero.png'));
    expect(await openAndRead('zero.png')).toMatchObject({ error: { code: 'OUTSIDE_WORKSPACE' } });
  });

  it('refuses a sparse file of 5 GiB by its size, before reading', async () => {
    const path = await folder.write('huge.png', '');
    const size = 5 * 1024 ** 3;
    await truncate(path, size);
    expect(await openAndRead('huge.png', 1000)).toEqual({
      ok: false,
      error: { code: 'TOO_MANY_BYTES', name: 'huge.png', actual: size, limit: 1000 },
    });
  });

  it('takes the limit inclusively', async () => {
    await folder.write('a', '12345');
    expect((await openAndRead('a', 5)).ok).toBe(true);
    expect(await openAndRead('a', 4)).toMatchObject({ error: { code: 'TOO_MANY_BYTES', actual: 5, limit: 4 } });
  });

  it('notices a file that grows, shrinks or is rewritten between opening and reading', async () => {
    const changes: readonly ((path: string) => Promise<void>)[] = [
      (path) => appendFile(path, 'more'),
      (path) => truncate(path, 2),
      (path) => writeFile(path, 'HELLO'),
    ];
    for (const change of changes) {
      const path = await folder.write('a.txt', 'hello');
      await utimes(path, 1, 1);
      const source = await openSource('a.txt', access);
      if (!source.ok) throw new Error(source.error.code);
      await change(path);
      expect(await source.value.read({ maxBytes: 1000 })).toEqual({
        ok: false,
        error: { code: 'CHANGED_WHILE_READING', name: 'a.txt' },
      });
      await source.value.close();
    }
  });

  it('notices a file that grows while it is read', async () => {
    const path = await folder.write('a.bin', new Uint8Array(24 * 1024 * 1024));
    const source = await openSource('a.bin', access);
    if (!source.ok) throw new Error(source.error.code);
    const writer = await open(path, 'a');
    const reading = source.value.read({ maxBytes: 1e9 });
    await writer.write('x');
    expect(await reading).toMatchObject({ error: { code: 'CHANGED_WHILE_READING' } });
    await writer.close();
    await source.value.close();
  });

  it('reads what was opened, although another file has its name by then', async () => {
    const path = await folder.write('a.txt', 'first');
    const source = await openSource('a.txt', access);
    if (!source.ok) throw new Error(source.error.code);
    await rename(await folder.write('other', 'other'), path);
    expect(await source.value.read({ maxBytes: 1000 })).toEqual({
      ok: true,
      value: new TextEncoder().encode('first'),
    });
    await source.value.close();
  });

  it('stops when it is cancelled', async () => {
    await folder.write('a.txt', 'hello');
    const source = await openSource('a.txt', access);
    if (!source.ok) throw new Error(source.error.code);
    const result = await source.value.read({ maxBytes: 1000, signal: AbortSignal.abort() });
    expect(result).toEqual({ ok: false, error: { code: 'CANCELED', name: 'a.txt' } });
    await source.value.close();
  });

  it('refuses what the operating system does not let it read, by name only', async () => {
    if (!isPosix || process.getuid?.() === 0) return;
    const path = await folder.write('a.txt', 'hello');
    execFileSync('chmod', ['000', path]);
    const result = await openAndRead('a.txt');
    expect(result).toEqual({ ok: false, error: { code: 'UNREADABLE', name: 'a.txt', detail: 'permission denied' } });
  });

  it('never opens a link that replaces the file at the last moment', async () => {
    if (!isPosix) return;
    const secret = await createTemporaryFolder();
    try {
      const target = await secret.write('secret.txt', 'SECRET');
      await folder.write('moving/a.txt', 'public');
      let reads = 0;
      let isSwapping = true;
      const swapping = (async () => {
        for (let round = 0; isSwapping; round += 1) {
          const next = folder.resolve('next');
          if (round % 2 === 0) await symlink(target, next);
          else await writeFile(next, 'public');
          await rename(next, join(folder.path, 'moving/a.txt'));
          // Now right behind each other, now with time for a whole read between.
          for (let turn = 0; turn < round % 90; turn += 1) await setImmediate();
        }
      })();
      for (let attempt = 0; attempt < 600 || reads < 5; attempt += 1) {
        const result = await openAndRead('moving/a.txt');
        if (!result.ok) continue;
        reads += 1;
        expect(Buffer.from(result.value).toString()).not.toBe('SECRET');
      }
      isSwapping = false;
      await swapping;
      expect(reads).toBeGreaterThan(0);
    } finally {
      await secret.remove();
    }
  });
});

describe('openSource, when the path changes between looking and opening', () => {
  let outside: TemporaryFolder;

  beforeEach(async () => {
    outside = await createTemporaryFolder();
    await folder.write('moving/a.txt', 'public');
    await folder.write('vault/a.txt', 'VAULT');
    await folder.write('other/a.txt', 'other');
    await outside.write('a.txt', 'SECRET');
  });
  afterEach(() => outside.remove());

  /** Opens after `change`, when all has been looked at; the handle is given to `then`. */
  async function openChanged(
    change: () => Promise<unknown>,
    then: (handle: FileHandle) => Promise<unknown> = () => Promise.resolve(),
  ) {
    let handle: FileHandle | undefined;
    const source = await openSource('moving/a.txt', access, {
      open: async (path, flags) => {
        await change();
        handle = await open(path, flags);
        await then(handle);
        return handle;
      },
    });
    const isOpened = handle !== undefined;
    if (!source.ok) {
      // What was refused was closed.
      if (handle !== undefined) await expect(handle.stat()).rejects.toMatchObject({ code: 'EBADF' });
      return { isOpened, code: source.error.code, detail: source.error.detail, name: source.error.name };
    }
    const read = await source.value.read({ maxBytes: 1000 });
    await source.value.close();
    return { isOpened, words: read.ok ? Buffer.from(read.value).toString() : read.error.code };
  }

  /** The folder of the file becomes a link; the file's own name stays that of a file. */
  async function swapFolder(target: string): Promise<void> {
    await rename(folder.resolve('moving'), folder.resolve('moved'));
    await symlink(target, folder.resolve('moving'));
  }

  it.skipIf(!isPosix)('refuses a file that a link in the place of its folder leads out to', async () => {
    expect(await openChanged(() => swapFolder(outside.path))).toEqual({
      isOpened: true,
      code: 'OUTSIDE_WORKSPACE',
      name: 'moving/a.txt',
    });
  });

  it.skipIf(!isPosix)('refuses a forbidden file that such a link leads to', async () => {
    access = { ...access, forbidden: [folder.resolve('vault')], builtInForbidden: [] };
    expect(await openChanged(() => swapFolder('vault'))).toEqual({
      isOpened: true,
      code: 'FORBIDDEN',
      detail: 'configured',
      name: 'moving/a.txt',
    });
  });

  it.skipIf(!isPosix)('reads a file that such a link leads to where it may be read', async () => {
    expect(await openChanged(() => swapFolder('other'))).toEqual({ isOpened: true, words: 'other' });
  });

  it.skipIf(!isPosix)('refuses a pipe that took the place of the file, without waiting for it', async () => {
    const file = folder.resolve('moving/a.txt');
    const swapFile = async () => {
      await rm(file);
      execFileSync('mkfifo', [file]);
    };
    expect(await openChanged(swapFile)).toMatchObject({ isOpened: true, code: 'NOT_A_REGULAR_FILE', detail: 'pipe' });
  });

  it.skipIf(!isPosix)('opens no link that took the place of the file', async () => {
    const file = folder.resolve('moving/a.txt');
    const swapFile = async () => {
      await rm(file);
      await symlink(outside.resolve('a.txt'), file);
    };
    expect(await openChanged(swapFile)).toMatchObject({ isOpened: false, code: 'CHANGED_WHILE_READING' });
  });

  it.skipIf(!isPosix)('refuses a file that is gone from its name when it is open', async () => {
    const gone = await openChanged(
      () => Promise.resolve(),
      () => rm(folder.resolve('moving/a.txt')),
    );
    expect(gone).toMatchObject({ isOpened: true, code: 'CHANGED_WHILE_READING' });
  });
});
