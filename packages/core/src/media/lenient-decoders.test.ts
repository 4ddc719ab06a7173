import { readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findLimitRow, unknownLimitRow } from '../catalog/limits.ts';
import { decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { loadSharp } from './load-sharp.ts';
import { makeVariant } from './variant.ts';
import { verifyImage } from './verify.ts';

const casesFolder = new URL('../../../../fixtures/cases/files/', import.meta.url);
const limits = { maxBytes: 2 ** 22, maxPixels: 4_000_000, maxFrames: 1000 };
const png = readFileSync(new URL('ext-png-noextension', casesFolder));
const jpeg = readFileSync(new URL('ok-jpeg-444.jpg', casesFolder));
const gif = readFileSync(new URL('ok-gif.gif', casesFolder));

function verify(bytes: Uint8Array) {
  return verifyImage(bytes, { name: 'a', limits });
}

/** Accepted, but sent as a new encoding that other decoders read, although its bytes would fit. */
async function expectEncodedAnew(bytes: Uint8Array): Promise<void> {
  expect(await verify(bytes)).toMatchObject({ ok: true });
  for (const row of [unknownLimitRow, findLimitRow('openai-chat') ?? unknownLimitRow]) {
    const variant = await makeVariant(bytes, row);
    expect(variant.changes).toContain('reencoded');
    expect(await decodePicture(variant.bytes)).toMatchObject({ ok: true, value: { widthPx: 64, heightPx: 32 } });
  }
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

const header = png.subarray(0, 33);
const end = pngChunk('IEND', new Uint8Array());
/** 64 x 32 px RGB, black, without filters. */
const rows = Buffer.alloc(32 * (1 + 64 * 3));

function pngOf(...chunks: Uint8Array[]): Buffer {
  return Buffer.concat([header, ...chunks]);
}

describe('a PNG that only lenient decoders read', () => {
  it('is encoded anew when it has more pixel data than pixels', async () => {
    await expectEncodedAnew(pngOf(pngChunk('IDAT', deflateSync(Buffer.concat([rows, Buffer.alloc(40)]))), end));
    const whole = pngChunk('IDAT', deflateSync(rows));
    await expectEncodedAnew(pngOf(whole, whole, end));
  });

  it('is encoded anew when its chunks come twice, in an unusual order or with a wrong length', async () => {
    const pixels = pngChunk('IDAT', deflateSync(rows));
    await expectEncodedAnew(pngOf(pixels, header.subarray(8), end));
    await expectEncodedAnew(pngOf(pngChunk('tRNS', Buffer.alloc(2)), pixels, end));
    await expectEncodedAnew(pngOf(pixels, pngChunk('tRNS', Buffer.alloc(6)), end));
  });

  it('is left alone when nothing is unusual', async () => {
    const plain = pngOf(pngChunk('tRNS', Buffer.from([0, 9, 0, 9, 0, 9])), pngChunk('IDAT', deflateSync(rows)), end);
    expect((await makeVariant(plain, unknownLimitRow)).changes).toEqual(['none']);
  });

  it('is encoded anew when pixels name palette entries that there are not', async () => {
    await expectEncodedAnew(readFileSync(new URL('png-palette-index-out-of-range.png', casesFolder)));
    const sharp = await loadSharp();
    const noise = Uint8Array.from({ length: 90 * 50 * 3 }, (_, index) => (index * 2_654_435_761) >>> 24);
    for (const options of [{ colours: 5 }, { colours: 100 }, { colours: 100, adaptiveFiltering: true }]) {
      const whole = await sharp(noise, { raw: { width: 90, height: 50, channels: 3 } })
        .png({ palette: true, ...options })
        .toBuffer();
      expect((await makeVariant(whole, unknownLimitRow)).changes).toEqual(['none']);
    }
  });

  it('is refused for a wrong checksum of a chunk that it needs, the last one too', async () => {
    const damagedEnd = Buffer.from(end);
    damagedEnd[11] = (damagedEnd[11] ?? 0) ^ 1;
    expect(await verify(pngOf(pngChunk('IDAT', deflateSync(rows)), damagedEnd))).toMatchObject({
      error: { code: 'CORRUPT', detail: 'the checksum of IEND is wrong' },
    });
  });

  it('loses a chunk that it does not need when the checksum of that is wrong', async () => {
    const damaged = pngChunk('pHYs', Buffer.alloc(9, 1));
    damaged[10] = 77;
    const bytes = pngOf(damaged, pngChunk('IDAT', deflateSync(rows)), end);
    expect(await verify(bytes)).toMatchObject({ ok: true });
    const variant = await makeVariant(bytes, unknownLimitRow);
    expect(variant.changes).toEqual(['metadata']);
    expect(Buffer.from(variant.bytes).includes('pHYs')).toBe(false);
    expect(await decodePicture(variant.bytes)).toMatchObject({ ok: true });
  });
});

describe('a JPEG that only lenient decoders read', () => {
  const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));

  it('is refused when only its last lines are damaged, whatever is decoded beside it', async () => {
    // Without the last bytes of the compressed data, but with the end mark.
    const damaged = Buffer.concat([jpeg.subarray(0, -8), jpeg.subarray(-2)]);
    const all = Array.from({ length: 24 }, (_, index) => (index % 3 === 0 ? damaged : jpeg));
    const results = await Promise.all(all.map(verify));
    for (const [index, result] of results.entries()) {
      if (index % 3 !== 0) expect(result.ok).toBe(true);
      else expect(result).toMatchObject({ error: { code: 'CORRUPT', detail: 'the last lines are damaged' } });
    }
  });

  it('is encoded anew when a Huffman table is missing that decoders know by heart', async () => {
    const start = jpeg.indexOf(Buffer.from([0xff, 0xc4]));
    const length = jpeg.readUInt16BE(start + 2) + 2;
    await expectEncodedAnew(Buffer.concat([jpeg.subarray(0, start), jpeg.subarray(start + length)]));
  });

  it('is encoded anew when segments stand in it that do not belong to its kind', async () => {
    const conditioning = Buffer.from([0xff, 0xcc, 0, 4, 0, 0x10]);
    await expectEncodedAnew(Buffer.concat([jpeg.subarray(0, scan), conditioning, jpeg.subarray(scan)]));
  });

  it('is encoded anew when a second scan follows the complete picture', async () => {
    await expectEncodedAnew(Buffer.concat([jpeg.subarray(0, -2), jpeg.subarray(scan)]));
  });

  it.each(['ok-jpeg-444.jpg', 'jpeg-progressive.jpg', 'jpeg-411.jpg', 'jpeg-fill-bytes.jpg'])(
    'is left alone when it is whole: %s',
    async (name) => {
      const whole = readFileSync(new URL(name, casesFolder));
      expect((await makeVariant(whole, unknownLimitRow)).changes).not.toContain('reencoded');
    },
  );
});

