import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unknownLimitRow } from '../catalog/limits.ts';
import { decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { loadSharp } from './load-sharp.ts';
import type { PixelRegion } from './region.ts';
import { makeVariant } from './variant.ts';
import { verifyImage } from './verify.ts';

const BLUE = [20, 40, 230] as const;
const limits = { maxBytes: 2 ** 26, maxPixels: 40_000_000, maxFrames: 100 };

interface Drawing {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Blue on white. */
  readonly rectangle: PixelRegion;
}

async function draw({ widthPx, heightPx, rectangle }: Drawing) {
  const sharp = await loadSharp();
  const [r, g, b] = BLUE;
  const blue = { width: rectangle.width, height: rectangle.height, channels: 3 as const, background: { r, g, b } };
  return sharp({ create: { width: widthPx, height: heightPx, channels: 3, background: '#ffffff' } }).composite([
    { input: await sharp({ create: blue }).png().toBuffer(), left: rectangle.x, top: rectangle.y },
  ]);
}

/** The largest distance from blue, one pixel away from the edges. */
function distanceFromBlue({
  widthPx,
  heightPx,
  pixels,
}: {
  widthPx: number;
  heightPx: number;
  pixels: Uint8Array | Uint8ClampedArray;
}): number {
  let largest = 0;
  for (let y = 1; y < heightPx - 1; y += 1) {
    for (let x = 1; x < widthPx - 1; x += 1) {
      for (const [channel, value] of BLUE.entries()) {
        largest = Math.max(largest, Math.abs((pixels[(y * widthPx + x) * 4 + channel] ?? 0) - value));
      }
    }
  }
  return largest;
}

async function decoded(bytes: Uint8Array) {
  const result = await decodePicture(bytes);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

describe('a region of a large picture', () => {
  const drawing = { widthPx: 5200, heightPx: 4000, rectangle: { x: 1001, y: 803, width: 3304, height: 2407 } };

  it.each([
    [1, drawing.rectangle],
    [6, { x: 4000 - 803 - 2407, y: 1001, width: 2407, height: 3304 }],
  ] as const)(
    'is cut within a pixel out of a JPEG that was made smaller first, orientation %i',
    async (orientation, region) => {
      const jpeg = await (await draw(drawing)).jpeg({ quality: 90 }).withMetadata({ orientation }).toBuffer();
      const variant = await makeVariant(jpeg, unknownLimitRow, { region });
      const isTurned = orientation === 6;
      expect(variant).toMatchObject({ widthPx: isTurned ? 1142 : 1568, heightPx: isTurned ? 1568 : 1142 });
      // JPEG mixes colours over two pixels; white itself is 235 away.
      expect(distanceFromBlue(await decoded(variant.bytes))).toBeLessThan(90);
    },
    30_000,
  );

  it.each([1, 5] as const)(
    'is as large as the decoder can hold of a WebP, and says so, orientation %i',
    async (orientation) => {
      const rectangle = { x: 6301, y: 4203, width: 400, height: 300 };
      const webp = await (await draw({ widthPx: 7000, heightPx: 5714, rectangle }))
        .webp({ lossless: true, effort: 0 })
        .withMetadata({ orientation })
        .toBuffer();
      const isTurned = orientation === 5;
      const region = isTurned ? { x: rectangle.y, y: rectangle.x, width: 300, height: 400 } : rectangle;
      const variant = await makeVariant(webp, unknownLimitRow, { region });
      expect(variant.changes).toEqual(expect.arrayContaining(['region', 'resized']));
      const longPx = Math.max(variant.widthPx, variant.heightPx);
      expect(longPx).toBeGreaterThan(315);
      expect(longPx).toBeLessThan(400);
      const shown = await decoded(variant.bytes);
      expect(shown.widthPx > shown.heightPx).toBe(!isTurned);
      expect(distanceFromBlue(shown)).toBeLessThan(24);
    },
    30_000,
  );

  it('is at full resolution in a WebP of 32 megapixels', async () => {
    const rectangle = { x: 6301, y: 4203, width: 400, height: 300 };
    const webp = await (await draw({ widthPx: 7000, heightPx: 4600, rectangle }))
      .webp({ lossless: true, effort: 0 })
      .toBuffer();
    const variant = await makeVariant(webp, unknownLimitRow, { region: rectangle });
    expect(variant).toMatchObject({ widthPx: 400, heightPx: 300, changes: ['region', 'reencoded'] });
  }, 30_000);
});

describe('a large GIF whose frame covers a part of the canvas', () => {
  /** A frame of 4000 x 3000 px at 200,600 on a canvas of 5200 x 4000 px. */
  async function partialGif(): Promise<Buffer> {
    const sharp = await loadSharp();
    const [r, g, b] = BLUE;
    const frame = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: { r, g, b } } })
      .gif()
      .toBuffer();
    frame.writeUInt16LE(5200, 6);
    frame.writeUInt16LE(4000, 8);
    const image = frame.indexOf(Buffer.from([0x2c, 0, 0, 0, 0]));
    frame.writeUInt16LE(200, image + 1);
    frame.writeUInt16LE(600, image + 3);
    return frame;
  }

  it('shows the frame in its place and nothing around it', async () => {
    const variant = await makeVariant(await partialGif(), unknownLimitRow);
    const { widthPx, heightPx, pixels } = await decoded(variant.bytes);
    expect([widthPx, heightPx]).toEqual([1568, 1206]);
    const alphaAt = (x: number, y: number) => pixels[(y * widthPx + x) * 4 + 3];
    const scale = 1568 / 5200;
    const [left, right, top, bottom] = [200, 4200, 600, 3600].map((value) => Math.round(value * scale)) as [
      number,
      number,
      number,
      number,
    ];
    expect([alphaAt(left - 2, 600), alphaAt(left + 2, 600), alphaAt(right - 2, 600), alphaAt(right + 2, 600)]).toEqual([
      0, 255, 255, 0,
    ]);
    expect([alphaAt(700, top - 2), alphaAt(700, top + 2), alphaAt(700, bottom - 2), alphaAt(700, bottom + 2)]).toEqual([
      0, 255, 255, 0,
    ]);
    const at = (600 * widthPx + 700) * 4;
    expect([...pixels.subarray(at, at + 3)]).toEqual([...BLUE]);
  });

  it('shows a region of it, also where there is nothing', async () => {
    const gif = await partialGif();
    const corner = await makeVariant(gif, unknownLimitRow, { region: { x: 190, y: 590, width: 30, height: 20 } });
    const { pixels } = await decoded(corner.bytes);
    const alphas = [0, 9, 10, 29].map((x) => pixels[(15 * 30 + x) * 4 + 3]);
    expect([...alphas, pixels[(9 * 30 + 15) * 4 + 3], pixels[(10 * 30 + 15) * 4 + 3]]).toEqual([
      0, 0, 255, 255, 0, 255,
    ]);
    const empty = await decoded(
      (await makeVariant(gif, unknownLimitRow, { region: { x: 5000, y: 0, width: 40, height: 30 } })).bytes,
    );
    expect([empty.widthPx, empty.heightPx, empty.pixels.every((value, index) => index % 4 < 3 || value === 0)]).toEqual(
      [40, 30, true],
    );
  });
});

