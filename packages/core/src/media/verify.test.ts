import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { MIB } from '../base/units.ts';
import { loadSharp } from './load-sharp.ts';
import { verifyImage } from './verify.ts';

const casesFolder = new URL('../../../../fixtures/cases/', import.meta.url);

interface CaseRow {
  readonly file: string;
  readonly expect: 'accepted' | 'rejected';
  readonly strength: 'must' | 'policy';
  readonly reject_reason?: string;
  readonly true_type?: string | null;
  readonly expected_mime: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly frames?: number;
  readonly sha256: string;
}

const manifest = parseJson(readFileSync(new URL('manifest.json', casesFolder), 'utf8'));
if (!manifest.ok) throw new Error(manifest.error.message);
const rows = (manifest.value as { cases: CaseRow[] }).cases;
const limits = { maxBytes: 3 * MIB, maxPixels: 40_000_000, maxFrames: 10_000 };

function readCase(file: string): Uint8Array {
  return readFileSync(new URL(file.replaceAll('#', '%23'), casesFolder));
}

/** The codes that the manifest's kind of reason allows. */
function allowedCodes(row: CaseRow): readonly string[] {
  switch (row.reject_reason) {
    case 'truncated':
    case 'corrupt':
      return ['CORRUPT'];
    case 'empty':
      return ['EMPTY'];
    case 'too_many_pixels':
      return ['TOO_MANY_PIXELS'];
    case 'unsupported_format':
      if (row.true_type === 'image/jpeg') return ['UNSUPPORTED_FORMAT', 'CORRUPT'];
      return /^(image|video|audio)\/|pdf$/.test(row.true_type ?? '') ? ['UNSUPPORTED_FORMAT'] : ['NOT_AN_IMAGE'];
    default:
      return [];
  }
}

/** Rows where the other verdict is taken, as their notes allow; the wire copy is re-encoded. */
const otherVerdicts: ReadonlySet<string> = new Set(['files/png-palette-index-out-of-range.png']);

describe('verifyImage over the case manifest', () => {
  it.each(rows.filter((row) => row.expect === 'accepted').map((row) => [row.file, row] as const))(
    'accepts %s with its true type, size and frames',
    async (file, row) => {
      const result = await verifyImage(readCase(file), { name: file, limits });
      expect(result).toEqual({
        ok: true,
        value: {
          mediaType: row.expected_mime,
          widthPx: row.width,
          heightPx: row.height,
          sizeBytes: expect.any(Number),
          frames: row.frames ?? 1,
          digest: `sha256:${row.sha256}`,
        },
      });
    },
  );

  it.each(
    rows
      .filter((row) => row.expect === 'rejected' && !otherVerdicts.has(row.file))
      .map((row) => [row.file, row] as const),
  )('refuses %s for the true reason', async (file, row) => {
    const result = await verifyImage(readCase(file), { name: file, limits });
    if (result.ok) throw new Error('accepted');
    expect(allowedCodes(row)).toContain(result.error.code);
    expect(result.error.name).toBe(file);
    if (row.reject_reason === 'truncated') expect(result.error.truncated).toBe(true);
    if (row.reject_reason === 'corrupt') expect(result.error.truncated).toBe(false);
    if (row.reject_reason !== 'empty') expect(result.error.trueType ?? null).toBe(row.true_type);
  });
});

describe('verifyImage', () => {
  it('takes limits inclusively, and says the figure and the limit beyond them', async () => {
    const bytes = readCase('files/apng-3-frames.png');
    const exact = { maxBytes: bytes.length, maxPixels: 64 * 32, maxFrames: 3 };
    expect((await verifyImage(bytes, { name: 'a', limits: exact })).ok).toBe(true);
    const check = async (change: Partial<typeof exact>) =>
      verifyImage(bytes, { name: 'a', limits: { ...exact, ...change } });
    expect(await check({ maxBytes: bytes.length - 1 })).toMatchObject({
      error: { code: 'TOO_MANY_BYTES', actual: bytes.length, limit: bytes.length - 1 },
    });
    expect(await check({ maxPixels: 2047 })).toMatchObject({
      error: { code: 'TOO_MANY_PIXELS', actual: 2048, limit: 2047 },
    });
    expect(await check({ maxFrames: 2 })).toMatchObject({ error: { code: 'TOO_MANY_FRAMES', actual: 3, limit: 2 } });
  });

  it('refuses a bomb by its header, before its missing pixels are noticed', async () => {
    const header = readCase('files/png-bomb-2147483647-square.png').slice(0, 33);
    expect(await verifyImage(header, { name: 'a', limits })).toMatchObject({ error: { code: 'TOO_MANY_PIXELS' } });
  });

  it('says that the text in place of a picture is a Git LFS pointer', async () => {
    const result = await verifyImage(readCase('files/git-lfs-pointer-named.png'), { name: 'a.png', limits });
    expect(result).toMatchObject({ error: { code: 'NOT_AN_IMAGE', detail: 'git-lfs-pointer' } });
  });

  it('stops when it is cancelled before or while it decodes', async () => {
    const bytes = readCase('files/png-exactly-40mp-8000x5000.png');
    const before = await verifyImage(bytes, { name: 'a', limits, signal: AbortSignal.abort() });
    expect(before).toEqual({ ok: false, error: { code: 'CANCELED', name: 'a' } });
    const controller = new AbortController();
    const running = verifyImage(bytes, { name: 'a', limits, signal: controller.signal });
    controller.abort();
    expect(await running).toEqual({ ok: false, error: { code: 'CANCELED', name: 'a' } });
  });

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
    'refuses a %s that is cut anywhere, and one that is cut by a single byte',
    async (format) => {
      const bytes = await makeNoise(format, 300, 200);
      expect((await verifyImage(bytes, { name: 'a', limits })).ok).toBe(true);
      const lengths = [0.2, 0.5, 0.8, 0.95].map((share) => Math.floor(bytes.length * share));
      for (const length of [...lengths, bytes.length - 1]) {
        const result = await verifyImage(bytes.slice(0, length), { name: 'a', limits });
        expect(result).toMatchObject({ ok: false, error: { code: 'CORRUPT', truncated: true } });
      }
    },
  );

  it('notices damage in the middle and at the end of the pixel data', async () => {
    const png = await makeNoise('png', 300, 200);
    for (const share of [0.3, 0.6, 0.97]) {
      const damaged = png.slice();
      const at = Math.floor(png.length * share);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      expect(await verifyImage(damaged, { name: 'a', limits })).toMatchObject({ error: { code: 'CORRUPT' } });
    }
  });

  it('keeps every loader but those of the four formats blocked', async () => {
    const sharp = await loadSharp();
    await expect(sharp(readCase('files/svg-named.png')).metadata()).rejects.toThrow(/unsupported/);
    await expect(sharp(readCase('files/tiff-be-named.jpg')).metadata()).rejects.toThrow(/unsupported/);
    await expect(sharp(readCase('files/avif.avif')).metadata()).rejects.toThrow(/unsupported/);
  });

  it('verifies as many pictures at once as it is given', async () => {
    const bytes = await makeNoise('jpeg', 640, 480);
    const results = await Promise.all(Array.from({ length: 12 }, () => verifyImage(bytes, { name: 'a', limits })));
    expect(results.every((result) => result.ok)).toBe(true);
  });
});

async function makeNoise(format: 'png' | 'jpeg' | 'webp' | 'gif', width: number, height: number): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const pixels = Uint8Array.from({ length: width * height * 3 }, (_, index) => (index * 2654435761) >>> 24);
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}
