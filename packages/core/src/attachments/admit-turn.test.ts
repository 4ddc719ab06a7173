import { truncate } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryBlobs, type MemoryBlobs } from '../testing/create-memory-blobs.ts';
import { makeSolidPng, type PictureColor } from '../testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { type AdmitTurnOptions, admitTurn } from './admit-turn.ts';
import { defaultLimits } from './limits.ts';

let folder: TemporaryFolder;
let blobs: MemoryBlobs;

beforeEach(async () => {
  folder = await createTemporaryFolder();
  blobs = createMemoryBlobs();
});

afterEach(() => folder.remove());

function admit(attachments: readonly string[], options: Partial<AdmitTurnOptions> = {}) {
  const access = { workspace: folder.path, externalFolders: {}, forbidden: ['.env'] };
  const common = { access, limits: defaultLimits, blobs, imageInput: 'yes', model: 'lab/seer', locale: 'en' } as const;
  return admitTurn({ attachments, ...common, ...options });
}

async function writePictures(...colors: readonly PictureColor[]): Promise<readonly string[]> {
  for (const color of colors) await folder.write(`${color}.png`, makeSolidPng(color));
  return colors.map((color) => `${color}.png`);
}

describe('admitTurn', () => {
  it('takes all pictures in the order of the user', async () => {
    const names = await writePictures('red', 'blue', 'green');
    const result = await admit(names);
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    expect(result.value.map((reference) => reference.name)).toEqual(names);
    expect([...result.value.map((reference) => reference.digest)].sort()).toEqual(blobs.digests());
  });

  it('refuses all of them for one bad picture among three, and stores nothing', async () => {
    await writePictures('red', 'blue');
    await folder.write('cut.png', makeSolidPng('green').subarray(0, 70));
    const result = await admit(['red.png', 'cut.png', 'blue.png']);
    expect(result).toEqual({
      ok: false,
      error: [
        {
          index: 1,
          name: 'cut.png',
          code: 'CORRUPT',
          message: expect.stringContaining('cut.png'),
          trueType: 'image/png',
          truncated: true,
        },
      ],
    });
    expect(blobs.digests()).toEqual([]);
  });

  it('names every bad picture with its own reason', async () => {
    await writePictures('red');
    await folder.write('.env', 'KEY=1');
    await folder.write('page.jpg', '<!doctype html>');
    const result = await admit(['absent.png', 'red.png', '.env', 'page.jpg']);
    if (result.ok) throw new Error('accepted');
    expect(result.error.map(({ index, name, code }) => [index, name, code])).toEqual([
      [0, 'absent.png', 'NOT_FOUND'],
      [2, '.env', 'FORBIDDEN'],
      [3, 'page.jpg', 'NOT_AN_IMAGE'],
    ]);
  });

  it('refuses before anything is read when the model takes no pictures, and lets a turn without pictures begin', async () => {
    const names = await writePictures('red', 'blue');
    const result = await admit([...names, 'absent.png'], { imageInput: 'no', model: 'lab/blind' });
    if (result.ok) throw new Error('accepted');
    expect(result.error.map((item) => [item.index, item.code])).toEqual([
      [0, 'MODEL_CANNOT_SEE'],
      [1, 'MODEL_CANNOT_SEE'],
      [2, 'MODEL_CANNOT_SEE'],
    ]);
    expect(result.error[0]?.message).toContain('lab/blind');
    expect(blobs.digests()).toEqual([]);
    expect(await admit([], { imageInput: 'no' })).toEqual({ ok: true, value: [] });
    expect((await admit(names, { imageInput: 'unknown' })).ok).toBe(true);
  });

  it('refuses more pictures than a message may have, and more bytes', async () => {
    const names = await writePictures('red', 'blue', 'green');
    const few = await admit(names, { limits: { ...defaultLimits, attachmentsPerMessage: 2 } });
    expect(few).toMatchObject({ error: [{ index: 2, code: 'TOO_MANY_ITEMS', actual: 3, limit: 2 }] });
    const size = makeSolidPng('red').length;
    const small = await admit(names, { limits: { ...defaultLimits, messageBytes: size * 2 + 5 } });
    expect(small).toMatchObject({ error: [{ index: 2, code: 'BATCH_TOO_LARGE', limit: size * 2 + 5 }] });
    expect(blobs.digests()).toEqual([]);
  });

  it('refuses one file that is too large for its own size, not for the sum', async () => {
    await writePictures('red');
    await folder.write('huge.png', '');
    await truncate(folder.resolve('huge.png'), 5 * 1024 ** 3);
    const result = await admit(['red.png', 'huge.png']);
    if (result.ok) throw new Error('accepted');
    expect(result.error.map(({ index, code }) => [index, code])).toEqual([[1, 'TOO_MANY_BYTES']]);
  });

  it('says the reason in the language of the turn', async () => {
    const result = await admit(['absent.png'], { locale: 'zh-CN' });
    expect(result).toMatchObject({ error: [{ message: '错误:文件不存在:absent.png' }] });
  });

  it('stores nothing of a turn that is cancelled', async () => {
    const names = await writePictures('red', 'blue');
    const result = await admit(names, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, error: [{ code: 'CANCELED' }, { code: 'CANCELED' }] });
    expect(blobs.digests()).toEqual([]);
  });

  it('takes the same picture twice as two attachments of one content', async () => {
    await writePictures('red');
    const result = await admit(['red.png', './red.png']);
    expect(result.ok && result.value).toHaveLength(2);
    expect(blobs.digests()).toHaveLength(1);
  });
});
