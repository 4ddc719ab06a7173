import { describe, expect, it } from 'vitest';
import type { LimitRow } from '../catalog/limit-row.ts';
import { findLimitRow } from '../catalog/limits.ts';
import { decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import type { Orientation } from './image-layout.ts';
import { loadSharp } from './load-sharp.ts';
import { makeVariant, variantKey } from './variant.ts';

const unknown = rowOf('unknown');

function rowOf(id: string): LimitRow {
  const row = findLimitRow(id);
  if (row === undefined) throw new Error(id);
  return row;
}

/** Every pixel says where it is: red its column, green its row, in a picture that stands upright. */
const UPRIGHT = { widthPx: 96, heightPx: 64 };

function uprightPixels(): Buffer {
  const pixels = Buffer.alloc(UPRIGHT.widthPx * UPRIGHT.heightPx * 3);
  for (let y = 0; y < UPRIGHT.heightPx; y += 1) {
    for (let x = 0; x < UPRIGHT.widthPx; x += 1) {
      pixels.set([x * 2, y * 3, 90], (y * UPRIGHT.widthPx + x) * 3);
    }
  }
  return pixels;
}

/** The upright coordinates of the stored pixel `x, y`, as the Exif standard names rows and columns. */
function uprightPlace(orientation: Orientation, x: number, y: number): readonly [number, number] {
  const right = UPRIGHT.widthPx - 1;
  const bottom = UPRIGHT.heightPx - 1;
  switch (orientation) {
    case 1:
      return [x, y];
    case 2:
      return [right - x, y];
    case 3:
      return [right - x, bottom - y];
    case 4:
      return [x, bottom - y];
    case 5:
      return [y, x];
    case 6:
      return [right - y, x];
    case 7:
      return [right - y, bottom - x];
    case 8:
      return [y, bottom - x];
  }
}

async function storedPicture(format: 'png' | 'jpeg' | 'webp' | 'gif', orientation: Orientation): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const upright = uprightPixels();
  const isTurned = orientation >= 5;
  const width = isTurned ? UPRIGHT.heightPx : UPRIGHT.widthPx;
  const height = isTurned ? UPRIGHT.widthPx : UPRIGHT.heightPx;
  const stored = Buffer.alloc(upright.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [column, row] = uprightPlace(orientation, x, y);
      upright.copy(
        stored,
        (y * width + x) * 3,
        (row * UPRIGHT.widthPx + column) * 3,
        (row * UPRIGHT.widthPx + column) * 3 + 3,
      );
    }
  }
  const options = { png: {}, jpeg: { quality: 100, chromaSubsampling: '4:4:4' }, webp: { lossless: true }, gif: {} };
  const pipeline = sharp(stored, { raw: { width, height, channels: 3 } }).toFormat(format, options[format]);
  return (format === 'gif' ? pipeline : pipeline.withMetadata({ orientation })).toBuffer();
}

async function expectRegion(original: Uint8Array, tolerance: number): Promise<void> {
  const region = { x: 70, y: 5, width: 20, height: 12 };
  const variant = await makeVariant(original, unknown, { region });
  expect(variant).toMatchObject({ widthPx: 20, heightPx: 12 });
  expect(variant.changes.slice(0, 2)).toEqual(['region', 'reencoded']);
  const decoded = await decodePicture(variant.bytes);
  if (!decoded.ok) throw new Error(decoded.error);
  let largest = 0;
  for (let y = 0; y < 12; y += 1) {
    for (let x = 0; x < 20; x += 1) {
      const at = (y * 20 + x) * 4;
      const expected = [(70 + x) * 2, (5 + y) * 3, 90];
      for (const [channel, value] of expected.entries()) {
        largest = Math.max(largest, Math.abs((decoded.value.pixels[at + channel] ?? 0) - value));
      }
    }
  }
  expect(largest).toBeLessThanOrEqual(tolerance);
}

