import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import { createMemoryBlobs, type MemoryBlobs } from '../testing/create-memory-blobs.ts';
import { makeSolidPng } from '../testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { admitImage } from './admit-image.ts';

const limits = { maxBytes: 3 * 1024 * 1024, maxPixels: 40_000_000, maxFrames: 10_000 };
const casesFolder = new URL('../../../../fixtures/cases/files/', import.meta.url);
let folder: TemporaryFolder;
let blobs: MemoryBlobs;

beforeEach(async () => {
  folder = await createTemporaryFolder();
  blobs = createMemoryBlobs();
});

afterEach(() => folder.remove());

function admit(path: string, signal?: AbortSignal) {
  const access = { workspace: folder.path, externalFolders: {}, forbidden: [] };
  return admitImage({ path, access, limits, blobs, ...(signal && { signal }) });
}

describe('admitImage', () => {
  it('stores exactly the bytes that were verified, under their digest', async () => {
    const picture = makeSolidPng('red');
    await folder.write('shots/red.png', picture);
    const result = await admit('./shots/red.png');
    if (!result.ok) throw new Error(result.error.code);
    expect(result.value).toEqual({
      reference: {
        digest: blobs.digests()[0],
        mediaType: 'image/png',
        sizeBytes: picture.length,
        widthPx: 64,
        heightPx: 32,
        name: 'shots/red.png',
      },
      frames: 1,
      displayPath: 'shots/red.png',
    });
    expect(await blobs.get(result.value.reference.digest)).toEqual(picture);
  });

  it('keeps the original when the file in the workspace is changed or deleted afterwards', async () => {
    const picture = makeSolidPng('blue');
    const path = await folder.write('a.png', picture);
    const result = await admit('a.png');
    await writeFile(path, 'something else');
    expect(result.ok && (await blobs.get(result.value.reference.digest))).toEqual(picture);
  });

  it('gives the upright size', async () => {
    await folder.write('photo.jpg', readFileSync(new URL('exif-orient-6.jpg', casesFolder)));
    expect(await admit('photo.jpg')).toMatchObject({ value: { reference: { widthPx: 64, heightPx: 32 } } });
  });

  it('stores nothing of a picture that is refused or cancelled', async () => {
    await folder.write('cut.png', makeSolidPng('red').subarray(0, 60));
    await folder.write('page.png', '<!doctype html><p>gone');
    await folder.write('empty.png', '');
    expect(await admit('cut.png')).toMatchObject({ error: { code: 'CORRUPT', truncated: true, name: 'cut.png' } });
    expect(await admit('page.png')).toMatchObject({ error: { code: 'NOT_AN_IMAGE', trueType: 'text/html' } });
    expect(await admit('empty.png')).toMatchObject({ error: { code: 'EMPTY' } });
    expect(await admit('absent.png')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    await folder.write('good.png', makeSolidPng('red'));
    expect(await admit('good.png', AbortSignal.abort())).toMatchObject({ error: { code: 'CANCELED' } });
    expect(blobs.digests()).toEqual([]);
  });

  it('lets a store that fails be seen as what it is', async () => {
    await folder.write('good.png', makeSolidPng('red'));
    const access = { workspace: folder.path, externalFolders: {}, forbidden: [] };
    const failing = { put: (_digest: Digest) => Promise.reject(new Error('disk full')) };
    await expect(admitImage({ path: 'good.png', access, limits, blobs: failing })).rejects.toThrow('disk full');
  });
});
