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

/** Verifies one file, makes its variant, and tells the peak above the process before it. */
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
process.stdout.write(JSON.stringify({ ok: result.ok, verified, made }));
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
  const { verified, made } = (parsed.ok ? parsed.value : {}) as { verified: number; made: number };
  expect(verified / 1e6).toBeLessThan(megabytes);
  expect(made / 1e6).toBeLessThan(megabytes);
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
});

describe('a picture that wants to be expensive', () => {
  it.each([
    ['webp-anim-bomb-1500-frames.webp', 250],
    ['png-ztxt-bomb-40mb.png', 150],
  ])('stays cheap: %s', (name, megabytes) => expectFrugal(join(casesFolder, name), megabytes), 60_000);
});
