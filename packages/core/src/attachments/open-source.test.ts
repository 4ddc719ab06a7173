import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, open, rename, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
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
