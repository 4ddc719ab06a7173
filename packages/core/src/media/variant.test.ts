import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LimitRow } from '../catalog/limit-row.ts';
import { findLimitRow } from '../catalog/limits.ts';
import { decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { digestOf } from './digest.ts';
import { loadSharp } from './load-sharp.ts';
import { makeVariant, variantKey } from './variant.ts';

const casesFolder = new URL('../../../../fixtures/cases/files/', import.meta.url);
const unknown = rowOf('unknown');
const offline = rowOf('offline');

function rowOf(id: string): LimitRow {
  const row = findLimitRow(id);
  if (row === undefined) throw new Error(id);
  return row;
}

describe('makeVariant', () => {
  it("gives the original's own bytes when they fit already", async () => {
    const icon = await solidPng(64, 64);
    const variant = await makeVariant(icon, unknown);
    expect(variant.changes).toEqual(['none']);
    expect(variant.bytes).toBe(icon);
    expect(variant).toMatchObject({ digest: digestOf(icon), mediaType: 'image/png', sizeBytes: icon.length });
  });

  it('scales the longest edge to 1568 px, keeps the proportions and never enlarges', async () => {
    expect(await makeVariant(await solidPng(3840, 2160), unknown)).toMatchObject({
      widthPx: 1568,
      heightPx: 882,
      changes: ['resized', 'reencoded'],
    });
    expect(await makeVariant(await solidPng(100, 1569), unknown)).toMatchObject({ widthPx: 100, heightPx: 1568 });
    expect(await makeVariant(await solidPng(1568, 20), unknown)).toMatchObject({ widthPx: 1568, changes: ['none'] });
  });

  it('gives the same bytes and digest each time', async () => {
    const photo = await noisePicture('jpeg', 2000, 1500);
    const [first, second] = await Promise.all([makeVariant(photo, unknown), makeVariant(photo, unknown)]);
    expect(second.digest).toBe(first.digest);
    expect(digestOf(first.bytes)).toBe(first.digest);
    expect(second.bytes).toEqual(first.bytes);
  });

  it('removes metadata without touching the pixels', async () => {
    for (const name of ['meta-png-text-marker.png', 'jpeg-mpo-second-image.jpg', 'jpeg-huge-broken-icc.jpg']) {
      const original = readFileSync(new URL(name, casesFolder));
      const variant = await makeVariant(original, unknown);
      expect(variant.changes).toEqual(['metadata']);
      expect(variant.sizeBytes).toBeLessThan(original.length);
      const [before, after] = await Promise.all([pixelsOf(original), pixelsOf(variant.bytes)]);
      expect(after.equals(before)).toBe(true);
    }
  });

  it('removes Exif, XMP and ICC of a WebP and corrects its headers', async () => {
    const sharp = await loadSharp();
    const original = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#203040' } })
      .withExif({ IFD0: { Copyright: 'MARKER-OWNER' } })
      .withIccProfile('srgb')
      .webp({ lossless: true })
      .toBuffer();
    expect(original.includes('MARKER-OWNER')).toBe(true);
    const variant = await makeVariant(original, rowOf('openai-chat'));
    expect(variant).toMatchObject({ changes: ['metadata'], mediaType: 'image/webp' });
    const bytes = Buffer.from(variant.bytes);
    for (const gone of ['MARKER-OWNER', 'EXIF', 'ICCP', 'XMP ']) expect(bytes.includes(gone)).toBe(false);
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect((await decodePicture(variant.bytes)).ok).toBe(true);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)('turns orientation %i upright', async (orientation) => {
    const sharp = await loadSharp();
    const jpeg = await sharp(await fourColorPixels(), { raw: { width: 64, height: 32, channels: 3 } })
      .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
      .withExif({ IFD0: { Orientation: String(orientation) } })
      .withMetadata({ orientation })
      .toBuffer();
    const expected = await sharp(jpeg, { autoOrient: true }).raw().toBuffer({ resolveWithObject: true });
    const variant = await makeVariant(jpeg, unknown);
    expect(variant).toMatchObject({ widthPx: expected.info.width, heightPx: expected.info.height });
    const found = await pixelsOf(variant.bytes);
    const differences = found.map((value, index) => Math.abs(value - (expected.data[index] ?? 0)));
    // Blurred colour edges apart, the same picture.
    expect(differences.filter((difference) => difference > 24).length / differences.length).toBeLessThan(0.05);
  });

  it('takes the first frame of an animation and says so', async () => {
    const gif = readFileSync(new URL('gif-animated-3.gif', casesFolder));
    expect(await makeVariant(gif, unknown)).toMatchObject({
      mediaType: 'image/png',
      changes: ['first-frame', 'reencoded', 'metadata'],
    });
    const still = await makeVariant(gif, rowOf('openai-chat'));
    expect(still).toMatchObject({ mediaType: 'image/gif', changes: ['first-frame', 'metadata'] });
    const decoded = await decodePicture(still.bytes);
    expect(decoded.ok && decoded.value.frames).toBe(1);
  });

  it('shows the whole canvas of a GIF whose first frame covers a part of it', async () => {
    const gif = smallFrameGif({ canvasWidth: 640, canvasHeight: 480 });
    const variant = await makeVariant(gif, unknown);
    expect(variant).toMatchObject({ widthPx: 640, heightPx: 480, mediaType: 'image/png' });
    const decoded = await decodePicture(variant.bytes);
    if (!decoded.ok) throw new Error(decoded.error);
    const alphaAt = (x: number, y: number) => decoded.value.pixels[(y * 640 + x) * 4 + 3];
    expect([alphaAt(10, 20), alphaAt(11, 21), alphaAt(9, 20), alphaAt(12, 20), alphaAt(600, 400)]).toEqual([
      255, 255, 0, 0, 0,
    ]);
  });

  it('renders a GIF whose first frame leaves a margin anew for an endpoint that takes GIF, too', async () => {
    for (const id of ['openai-chat', 'anthropic']) {
      const margin = smallFrameGif({ canvasWidth: 32, canvasHeight: 40 });
      expect(await makeVariant(margin, rowOf(id)), id).toMatchObject({
        mediaType: 'image/png',
        widthPx: 32,
        heightPx: 40,
        changes: ['reencoded'],
      });
      const filled = smallFrameGif({ canvasWidth: 2, canvasHeight: 2, left: 0, top: 0 });
      expect(await makeVariant(filled, rowOf(id)), id).toMatchObject({ mediaType: 'image/gif', changes: ['none'] });
    }
  });

  it('puts white under transparency when the endpoint takes no format with alpha', async () => {
    const original = readFileSync(new URL('png-rgb-trns-key.png', casesFolder));
    const variant = await makeVariant(original, { ...unknown, formats: ['jpeg'] });
    expect(variant.mediaType).toBe('image/jpeg');
    const pixels = await pixelsOf(variant.bytes);
    expect(Math.min(...pixels.subarray((8 * 64 + 8) * 3, (8 * 64 + 8) * 3 + 3))).toBeGreaterThan(250);
  });

  it('drops an alpha channel that says nothing', async () => {
    const sharp = await loadSharp();
    const original = await sharp({ create: { width: 1700, height: 40, channels: 4, background: '#804020' } })
      .png()
      .toBuffer();
    const variant = await makeVariant(original, unknown);
    expect((await sharp(variant.bytes).metadata()).channels).toBe(3);
  });

  it('chooses PNG for flat content and JPEG for photos, by source and sample', async () => {
    const flat = await makeVariant(await solidPng(2000, 1200), unknown);
    expect(flat.mediaType).toBe('image/png');
    const noisy = await makeVariant(await noisePicture('png', 2000, 1200), unknown);
    expect(noisy.mediaType).toBe('image/jpeg');
    const photo = await makeVariant(await noisePicture('jpeg', 2000, 1200), unknown);
    expect(photo.mediaType).toBe('image/jpeg');
  });

  it('stays clearly under the bytes that the row allows, counted in base64', async () => {
    const noise = await noisePicture('png', 1500, 1500);
    for (const row of [
      { ...unknown, maxRaw: 200_000, maxB64: null },
      { ...unknown, maxRaw: null, maxB64: 200_000 },
    ]) {
      const variant = await makeVariant(noise, row);
      const limit = row.maxRaw ?? 150_000;
      expect(variant.sizeBytes).toBeLessThan(limit * 0.96);
      expect(variant.sizeBytes).toBeGreaterThan(limit * 0.4);
      expect(variant.widthPx).toBe(variant.heightPx);
      expect(variant.changes).toContain('resized');
    }
  });

  it('converts CMYK, 16 bits a sample and foreign profiles to 8-bit sRGB', async () => {
    const sharp = await loadSharp();
    const red = { create: { width: 64, height: 64, channels: 3 as const, background: '#e01818' } };
    const cmyk = await sharp(red).toColourspace('cmyk').jpeg().toBuffer();
    const wide = await sharp(red).withIccProfile('p3').jpeg({ quality: 95 }).toBuffer();
    const deep = await sharp(red).toColourspace('rgb16').png().toBuffer();
    expect((await sharp(deep).metadata()).depth).toBe('ushort');
    for (const original of [cmyk, wide, deep]) {
      const variant = await makeVariant(original, unknown);
      expect(variant.changes).toContain('reencoded');
      const metadata = await sharp(variant.bytes).metadata();
      expect(metadata).toMatchObject({ space: 'srgb', depth: 'uchar', channels: 3 });
      expect(metadata.icc).toBeUndefined();
    }
    const shown = await pixelsOf((await makeVariant(wide, unknown)).bytes);
    expect(Math.abs((shown[0] ?? 0) - 0xe0)).toBeLessThan(6);
  });

  it('leaves originals up to 4096 px to the built-in reader as they are, metadata included, but upright', async () => {
    const large = await noisePicture('jpeg', 3000, 40);
    expect(await makeVariant(large, offline)).toMatchObject({ changes: ['none'], widthPx: 3000 });
    const marked = readFileSync(new URL('meta-png-text-marker.png', casesFolder));
    expect(await makeVariant(marked, offline)).toMatchObject({ changes: ['none'], digest: digestOf(marked) });
    const turned = readFileSync(new URL('exif-orient-6.jpg', casesFolder));
    expect(await makeVariant(turned, offline)).toMatchObject({ widthPx: 64, heightPx: 32 });
    expect(await makeVariant(await solidPng(5000, 30), offline)).toMatchObject({ widthPx: 4096 });
  });

  it('pads what the endpoint takes for too small or too narrow, on white', async () => {
    const row = rowOf('dashscope-chat');
    const tiny = await makeVariant(await solidPng(3, 5), row);
    expect(tiny).toMatchObject({ widthPx: 11, heightPx: 11, changes: ['reencoded', 'padded'] });
    const sliver = await makeVariant(readFileSync(new URL('png-sliver-20000x1.png', casesFolder)), row);
    expect(sliver.widthPx / sliver.heightPx).toBeLessThan(200);
    expect(sliver.changes).toEqual(['resized', 'reencoded', 'padded']);
  });

  it('refuses to work on bytes that are no picture, and stops when it is cancelled', async () => {
    await expect(makeVariant(new TextEncoder().encode('no picture'), unknown)).rejects.toMatchObject({
      code: 'CORRUPT',
    });
    const large = await solidPng(2000, 2000);
    await expect(makeVariant(large, unknown, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELED',
    });
  });
});

describe('variantKey', () => {
  it('names the policy version, the row and what in it decides variants, and nothing else', () => {
    expect(variantKey(unknown)).toMatch(/^v1:unknown:[0-9a-f]{8}$/);
    expect(variantKey({ ...unknown, maxImages: 3, note: 'x', body: 1 })).toBe(variantKey(unknown));
    for (const change of [{ edge: 800 }, { maxRaw: 1 }, { maxSide: 1 }, { formats: ['png'] }] as Partial<LimitRow>[]) {
      expect(variantKey({ ...unknown, ...change })).not.toBe(variantKey(unknown));
    }
  });
});

async function solidPng(width: number, height: number): Promise<Uint8Array> {
  const sharp = await loadSharp();
  return sharp({ create: { width, height, channels: 3, background: '#3060a0' } })
    .png()
    .toBuffer();
}

async function noisePicture(format: 'png' | 'jpeg', width: number, height: number): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const small = Uint8Array.from({ length: 200 * 200 * 3 }, (_, index) => (index * 2654435761) >>> 24);
  return sharp(small, { raw: { width: 200, height: 200, channels: 3 } })
    .resize(width, height, { fit: 'fill' })
    .toFormat(format)
    .toBuffer();
}

async function fourColorPixels(): Promise<Uint8Array> {
  const colors = [
    [220, 30, 30],
    [30, 180, 60],
    [40, 60, 210],
    [230, 210, 40],
  ];
  return Uint8Array.from({ length: 64 * 32 }).reduce<Uint8Array>(
    (pixels, _, index) => {
      const quadrant = (index % 64 < 32 ? 0 : 1) + (index < 64 * 16 ? 0 : 2);
      pixels.set(colors[quadrant] ?? [], index * 3);
      return pixels;
    },
    new Uint8Array(64 * 32 * 3),
  );
}

/** Pixels without alpha. */
async function pixelsOf(bytes: Uint8Array): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(bytes).removeAlpha().raw().toBuffer();
}

