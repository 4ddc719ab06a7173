import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import { BlobFiles } from './blob-files.ts';

let folder: string;
let blobs: BlobFiles;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'fovea-blobs-')), 'blobs');
  blobs = await BlobFiles.open(folder);
});

afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const bytes = new TextEncoder().encode('the bytes of a picture');
const hex = createHash('sha256').update(bytes).digest('hex');
const digest: Digest = `sha256:${hex}`;
const pathOf = () => join(folder, hex.slice(0, 2), hex.slice(2, 4), hex);

describe('BlobFiles', () => {
  it('gives back the bytes that were put, from a file of its digest that only its user can read', async () => {
    await blobs.put(digest, bytes);
    expect(Buffer.from(await blobs.get(digest)).equals(bytes)).toBe(true);
    expect((await readFile(pathOf())).equals(bytes)).toBe(true);
    expect((await stat(pathOf())).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, hex.slice(0, 2)))).mode & 0o777).toBe(0o700);
  });

  it('stores empty bytes and a view into a larger buffer', async () => {
    const empty = new Uint8Array();
    const emptyDigest: Digest = `sha256:${createHash('sha256').update(empty).digest('hex')}`;
    await blobs.put(emptyDigest, empty);
    expect((await blobs.get(emptyDigest)).byteLength).toBe(0);
    const larger = new Uint8Array([0, ...bytes, 0]);
    await blobs.put(digest, larger.subarray(1, -1));
    expect(Buffer.from(await blobs.get(digest)).equals(bytes)).toBe(true);
  });

  it('does not write bytes again that are there, and counts them as put now', async () => {
    await blobs.put(digest, bytes);
    const { ino, ctimeMs } = await stat(pathOf());
    await utimes(pathOf(), 0, 0);
    await blobs.put(digest, bytes);
    await (await BlobFiles.open(folder)).put(digest, bytes);
    const after = await stat(pathOf());
    expect(after.ino).toBe(ino);
    expect(after.mtimeMs).toBeGreaterThanOrEqual(Math.floor(ctimeMs));
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  it('says when bytes are missing', async () => {
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'BLOB_MISSING', data: { digest } });
  });

  it.each([
    ['shorter', bytes.subarray(1)],
    ['of the same size', new Uint8Array(bytes.length)],
    ['empty', new Uint8Array()],
  ])('refuses a damaged file that is %s, and repairs it when the bytes are put again', async (_name, damaged) => {
    await blobs.put(digest, bytes);
    await writeFile(pathOf(), damaged);
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'BLOB_DAMAGED', data: { digest } });
    await blobs.put(digest, bytes);
    expect(Buffer.from(await blobs.get(digest)).equals(bytes)).toBe(true);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  it.runIf(process.platform !== 'win32').each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a link to a device', (path: string) => symlink('/dev/zero', path)],
    ['a link to a pipe', (path: string) => execFileSync('sh', ['-c', 'mkfifo "$0-p" && ln -s "$0-p" "$0"', path])],
    ['a file without end', (path: string) => writeFile(path, '').then(() => truncate(path, 10 ** 12))],
  ])('neither waits for nor reads %s in the place of bytes, and repairs it', async (_name, put) => {
    await blobs.put(digest, bytes);
    await rm(pathOf());
    await put(pathOf());
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'BLOB_DAMAGED', data: { digest } });
    await blobs.put(digest, bytes);
    expect(Buffer.from(await blobs.get(digest)).equals(bytes)).toBe(true);
  });

  it('stores nothing that it would not give back', async () => {
    const large = new Uint8Array(64 * 1024 * 1024 + 1);
    const largeDigest: Digest = `sha256:${createHash('sha256').update(large).digest('hex')}`;
    await expect(blobs.put(largeDigest, large)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(blobs.get(largeDigest)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
  });

  it('takes the same bytes from many writers at once and leaves one file', async () => {
    const second = await BlobFiles.open(folder);
    await Promise.all(Array.from({ length: 20 }, (_unused, index) => (index % 2 ? blobs : second).put(digest, bytes)));
    expect(Buffer.from(await blobs.get(digest)).equals(bytes)).toBe(true);
    expect(await readdir(join(folder, hex.slice(0, 2), hex.slice(2, 4)))).toEqual([hex]);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  it('is not disturbed by what a crash left in the temporary folder', async () => {
    await writeFile(join(folder, 'tmp', `${process.pid}-left`), bytes.subarray(3));
    const reopened = await BlobFiles.open(folder);
    await expect(reopened.get(digest)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    await reopened.put(digest, bytes);
    expect(Buffer.from(await reopened.get(digest)).equals(bytes)).toBe(true);
  });

  it('leaves nothing in the temporary folder when it cannot store', async () => {
    await mkdir(join(folder, hex.slice(0, 2)));
    await writeFile(join(folder, hex.slice(0, 2), hex.slice(2, 4)), 'in the way');
    await expect(blobs.put(digest, bytes)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  it('says that the store is unavailable when its folder is gone or a file', async () => {
    await rename(folder, `${folder}-gone`);
    await writeFile(folder, '');
    await expect(blobs.put(digest, bytes)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(BlobFiles.open(folder)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('never builds a path from something that is no digest', async () => {
    const wrong = 'sha256:../../../../etc/passwd' as Digest;
    await expect(blobs.get(wrong)).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(blobs.put(wrong, bytes)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('gives back bytes that a collection moved away, and puts them back', async () => {
    await blobs.put(digest, bytes);
    expect(await blobs.trash.discard(digest)).toMatchObject({ digest, sizeBytes: bytes.length });
    await expect(stat(pathOf())).rejects.toMatchObject({ code: 'ENOENT' });
    expect(Buffer.from(await blobs.get(digest)).equals(bytes)).toBe(true);
    expect((await readFile(pathOf())).equals(bytes)).toBe(true);
    expect(await blobs.trash.list()).toEqual([]);
  });

  it('writes bytes anew that a collection moved away: what it does with the old ones does not matter', async () => {
    await blobs.put(digest, bytes);
    const discarded = (await blobs.trash.discard(digest)) ?? expect.fail('nothing was moved');
    await blobs.put(digest, bytes);
    expect(await blobs.trash.delete(discarded)).toBe(true);
    expect(Buffer.from(await blobs.get(digest)).equals(bytes)).toBe(true);
  });

  it('never loses sight of bytes that are moved away and put back all the time', async () => {
    await blobs.put(digest, bytes);
    let isOver = false;
    const mover = (async () => {
      while (!isOver) {
        const discarded = await blobs.trash.discard(digest);
        if (discarded !== undefined) await blobs.trash.restore(discarded);
      }
    })();
    for (let round = 0; round < 300; round += 1) {
      if (round % 3 === 0) await blobs.put(digest, bytes);
      expect((await blobs.get(digest)).byteLength).toBe(bytes.length);
    }
    isOver = true;
    await mover;
    expect(await blobs.trash.list()).toEqual([]);
  });
});
