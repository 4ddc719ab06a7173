import { describe, expect, it } from 'vitest';
import { countPatches28 } from '../catalog/fit-into-patches.ts';
import type { LimitRow } from '../catalog/limit-row.ts';
import { limitRows } from '../catalog/limits.ts';
import { rowForTier } from '../catalog/row-for-tier.ts';
import { type DecodedPicture, decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { DEFAULT_EDGE_PX, fitSize } from './fit-size.ts';
import { loadSharp } from './load-sharp.ts';
import { makeVariant, type Variant, variantKey } from './variant.ts';

/** Every row of the catalogue, and the high tier of those that have one. */
const rows = [
  ...limitRows.map((row) => [row.id, row] as const),
  ...limitRows
    .filter((row) => row.highTier !== undefined)
    .map((row) => [`${row.id}, high tier`, rowForTier(row, true)] as const),
];

interface Nasty {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly widthPx: number;
  readonly heightPx: number;
}

const sizes = [
  [1, 1],
  [1, 20_000],
  [20_000, 1],
  [30_000, 100],
  [8001, 10],
  [2000, 2000],
  [8000, 5000],
  [16, 14],
  [10, 10],
  [1568, 1568],
  [1569, 1],
] as const;

async function drawNastyPictures(): Promise<readonly Nasty[]> {
  const sharp = await loadSharp();
  const pictures: Nasty[] = [];
  for (const [width, height] of sizes) {
    const bytes = await sharp({ create: { width, height, channels: 3, background: '#3060a0' } })
      .png()
      .toBuffer();
    pictures.push({ name: `png ${width}x${height}`, bytes, widthPx: width, heightPx: height });
  }
  const noise = (width: number, height: number, channels: 3 | 4) =>
    sharp(
      Uint8Array.from({ length: width * height * channels }, (_, index) => (index * 2_654_435_761) >>> 24),
      { raw: { width, height, channels } },
    );
  const turned = await noise(900, 700, 3)
    .withExif({ IFD0: { Copyright: 'MARKER-OWNER' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  pictures.push({ name: 'a turned photo', bytes: turned, widthPx: 700, heightPx: 900 });
  // Larger than several rows allow, and no format gets it small without loss.
  const heavy = await noise(1300, 1300, 4).png({ compressionLevel: 0 }).toBuffer();
  pictures.push({ name: 'heavy noise', bytes: heavy, widthPx: 1300, heightPx: 1300 });
  const webp = await noise(40, 30, 4)
    .withExif({ IFD0: { Copyright: 'MARKER-OWNER' } })
    .webp()
    .toBuffer();
  pictures.push({ name: 'a WebP with a name in it', bytes: webp, widthPx: 40, heightPx: 30 });
  const frames = await sharp(Buffer.alloc(60 * 40 * 3 * 2, 90), {
    raw: { width: 60, height: 80, channels: 3, pageHeight: 40 },
  })
    .gif({ loop: 0, delay: [50, 50] })
    .toBuffer();
  pictures.push({ name: 'an animation', bytes: frames, widthPx: 60, heightPx: 40 });
  return pictures;
}

const nastyPictures = await drawNastyPictures();

function expectObedient(variant: Variant, row: LimitRow, found: DecodedPicture): void {
  const { widthPx, heightPx } = found;
  const longest = Math.max(widthPx, heightPx);
  const shortest = Math.min(widthPx, heightPx);
  expect(variant).toMatchObject({ widthPx, heightPx, sizeBytes: variant.bytes.length });
  const formats: readonly string[] = row.formats;
  if (found.format === 'gif') expect(formats.some((format) => format.startsWith('gif'))).toBe(true);
  else expect(formats).toContain(found.format);
  expect(variant.mediaType).toBe(`image/${found.format}`);
  expect(found.frames).toBe(1);
  expect(longest).toBeLessThanOrEqual(Math.min(row.edge ?? DEFAULT_EDGE_PX, row.maxSide ?? Number.POSITIVE_INFINITY));
  expect(widthPx * heightPx).toBeLessThanOrEqual(row.maxPixels ?? Number.POSITIVE_INFINITY);
  expect(shortest).toBeGreaterThanOrEqual(row.minSide ?? 1);
  expect(longest / shortest).toBeLessThanOrEqual(row.maxRatio ?? Number.POSITIVE_INFINITY);
  expect(countPatches28(widthPx, heightPx)).toBeLessThanOrEqual(row.maxPatches28 ?? Number.POSITIVE_INFINITY);
  expect(variant.sizeBytes).toBeLessThanOrEqual(row.maxRaw ?? Number.POSITIVE_INFINITY);
  expect(Buffer.from(variant.bytes).toString('base64').length).toBeLessThanOrEqual(
    row.maxB64 ?? Number.POSITIVE_INFINITY,
  );
}

function expectSamePicture(variant: Variant, original: Nasty): void {
  if (variant.changes.includes('padded')) return;
  expect(variant.widthPx).toBeLessThanOrEqual(original.widthPx);
  expect(variant.heightPx).toBeLessThanOrEqual(original.heightPx);
  // The long side says the factor, the short one follows, at least 1 px.
  const isWide = original.widthPx >= original.heightPx;
  const factor = isWide ? variant.widthPx / original.widthPx : variant.heightPx / original.heightPx;
  const follows = isWide ? original.heightPx * factor : original.widthPx * factor;
  const short = isWide ? variant.heightPx : variant.widthPx;
  expect(Math.abs(short - Math.max(1, follows))).toBeLessThanOrEqual(1);
}

function expectBare(bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString('latin1');
  for (const trace of ['MARKER-OWNER', 'Exif', 'EXIF', 'eXIf', 'iCCP', 'ICC_PROFILE', 'tEXt', 'iTXt', 'NETSCAPE']) {
    expect(text).not.toContain(trace);
  }
}

const made = new Map<string, Promise<{ variant: Variant; decoded: Awaited<ReturnType<typeof decodePicture>> }>>();

/** Rows that differ in nothing that decides variants share them. */
function makeOnce(picture: Nasty, row: LimitRow) {
  const decisive = row.id === 'offline' ? row.id : variantKey(row).replace(row.id, '');
  const key = `${picture.name} ${decisive}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const making = makeVariant(picture.bytes, row).then(async (variant) => ({
    variant,
    decoded: await decodePicture(variant.bytes),
  }));
  made.set(key, making);
  return making;
}

describe.each(rows)('a variant for the row %s', (_, row) => {
  it.each(nastyPictures.map((picture) => [picture.name, picture] as const))(
    'obeys every field of it: %s',
    async (_name, picture) => {
      const { variant, decoded } = await makeOnce(picture, row);
      if (!decoded.ok) throw new Error(decoded.error);
      if (row.id === 'offline') {
        // Nothing leaves the machine: only the size binds.
        expect(Math.max(variant.widthPx, variant.heightPx)).toBeLessThanOrEqual(row.edge ?? 0);
        return;
      }
      expectObedient(variant, row, decoded.value);
      expectSamePicture(variant, picture);
      expectBare(variant.bytes);
    },
    30_000,
  );
});

describe('fitSize with limits that contradict each other', () => {
  it('obeys them all at once, for whatever a channel sets', () => {
    const random = seededRandom(20_241_130);
    const whole = (least: number, most: number) => Math.round(least * (most / least) ** random());
    const maybe = <Value>(value: Value) => (random() < 0.5 ? value : undefined);
    for (let round = 0; round < 20_000; round += 1) {
      const upright = { widthPx: whole(1, 40_000), heightPx: whole(1, 40_000) };
      const minSide = maybe(whole(1, 64));
      const maxRatio = maybe(whole(2, 300));
      const maxPixels = maybe(whole(10_000, 40_000_000));
      const maxPatches28 = maybe(whole(16, 5000));
      const edge = maybe(whole(100, 4096));
      const limits = {
        maxSide: maybe(whole(100, 8000)) ?? null,
        ...(edge !== undefined && { edge }),
        ...(minSide !== undefined && { minSide }),
        ...(maxRatio !== undefined && { maxRatio }),
        ...(maxPixels !== undefined && { maxPixels }),
        ...(maxPatches28 !== undefined && { maxPatches28 }),
      };
      const size = fitSize(upright, limits);
      const long = Math.max(size.canvasWidthPx, size.canvasHeightPx);
      const short = Math.min(size.canvasWidthPx, size.canvasHeightPx);
      const told = JSON.stringify({ upright, limits, size });
      expect(size.widthPx <= upright.widthPx && size.heightPx <= upright.heightPx, told).toBe(true);
      expect(long, told).toBeLessThanOrEqual(
        Math.min(edge ?? DEFAULT_EDGE_PX, limits.maxSide ?? Number.POSITIVE_INFINITY),
      );
      expect(short, told).toBeGreaterThanOrEqual(minSide ?? 1);
      expect(long / short, told).toBeLessThanOrEqual(maxRatio ?? Number.POSITIVE_INFINITY);
      expect(size.canvasWidthPx * size.canvasHeightPx, told).toBeLessThanOrEqual(maxPixels ?? Number.POSITIVE_INFINITY);
      expect(countPatches28(size.canvasWidthPx, size.canvasHeightPx), told).toBeLessThanOrEqual(
        maxPatches28 ?? Number.POSITIVE_INFINITY,
      );
    }
  });
});

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
