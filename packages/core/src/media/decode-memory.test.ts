import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { type CompiledFloors, compileFloors } from '../testing/compile-floors.ts';
import { loadSharp } from './load-sharp.ts';

const casesFolder = fileURLToPath(new URL('../../../../fixtures/cases/files/', import.meta.url));
/** What a 40-megapixel picture may cost above an idle process. */
const MOST_MEGABYTES = 300;

/** Verifies one file, makes its variant and one of a region, and tells the peak above the process before it. */
const measuring = `
const { readFileSync } = await import('node:fs');
const [, folder, tiny, file] = process.argv;
const { verifyImage } = await import(folder + '/media/verify.js');
const { makeVariant } = await import(folder + '/media/variant.js');
const { findLimitRow } = await import(folder + '/catalog/limits.js');
const limits = { maxBytes: 2 ** 28, maxPixels: 40_000_000, maxFrames: 10_000 };
await verifyImage(readFileSync(tiny), { name: 'tiny', limits });
const idle = process.memoryUsage.rss();
const bytes = readFileSync(file);
const result = await verifyImage(bytes, { name: 'large', limits });
const verified = process.resourceUsage().maxRSS * 1024 - idle;
await makeVariant(bytes, findLimitRow('unknown'));
const made = process.resourceUsage().maxRSS * 1024 - idle;
const { widthPx, heightPx } = result.ok ? result.value : {};
const width = Math.ceil(widthPx / 10);
const height = Math.ceil(heightPx / 10);
const region = { x: widthPx - width, y: heightPx - height, width, height };
await makeVariant(bytes, findLimitRow('unknown'), { region });
const cut = process.resourceUsage().maxRSS * 1024 - idle;
process.stdout.write(JSON.stringify({ ok: result.ok, verified, made, cut }));
`;

let floors: CompiledFloors;
let folder: string;

beforeAll(async () => {
  floors = await compileFloors(['base', 'catalog', 'media']);
  folder = await mkdtemp(join(tmpdir(), 'decode-memory-'));
}, 60_000);

afterAll(async () => {
  await floors.remove();
  await rm(folder, { recursive: true });
});

async function expectFrugal(file: string, megabytes: number): Promise<void> {
  const words = ['--input-type=module', '-e', measuring, floors.folder, join(casesFolder, 'ok-jpeg-444.jpg'), file];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const parsed = parseJson(stdout);
  expect(parsed).toMatchObject({ ok: true, value: { ok: true } });
  const { verified, made, cut } = (parsed.ok ? parsed.value : {}) as { verified: number; made: number; cut: number };
  expect(verified / 1e6).toBeLessThan(megabytes);
  expect(made / 1e6).toBeLessThan(megabytes);
  expect(cut / 1e6).toBeLessThan(megabytes);
}

describe('a picture of 40 megapixels', () => {
  it.each(['png-exactly-40mp-8000x5000.png', 'webp-exactly-40mp-8000x5000.webp'])(
    'is verified and fitted in less than 300 MB: %s',
    (name) => expectFrugal(join(casesFolder, name), MOST_MEGABYTES),
    60_000,
  );

  it.each([
    ['a lossy WebP', 'webp', { quality: 50, effort: 0 }],
    ['a progressive JPEG with full colour', 'jpeg', { progressive: true, chromaSubsampling: '4:4:4' }],
    ['an interlaced PNG', 'png', { progressive: true, compressionLevel: 1 }],
    ['a GIF', 'gif', { effort: 1 }],
  ] as const)(
    'is verified and fitted in less than 300 MB: %s',
    async (_, format, options) => {
      const sharp = await loadSharp();
      const file = join(folder, `large.${format}`);
      const flat = sharp({ create: { width: 8000, height: 5000, channels: 3, background: '#3060a0' } });
      await writeFile(file, await flat.toFormat(format, options).toBuffer());
      await expectFrugal(file, MOST_MEGABYTES);
    },
    60_000,
  );

  it.each([
    ['an interlaced PNG of 16-bit samples with alpha', 'png', 'rgb16', { progressive: true, compressionLevel: 1 }],
    ['a lossless WebP with alpha', 'webp', 'srgb', { lossless: true, effort: 0 }],
    ['a progressive JPEG with full colour', 'jpeg', 'srgb', { progressive: true, chromaSubsampling: '4:4:4' }],
    ['a progressive JPEG in CMYK', 'jpeg', 'cmyk', { progressive: true, chromaSubsampling: '4:4:4' }],
  ] as const)(
    'is verified and fitted in less than 300 MB, lying on its side: %s',
    async (_, format, space, options) => {
      const sharp = await loadSharp();
      const file = join(folder, `turned-${space}.${format}`);
      const background = { r: 48, g: 96, b: 160, alpha: 0.5 };
      const flat = sharp({ create: { width: 8000, height: 5000, channels: format === 'jpeg' ? 3 : 4, background } });
      const turned = flat.toColourspace(space).withMetadata({ orientation: 5 });
      await writeFile(file, await turned.toFormat(format, options).toBuffer());
      await expectFrugal(file, MOST_MEGABYTES);
    },
    120_000,
  );

  it('is fitted in less than 300 MB when its rows are 40,000 px long', async () => {
    const sharp = await loadSharp();
    const file = join(folder, 'long-rows.png');
    const background = { r: 48, g: 96, b: 160, alpha: 0.5 };
    const flat = sharp({ create: { width: 40_000, height: 1000, channels: 4, background } }).toColourspace('rgb16');
    await writeFile(file, await flat.png({ compressionLevel: 1 }).toBuffer());
    await expectFrugal(file, MOST_MEGABYTES);
  }, 60_000);

  it('is fitted in less than 300 MB when it is a GIF whose frame covers a part of the canvas', async () => {
    const sharp = await loadSharp();
    const file = join(folder, 'partial.gif');
    const flat = sharp({ create: { width: 8000, height: 4999, channels: 3, background: '#3060a0' } });
    const gif = await flat.gif({ effort: 1 }).toBuffer();
    // The canvas grows by a row.
    gif.writeUInt16LE(5000, 8);
    await writeFile(file, gif);
    await expectFrugal(file, MOST_MEGABYTES);
  }, 60_000);
});

describe('a picture that wants to be expensive', () => {
  it.each([
    ['webp-anim-bomb-1500-frames.webp', 250],
    ['png-ztxt-bomb-40mb.png', 150],
  ])('stays cheap: %s', (name, megabytes) => expectFrugal(join(casesFolder, name), megabytes), 60_000);
});
