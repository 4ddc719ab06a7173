import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findLimitRow, unknownLimitRow } from '../catalog/limits.ts';
import { decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { makeVariant } from './variant.ts';
import { verifyImage } from './verify.ts';

const WIDTH = 24;
const HEIGHT = 16;
const limits = { maxBytes: 2 ** 24, maxPixels: 1_000_000, maxFrames: 100 };

function chunk(type: string, data: Uint8Array | readonly number[] = []): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length);
  framed.write(type, 4, 'latin1');
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), data.length + 8);
  return framed;
}

const header = Buffer.alloc(13);
header.writeUInt32BE(WIDTH, 0);
header.writeUInt32BE(HEIGHT, 4);
header.set([8, 2, 0, 0, 0], 8);
const rows = Buffer.concat(
  Array.from({ length: HEIGHT }, () => Buffer.concat([Buffer.alloc(1), Buffer.alloc(WIDTH * 3, 120)])),
);
const compressed = deflateSync(rows);
const pixels = chunk('IDAT', compressed);
const end = chunk('IEND');
const density = chunk('pHYs', [0, 0, 11, 19, 0, 0, 11, 19, 1]);

function png(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'), chunk('IHDR', header), ...chunks]);
}

function repeat(bytes: Buffer, times: number): Buffer {
  return Buffer.alloc(bytes.length * times, bytes);
}

/** The compressed pixels, a few bytes a chunk. */
function inPieces(sizeBytes: number, data: Uint8Array = compressed): Buffer[] {
  return Array.from({ length: Math.ceil(data.length / sizeBytes) }, (_, index) =>
    chunk('IDAT', data.subarray(index * sizeBytes, (index + 1) * sizeBytes)),
  );
}

describe('a PNG that is put together as no writer does it', () => {
  it.each([
    ['250,000 empty pieces of pixels', png(repeat(chunk('IDAT'), 250_000), pixels, end)],
    ['one empty piece of pixels', png(pixels, chunk('IDAT'), end)],
    ['pixels in hundreds of crumbs', png(...inPieces(1, deflateSync(rows, { level: 0 })), end)],
    ['a companion thousands of times', png(repeat(density, 5000), pixels, end)],
    ['a companion twice', png(density, density, pixels, end)],
    ['a companion with more in it than it can say', png(chunk('pHYs', Buffer.alloc(4000, 7)), pixels, end)],
    ['a companion behind the pixels', png(pixels, density, end)],
    ['an end mark with something in it', png(pixels, chunk('IEND', Buffer.from('not for everyone')))],
  ])('is encoded anew: %s', async (_, original) => {
    expect(await verifyImage(original, { name: 'odd.png', limits })).toMatchObject({ ok: true });
    for (const row of [unknownLimitRow, findLimitRow('openai-chat') ?? unknownLimitRow]) {
      const variant = await makeVariant(original, row);
      expect(variant.changes).toContain('reencoded');
      expect(variant.sizeBytes).toBeLessThan(400);
      const decoded = await decodePicture(variant.bytes);
      expect(decoded.ok && [...decoded.value.pixels.subarray(0, 4)]).toEqual([120, 120, 120, 255]);
    }
  });
});

describe('a PNG that is put together in a usual way', () => {
  it.each([
    ['pixels in one piece', png(pixels, end)],
    ['pixels in a few pieces', png(...inPieces(3), end)],
    ['companions before the pixels', png(chunk('sRGB', [0]), density, chunk('bKGD', [0, 1, 0, 1, 0, 1]), pixels, end)],
  ])('is sent as it is: %s', async (_, original) => {
    const variant = await makeVariant(original, unknownLimitRow);
    expect(variant.changes).toEqual(['none']);
    expect(variant.bytes).toBe(original);
  });
});