describe('makeVariant with a region', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)(
    'cuts the same pixels out of the upright picture when it is stored with orientation %i',
    async (orientation) => {
      await expectRegion(await storedPicture('png', orientation), 0);
      await expectRegion(await storedPicture('jpeg', orientation), 12);
      await expectRegion(await storedPicture('webp', orientation), 0);
    },
  );

  it('cuts out of a GIF, also where the first frame covers a part of the canvas', async () => {
    const sharp = await loadSharp();
    const flat = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#c81e1e' } })
      .gif()
      .toBuffer();
    const variant = await makeVariant(flat, rowOf('openai-chat'), { region: { x: 10, y: 20, width: 30, height: 40 } });
    const decoded = await decodePicture(variant.bytes);
    expect(decoded.ok && [decoded.value.format, decoded.value.widthPx, decoded.value.heightPx]).toEqual([
      'png',
      30,
      40,
    ]);
    expect(decoded.ok && [...decoded.value.pixels.slice(0, 4)]).toEqual([200, 30, 30, 255]);
    const partial = Buffer.from(flat);
    // The canvas grows behind the frame.
    partial.writeUInt16LE(320, 6);
    const beyond = await makeVariant(partial, unknown, { region: { x: 290, y: 0, width: 20, height: 10 } });
    const cut = await decodePicture(beyond.bytes);
    if (!cut.ok) throw new Error(cut.error);
    const alphas = [...Array(20).keys()].map((x) => cut.value.pixels[x * 4 + 3]);
    expect(alphas).toEqual([...Array(10).fill(255), ...Array(10).fill(0)]);
  });

  it('keeps every pixel of small print that scaling the whole picture loses', async () => {
    const sharp = await loadSharp();
    const pixels = Buffer.alloc(3840 * 2160 * 3, 255);
    // Lines of one pixel with gaps of one pixel.
    for (let y = 1000; y < 1020; y += 1) {
      for (let x = 2000; x < 2200; x += 2) pixels.fill(0, (y * 3840 + x) * 3, (y * 3840 + x) * 3 + 3);
    }
    const screenshot = await sharp(pixels, { raw: { width: 3840, height: 2160, channels: 3 } })
      .png()
      .toBuffer();
    const region = { x: 1990, y: 990, width: 1200, height: 400 };
    const variant = await makeVariant(screenshot, unknown, { region });
    expect(variant).toMatchObject({ widthPx: 1200, heightPx: 400, mediaType: 'image/png' });
    const decoded = await decodePicture(variant.bytes);
    if (!decoded.ok) throw new Error(decoded.error);
    const line = [...Array(6).keys()].map((x) => decoded.value.pixels[(12 * 1200 + 10 + x) * 4]);
    expect(line).toEqual([0, 255, 0, 255, 0, 255]);
  });

  it('fits a large region into the row like a picture of its own', async () => {
    const sharp = await loadSharp();
    const large = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#3060a0' } })
      .png()
      .toBuffer();
    const variant = await makeVariant(large, unknown, { region: { x: 100, y: 100, width: 3136, height: 1568 } });
    expect(variant).toMatchObject({ widthPx: 1568, heightPx: 784, changes: ['region', 'resized', 'reencoded'] });
    const sliver = await makeVariant(large, rowOf('dashscope-chat'), { region: { x: 0, y: 0, width: 3, height: 5 } });
    expect(sliver).toMatchObject({ widthPx: 11, heightPx: 11, changes: ['region', 'reencoded', 'padded'] });
  });

  it('gives the same bytes each time, and what it gives without a region when nothing is cut off', async () => {
    const original = await storedPicture('jpeg', 6);
    const region = { x: 3, y: 4, width: 50, height: 40 };
    const first = await makeVariant(original, unknown, { region });
    const second = await makeVariant(original, unknown, { region });
    expect(second.bytes).toEqual(first.bytes);
    const whole = { x: 0, y: 0, width: UPRIGHT.widthPx, height: UPRIGHT.heightPx };
    const plain = await makeVariant(original, unknown);
    expect(await makeVariant(original, unknown, { region: whole })).toEqual(plain);
  });

  it('refuses to cut outside the picture', async () => {
    const original = await storedPicture('png', 8);
    for (const region of [
      { x: 90, y: 0, width: 7, height: 1 },
      { x: 0, y: 0, width: 10, height: 65 },
      { x: -1, y: 0, width: 10, height: 10 },
      { x: 0.5, y: 0, width: 10, height: 10 },
      { x: 0, y: 0, width: 0, height: 10 },
    ]) {
      await expect(makeVariant(original, unknown, { region })).rejects.toMatchObject({ code: 'INTERNAL' });
    }
  });

  it('has a key of its own for each region', () => {
    const keys = [
      variantKey(unknown),
      variantKey(unknown, { x: 1, y: 2, width: 3, height: 4 }),
      variantKey(unknown, { x: 12, y: 2, width: 3, height: 4 }),
      variantKey(unknown, { x: 1, y: 2, width: 3, height: 5 }),
    ];
    expect(new Set(keys).size).toBe(4);
  });
});