describe('a picture that no decoder can hold', () => {
  function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
    const framed = Buffer.alloc(data.length + 12);
    framed.writeUInt32BE(data.length);
    framed.write(type, 4, 'latin1');
    framed.set(data, 8);
    framed.writeUInt32BE(crc32(framed.subarray(4, -4)), data.length + 8);
    return framed;
  }

  /** RGBA of 8 bits; all its pixels are transparent. */
  function png(widthPx: number, heightPx: number): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(widthPx, 0);
    header.writeUInt32BE(heightPx, 4);
    header.set([8, 6, 0, 0, 0], 8);
    const data = deflateSync(Buffer.alloc((1 + widthPx * 4) * heightPx), { level: 1 });
    return Buffer.concat([
      Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
      chunk('IHDR', header),
      chunk('IDAT', data),
      chunk('IEND'),
    ]);
  }

  /** Frame and scan header without any data: nothing of it may be decoded. */
  function jpegHeader(marker: number, components: number): Buffer {
    const ids = Array.from({ length: components }, (_, index) => index + 1);
    const frame = [8, 5000 >> 8, 5000 & 255, 8000 >> 8, 8000 & 255, components, ...ids.flatMap((id) => [id, 0x11, 0])];
    return Buffer.from([
      0xff,
      0xd8,
      0xff,
      marker,
      0,
      frame.length + 2,
      ...frame,
      0xff,
      0xda,
      0,
      8,
      1,
      1,
      0,
      0,
      0,
      0,
      0xff,
      0xd9,
    ]);
  }

  it.each([
    ['rows of four million pixels', png(4_000_000, 10)],
    ['one row', png(20_000_000, 1)],
    ['progressive CMYK in arithmetic coding', jpegHeader(0xca, 4)],
    ['eight components in several scans', jpegHeader(0xc2, 8)],
  ])('is refused on its header, with the limit for its kind: %s', async (_, bytes) => {
    const result = await verifyImage(bytes, { name: 'odd', limits });
    if (result.ok) throw new Error('accepted');
    const { code, detail, limit = 0, actual = 0 } = result.error;
    expect([code, detail]).toEqual(['TOO_MANY_PIXELS', 'costly-kind']);
    expect(limit).toBeLessThan(Math.min(actual, 40_000_000));
    expect(limit).toBeGreaterThan(1_000_000);
  });

  it('is accepted within that limit', async () => {
    const refused = await verifyImage(png(4_000_000, 10), { name: 'odd', limits });
    const limit = refused.ok ? 0 : (refused.error.limit ?? 0);
    const widthPx = Math.floor(limit / 10);
    expect(await verifyImage(png(widthPx, 10), { name: 'odd', limits })).toMatchObject({ ok: true });
  });
});