describe('a GIF that only lenient decoders read', () => {
  /** A canvas of 2 x 2 px; every code has three bits, 4 clears, 5 ends. */
  function gifOf(codes: readonly number[]): Buffer {
    const bits = codes.reduce((all, code, index) => all | (BigInt(code) << BigInt(index * 3)), 0n);
    const data = [0, 1, 2, 3, 4, 5].map((index) => Number((bits >> BigInt(index * 8)) & 0xffn));
    const screen = [...Buffer.from('GIF89a', 'latin1'), 2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
    return Buffer.from([...screen, 0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, data.length, ...data, 0, 0x3b]);
  }

  it('is refused when pixels are missing', async () => {
    expect((await verify(gifOf([4, 1, 4, 1, 4, 1, 4, 1, 5]))).ok).toBe(true);
    expect(await verify(gifOf([4, 1, 4, 1, 4, 1, 5]))).toMatchObject({
      error: { code: 'CORRUPT', truncated: false, detail: 'pixels are missing' },
    });
  });

  it('is encoded anew when there are more than the frame holds', async () => {
    const row = findLimitRow('openai-chat') ?? unknownLimitRow;
    expect((await makeVariant(gifOf([4, 1, 4, 1, 4, 1, 4, 1, 5]), row)).changes).toEqual(['none']);
    expect((await makeVariant(gifOf([4, 1, 4, 1, 4, 1, 4, 1, 4, 1, 4, 1, 5]), row)).changes).toContain('reencoded');
    // Behind the last pixel a code that was never defined.
    expect((await makeVariant(gifOf([4, 1, 4, 1, 4, 1, 4, 1, 7]), row)).changes).toContain('reencoded');
  });

  it('is counted right through growing codes and full tables', async () => {
    const sharp = await loadSharp();
    const noise = Uint8Array.from({ length: 300 * 200 * 3 }, (_, index) => (index * 2_654_435_761) >>> 24);
    for (const bytes of [
      gif,
      await sharp(noise, { raw: { width: 300, height: 200, channels: 3 } })
        .gif()
        .toBuffer(),
    ]) {
      expect((await verify(bytes)).ok).toBe(true);
      const row = findLimitRow('openai-chat') ?? unknownLimitRow;
      expect((await makeVariant(bytes, row)).changes).not.toContain('reencoded');
    }
  });
});

describe('a WebP that only lenient decoders read', () => {
  it('is encoded anew when it is an animation of one frame', async () => {
    const sharp = await loadSharp();
    const still = await sharp({ create: { width: 64, height: 32, channels: 3, background: '#3060a0' } })
      .webp()
      .toBuffer();
    const image = still.subarray(12);
    const frame = Buffer.alloc(24);
    frame.write('ANMF', 0, 'latin1');
    frame.writeUInt32LE(16 + image.length, 4);
    frame.writeUIntLE(63, 14, 3);
    frame.writeUIntLE(31, 17, 3);
    const extended = Buffer.alloc(18);
    extended.write('VP8X', 0, 'latin1');
    extended.writeUInt32LE(10, 4);
    extended[8] = 0x02;
    extended.writeUIntLE(63, 12, 3);
    extended.writeUIntLE(31, 15, 3);
    const animation = Buffer.alloc(14);
    animation.write('ANIM', 0, 'latin1');
    animation.writeUInt32LE(6, 4);
    const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), extended, animation, frame, image]);
    const riff = Buffer.alloc(8);
    riff.write('RIFF', 0, 'latin1');
    riff.writeUInt32LE(body.length, 4);
    await expectEncodedAnew(Buffer.concat([riff, body]));
  });
});
