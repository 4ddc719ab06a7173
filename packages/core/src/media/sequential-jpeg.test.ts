import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { acCodes, dcCodes, JpegBlockWriter } from './jpeg-block-writer.ts';
import { readJpegFrame } from './jpeg-frame.ts';
import { BLOCK_VALUES } from './jpeg-scan.ts';
import { loadSharp } from './load-sharp.ts';
import { canBecomeSequential, toSequentialJpeg } from './sequential-jpeg.ts';

const casesFolder = new URL('../../../../fixtures/cases/files/', import.meta.url);

/** Colours without any order, blurred enough that coefficients of all sizes come. */
async function picture(widthPx: number, heightPx: number) {
  const sharp = await loadSharp();
  const noise = Uint8Array.from(
    { length: 30 * 20 * 3 },
    (_, index) => (Math.imul(index + 7, 2_654_435_761) >>> 13) & 255,
  );
  return sharp(noise, { raw: { width: 30, height: 20, channels: 3 } }).resize(widthPx, heightPx, {
    fit: 'fill',
    kernel: 'cubic',
  });
}

async function progressive(widthPx: number, heightPx: number, chromaSubsampling: string): Promise<Buffer> {
  return (await picture(widthPx, heightPx)).jpeg({ progressive: true, quality: 75, chromaSubsampling }).toBuffer();
}

async function pixelsOf(bytes: Uint8Array): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(bytes, { failOn: 'warning' }).raw().toBuffer();
}

/** The same pixels to the last bit, of one scan. */
async function expectSame(original: Uint8Array): Promise<void> {
  expect(readJpegFrame(original)?.hasSeveralScans).toBe(true);
  const sequential = await toSequentialJpeg(original);
  const frame = readJpegFrame(sequential);
  expect(frame).toMatchObject({ hasSeveralScans: false, isProgressive: false });
  expect((await pixelsOf(sequential)).equals(await pixelsOf(original))).toBe(true);
}

const WIDTH = 61;
const HEIGHT = 43;
const ACROSS = Math.ceil(WIDTH / 8);
const DOWN = Math.ceil(HEIGHT / 8);

function segment(marker: number, data: Uint8Array | readonly number[]): Buffer {
  const length = data.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...data]);
}

/** Coefficients of one component: small ones in many places, the last one too. */
function stepBlocks(seed: number): Int16Array {
  const values = new Int16Array(ACROSS * DOWN * BLOCK_VALUES);
  for (let block = 0; block < ACROSS * DOWN; block += 1) {
    values[block * BLOCK_VALUES] = ((block * seed) % 90) - 45;
    values[block * BLOCK_VALUES + 1 + (block % 20)] = (block % 7) - 3;
    values[block * BLOCK_VALUES + 63] = block % 2;
  }
  return values;
}

