import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { PixelArea } from './image-layout.ts';
import { loadSharp } from './load-sharp.ts';
import { openConverted } from './open-converted.ts';
import { readDeepPng } from './read-deep-png.ts';
import { readLayout } from './read-layout.ts';

function chunk(type: string, data: Uint8Array | readonly number[] = []): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length);
  framed.write(type, 4, 'latin1');
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), data.length + 8);
  return framed;
}

/** The chunk goes behind the header. */
function withChunk(png: Uint8Array, added: Uint8Array): Buffer {
  return Buffer.concat([png.subarray(0, 33), added, png.subarray(33)]);
}

interface Kind {
  readonly channels: 3 | 4;
  readonly isGray?: boolean;
  readonly isInterlaced: boolean;
  readonly widthPx?: number;
  readonly heightPx?: number;
}

const WIDTH = 37;
const HEIGHT = 29;

/** 16-bit samples without order, and with every filter that the writer chooses. */
async function deepPng({ channels, isGray, isInterlaced, widthPx = WIDTH, heightPx = HEIGHT }: Kind): Promise<Buffer> {
  const sharp = await loadSharp();
  const samples = Uint16Array.from({ length: widthPx * heightPx * channels }, (_, index) =>
    // Smooth along rows with some noise: all filters get their turn.
    Math.min(
      65_535,
      ((index % (widthPx * channels)) * 331 + ((Math.imul(index, 2_654_435_761) >>> 22) & 1023)) & 65_535,
    ),
  );
  const raw = { width: widthPx, height: heightPx, channels };
  const pipeline = sharp(samples, { raw }).toColourspace(isGray === true ? 'grey16' : 'rgb16');
  return pipeline.png({ progressive: isInterlaced, adaptiveFiltering: true, compressionLevel: 6 }).toBuffer();
}

const whole = (widthPx = WIDTH, heightPx = HEIGHT): PixelArea => ({
  left: 0,
  top: 0,
  width: widthPx,
  height: heightPx,
});
const areas: readonly PixelArea[] = [
  whole(),
  { left: 3, top: 5, width: 30, height: 21 },
  { left: 10, top: 4, width: 9, height: 8 },
  { left: 36, top: 28, width: 1, height: 1 },
  { left: 0, top: 27, width: 37, height: 1 },
];

/** As the decoder shows it that is used for every smaller picture. */
async function shownByDecoder(bytes: Uint8Array, area: PixelArea): Promise<Buffer> {
  const layout = readLayout(bytes);
  const pipeline = (await openConverted(await loadSharp(), bytes, layout)).extract(area).toColourspace('srgb');
  return (layout.hasAlpha ? pipeline.ensureAlpha() : pipeline.removeAlpha()).raw({ depth: 'uchar' }).toBuffer();
}

async function expectSame(bytes: Uint8Array, area: PixelArea): Promise<void> {
  const layout = readLayout(bytes);
  const { data, channels } = await readDeepPng(await loadSharp(), bytes, { layout, area });
  expect(channels).toBe(layout.hasAlpha ? 4 : 3);
  expect(Buffer.from(data).equals(await shownByDecoder(bytes, area))).toBe(true);
}

const kinds = [
  ['RGB', { channels: 3 }],
  ['RGBA', { channels: 4 }],
  ['grey', { channels: 3, isGray: true }],
  ['grey with alpha', { channels: 4, isGray: true }],
] as const;

describe.each([true, false])('a PNG of 16-bit samples, interlaced: %s', (isInterlaced) => {
  it.each(kinds)('has the pixels that the decoder shows, as a whole and in parts: %s', async (_, kind) => {
    const bytes = await deepPng({ ...kind, isInterlaced });
    expect([bytes[24], bytes[28]]).toEqual([16, isInterlaced ? 1 : 0]);
    for (const area of areas) await expectSame(bytes, area);
  });

  it.each([
    [1, 1],
    [2, 1],
    [1, 2],
    [5, 3],
    [8, 9],
    [3, 40],
  ])('has them in the smallest sizes: %i x %i px', async (widthPx, heightPx) => {
    const bytes = await deepPng({ channels: 4, isInterlaced, widthPx, heightPx });
    await expectSame(bytes, whole(widthPx, heightPx));
  });

  it('makes its transparent colour transparent', async () => {
    const sharp = await loadSharp();
    const bytes = await deepPng({ channels: 3, isInterlaced });
    const samples = await sharp(bytes).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
    const [red = 0, green = 0, blue = 0] = new Uint16Array(samples.buffer, samples.byteOffset + 6 * 40, 3);
    const key = Buffer.alloc(6);
    for (const [index, sample] of [red, green, blue].entries()) key.writeUInt16BE(sample, index * 2);
    const keyed = withChunk(bytes, chunk('tRNS', key));
    const { data } = await readDeepPng(sharp, keyed, { layout: readLayout(keyed), area: whole() });
    expect([data[40 * 4 + 3], data[41 * 4 + 3]]).toEqual([0, 255]);
    await expectSame(keyed, whole());
  });

  it('converts colours as they are converted in every picture', async () => {
    const sharp = await loadSharp();
    const small = sharp({ create: { width: 1, height: 1, channels: 3, background: '#000' } });
    const { icc } = await sharp(await small.withIccProfile('p3').png().toBuffer()).metadata();
    const profile = chunk(
      'iCCP',
      Buffer.concat([Buffer.from('p3\0\0', 'latin1'), deflateSync(icc ?? Buffer.alloc(0))]),
    );
    const linear = chunk('gAMA', [0, 1, 0x86, 0xa0]);
    for (const kind of [{ channels: 3 }, { channels: 4 }, { channels: 4, isGray: true }] as const) {
      // So high that several bands are converted.
      const bytes = await deepPng({ ...kind, isInterlaced, widthPx: 301, heightPx: 1999 });
      const area = { left: 7, top: 3, width: 290, height: 1990 };
      const chunks = kind.channels === 4 && 'isGray' in kind ? [linear] : [linear, profile];
      for (const added of chunks) await expectSame(withChunk(bytes, added), area);
    }
  });

  it('is damaged when rows are missing or filtered in a way that there is not', async () => {
    const layoutOf = async (rows: Buffer) => {
      const header = Buffer.alloc(13);
      header.writeUInt32BE(4, 0);
      header.writeUInt32BE(4, 4);
      header.set([16, 6, 0, 0, isInterlaced ? 1 : 0], 8);
      const signature = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');
      const bytes = Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')]);
      return readDeepPng(await loadSharp(), bytes, { layout: readLayout(bytes), area: whole(4, 4) });
    };
    await expect(layoutOf(Buffer.alloc(60))).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(layoutOf(Buffer.alloc(200, 9))).rejects.toMatchObject({ code: 'CORRUPT' });
  });
});