interface SmallFrame {
  readonly canvasWidth: number;
  readonly canvasHeight: number;
  readonly left?: number;
  readonly top?: number;
}

/** A GIF with a red frame of 2 x 2 px, at 10,20 on its canvas if nothing else is said. */
function smallFrameGif({ left = 10, top = 20, ...canvas }: SmallFrame): Uint8Array {
  const header = Buffer.alloc(13);
  header.write('GIF89a', 'latin1');
  header.writeUInt16LE(canvas.canvasWidth, 6);
  header.writeUInt16LE(canvas.canvasHeight, 8);
  header[10] = 0x80;
  const table = [0, 0, 0, 255, 0, 0];
  const image = [0x2c, left, 0, top, 0, 2, 0, 2, 0, 0];
  return Buffer.concat([header, Buffer.from([...table, ...image, 2, ...lzwData(), 0, 0x3b])]);
}

/** Clear after each pixel keeps every code at three bits. */
function lzwData(): number[] {
  const codes = [4, 1, 4, 1, 4, 1, 4, 1, 5];
  const bits = codes.reduce((all, code, index) => all | (BigInt(code) << BigInt(index * 3)), 0n);
  return [4, ...[0, 1, 2, 3].map((index) => Number((bits >> BigInt(index * 8)) & 0xffn))];
}