/** A sequential JPEG whose three components come in a scan each, with a restart mark behind so many blocks. */
function inScansOfOne(restartInterval: number): Buffer {
  const scans = [7, 11, 13].map((seed, index) => {
    const values = stepBlocks(seed);
    const pieces: Uint8Array[] = [segment(0xda, [1, index + 1, 0, 0, 63, 0])];
    const interval = restartInterval === 0 ? ACROSS * DOWN : restartInterval;
    for (let start = 0; start < ACROSS * DOWN; start += interval) {
      const writer = new JpegBlockWriter();
      let previousDc = 0;
      for (let block = start; block < Math.min(ACROSS * DOWN, start + interval); block += 1) {
        writer.writeBlock(values, block * BLOCK_VALUES, previousDc);
        previousDc = values[block * BLOCK_VALUES] ?? 0;
      }
      if (start > 0) pieces.push(Buffer.from([0xff, 0xd0 + ((start / interval - 1) % 8)]));
      pieces.push(...writer.finish());
    }
    return Buffer.concat(pieces);
  });
  const components = [1, 2, 3].flatMap((id) => [id, 0x11, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array.from({ length: 64 }, (_, index) => 4 + index)]),
    segment(0xc0, [8, 0, HEIGHT, 0, WIDTH, 3, ...components]),
    ...[dcCodes, acCodes].map(({ definition }, kind) =>
      segment(0xc4, [kind << 4, ...definition.counts, ...definition.symbols]),
    ),
    segment(0xdd, [0, restartInterval]),
    ...scans,
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** A byte of the compressed data, near its end or its beginning. */
function damageAt(bytes: Uint8Array, share: number): Buffer {
  const damaged = Buffer.from(bytes);
  const start = damaged.indexOf(Buffer.from([0xff, 0xda]));
  const at = start + Math.floor((damaged.length - start) * share);
  damaged[at] = (damaged[at] ?? 0) ^ 0x5a;
  return damaged;
}

describe('a JPEG of several scans', () => {
  it.each([
    [64, 48, '4:4:4'],
    [37, 23, '4:2:0'],
    [121, 65, '4:2:0'],
    [8, 8, '4:4:4'],
    [1, 1, '4:2:0'],
  ] as const)('has the same pixels as one of a single scan: %i x %i px, %s', async (widthPx, heightPx, subsampling) => {
    await expectSame(await progressive(widthPx, heightPx, subsampling));
  });

  it('has the same pixels in grey, in CMYK and from another writer', async () => {
    await expectSame(await (await picture(50, 41)).greyscale().jpeg({ progressive: true }).toBuffer());
    await expectSame(await (await picture(50, 41)).toColourspace('cmyk').jpeg({ progressive: true }).toBuffer());
    await expectSame(readFileSync(new URL('jpeg-progressive.jpg', casesFolder)));
  });

  it('has the same pixels where each component has a sequential scan of its own', async () => {
    await expectSame(inScansOfOne(0));
  });

  it('has the same pixels with restart marks, and is damaged where one is missing', async () => {
    const original = inScansOfOne(5);
    await expectSame(original);
    const at = original.indexOf(Buffer.from([0xff, 0xd1]));
    const without = Buffer.concat([original.subarray(0, at), original.subarray(at + 2)]);
    await expect(toSequentialJpeg(without)).rejects.toMatchObject({ code: 'CORRUPT' });
    const another = Buffer.from(original);
    another[at + 1] = 0xd2;
    await expect(toSequentialJpeg(another)).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  it('keeps what says how its colours are stored', async () => {
    const sharp = await loadSharp();
    const wide = await (await picture(40, 30)).withIccProfile('p3').jpeg({ progressive: true }).toBuffer();
    const profile = (await sharp(wide).metadata()).icc;
    expect(profile).toBeDefined();
    expect((await sharp(await toSequentialJpeg(wide)).metadata()).icc).toEqual(profile);
  });

  it('is damaged when a scan ends too early, goes on too long or cannot be', async () => {
    const whole = await progressive(64, 48, '4:4:4');
    const lastScan = whole.lastIndexOf(Buffer.from([0xff, 0xda]));
    const withoutEnd = whole.subarray(0, -2);
    const endMark = Buffer.from([0xff, 0xd9]);
    const broken = [
      withoutEnd,
      Buffer.concat([whole.subarray(0, -12), endMark]),
      Buffer.concat([withoutEnd, Buffer.alloc(20, 0x55), endMark]),
      // The last scan twice, its bits of refinement with it.
      Buffer.concat([withoutEnd, whole.subarray(lastScan)]),
    ];
    for (const bytes of broken) await expect(toSequentialJpeg(bytes)).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  it('is never taken for whole where the decoder warns, and shows the same where it does not', async () => {
    const whole = await progressive(121, 65, '4:2:0');
    for (let step = 1; step < 60; step += 1) {
      const damaged = damageAt(whole, step / 60);
      const [ours, theirs] = await Promise.allSettled([toSequentialJpeg(damaged), pixelsOf(damaged)]);
      if (ours.status === 'rejected') continue;
      if (theirs.status === 'rejected') throw new Error(`taken for whole at ${step}: ${theirs.reason}`);
      expect((await pixelsOf(ours.value)).equals(theirs.value)).toBe(true);
    }
  });

  it('cannot be read so in arithmetic coding or with more than four components', async () => {
    const frame = readJpegFrame(await progressive(16, 16, '4:4:4'));
    if (frame === undefined) throw new Error('no frame');
    const [component] = frame.components;
    if (component === undefined) throw new Error('no component');
    expect(canBecomeSequential(frame)).toBe(true);
    expect(canBecomeSequential({ ...frame, isArithmetic: true })).toBe(false);
    expect(canBecomeSequential({ ...frame, components: Array.from({ length: 5 }, () => component) })).toBe(false);
    expect(canBecomeSequential({ ...frame, components: [{ ...component, across: 4, down: 3 }] })).toBe(false);
  });
});
