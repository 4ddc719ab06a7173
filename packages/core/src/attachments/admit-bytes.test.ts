import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatDataUri, parseDataUri } from '../base/data-uri.ts';
import { parseJson } from '../base/parse-json.ts';
import { MIB } from '../base/units.ts';
import { createMemoryBlobs } from '../testing/create-memory-blobs.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { admitBytes, admitDataUri } from './admit-bytes.ts';

interface DataUriRow {
  readonly name: string;
  readonly input: string;
  readonly expect: 'accepted' | 'rejected';
  readonly reject_reason?: string;
  readonly expected_mime?: string;
  readonly width?: number;
  readonly height?: number;
}

const parsed = parseJson(readFileSync(new URL('../../../../fixtures/cases/strings.json', import.meta.url), 'utf8'));
if (!parsed.ok) throw new Error(parsed.error.message);
const rows = (parsed.value as { data_uris: readonly DataUriRow[] }).data_uris;

const limits = { maxBytes: 5 * MIB, maxPixels: 40_000_000, maxFrames: 10_000 };
/** Codes that stand for a reason of the corpus; without a reason the payload was cut or spoilt. */
const codes: Readonly<Record<string, readonly string[]>> = {
  empty: ['EMPTY'],
  unsupported_format: ['UNSUPPORTED_FORMAT', 'NOT_AN_IMAGE'],
};

describe('admitDataUri', () => {
  it('knows rows of both verdicts', () => {
    expect(new Set(rows.map((row) => row.expect))).toEqual(new Set(['accepted', 'rejected']));
  });

  it.each(rows.map((row) => [row.name, row] as const))('gives the right verdict of %s', async (_name, row) => {
    const blobs = createMemoryBlobs();
    const admitted = await admitDataUri(row.input, { name: 'pasted', limits, blobs });
    if (row.expect === 'rejected') {
      expect(admitted.ok ? 'accepted' : admitted.error.code).toSatisfy((code) =>
        (codes[row.reject_reason ?? ''] ?? ['CORRUPT']).includes(code),
      );
      expect(blobs.digests()).toEqual([]);
      return;
    }
    if (!admitted.ok) throw new Error(admitted.error.code);
    const { reference } = admitted.value;
    expect(reference).toMatchObject({ mediaType: row.expected_mime, widthPx: row.width, heightPx: row.height });
    const stored = await blobs.get(reference.digest);
    // What is written again is canonical, and says what the bytes are.
    const canonical = formatDataUri({ mediaType: reference.mediaType, bytes: stored });
    expect(canonical).toMatch(/^data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/]+={0,2}$/);
    expect((canonical.length - canonical.indexOf(',') - 1) % 4).toBe(0);
    expect(parseDataUri(canonical)).toMatchObject({ value: { bytes: stored } });
  });

  it('refuses by the limit before it decodes, with the figure and the limit', async () => {
    const uri = formatDataUri({ mediaType: 'image/png', bytes: new Uint8Array(11) });
    const options = { name: 'a.png', limits: { ...limits, maxBytes: 10 }, blobs: createMemoryBlobs() };
    expect(await admitDataUri(uri, options)).toEqual({
      ok: false,
      error: { code: 'TOO_MANY_BYTES', name: 'a.png', actual: 11, limit: 10 },
    });
  });

  it('refuses another text as no picture', async () => {
    const options = { name: 'a.png', limits, blobs: createMemoryBlobs() };
    expect(await admitDataUri('https://example.com/a.png', options)).toMatchObject({ error: { code: 'NOT_AN_IMAGE' } });
    expect(await admitDataUri('data:image/png', options)).toMatchObject({ error: { code: 'EMPTY' } });
  });
});

describe('admitBytes', () => {
  const png = makeTwoColorPng({ left: 'red', right: 'blue' });

  it('stores exactly the bytes that it verified', async () => {
    const blobs = createMemoryBlobs();
    const admitted = await admitBytes(png, { name: 'shot', limits, blobs });
    if (!admitted.ok) throw new Error(admitted.error.code);
    expect(admitted.value).toMatchObject({ frames: 1, displayPath: 'shot', reference: { name: 'shot', widthPx: 64 } });
    expect(Buffer.from(await blobs.get(admitted.value.reference.digest)).equals(png)).toBe(true);
  });

  it('stores nothing of what it refuses, nor after a stop', async () => {
    const blobs = createMemoryBlobs();
    expect(await admitBytes(png.subarray(0, 40), { name: 'cut', limits, blobs })).toMatchObject({
      error: { code: 'CORRUPT', name: 'cut' },
    });
    const signal = AbortSignal.abort();
    expect(await admitBytes(png, { name: 'x', limits, blobs, signal })).toMatchObject({ error: { code: 'CANCELED' } });
    expect(blobs.digests()).toEqual([]);
  });
});
