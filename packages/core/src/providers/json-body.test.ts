import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import type { RequestImage } from '../content/request.ts';
import { createImageSlot, encodeJsonBody, writeJsonBody } from './json-body.ts';

const digestOf = (bytes: Uint8Array): Digest => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function imageOf(bytes: Uint8Array, mediaType = 'image/png'): RequestImage {
  const digest = digestOf(bytes);
  const size = { sizeBytes: bytes.length, widthPx: 1, heightPx: 1 };
  return { type: 'image', digest, originalDigest: digest, name: 'a', mediaType, ...size };
}

async function encode(
  value: unknown,
  blobs: readonly Uint8Array[] = [],
): Promise<{ text: string; chunks: Uint8Array[] }> {
  const body = writeJsonBody(value);
  const chunks: Uint8Array[] = [];
  const readBlob = async (digest: Digest) => {
    const bytes = blobs.find((candidate) => digestOf(candidate) === digest);
    if (bytes === undefined) throw new Error('no such blob');
    return bytes;
  };
  for await (const chunk of encodeJsonBody(body, readBlob)) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  expect(whole.length).toBe(body.sizeBytes);
  return { text: whole.toString(), chunks };
}

describe('writeJsonBody', () => {
  it('writes as JSON.stringify does', async () => {
    const values = [
      null,
      true,
      -1.5,
      Number.NaN,
      '',
      'quote " slash \\ line \n 图 😀 \u2028 \u0000',
      [],
      {},
      [1, [2, { a: [] }], undefined],
      { a: undefined, 'b"': { c: null }, d: [{}] },
    ];
    for (const value of values) expect((await encode(value)).text).toBe(JSON.stringify(value));
  });

  it('replaces lone surrogates, which strict servers refuse, and keeps pairs', async () => {
    expect((await encode({ text: 'a\ud83d b 😀 \ude00' })).text).toBe('{"text":"a\uFFFD b 😀 \uFFFD"}');
  });

  it('puts the base64 of a picture into its string, for every length of the last group and across pieces', async () => {
    for (const sizeBytes of [1, 2, 3, 196_607, 196_608, 196_609, 600_000]) {
      const bytes = Uint8Array.from({ length: sizeBytes }, (_, index) => (index * 7) % 256);
      const value = { before: 'ä', url: createImageSlot(imageOf(bytes), 'data-url'), after: [1] };
      const base64 = Buffer.from(bytes).toString('base64');
      const { text, chunks } = await encode(value, [bytes]);
      expect(text === `{"before":"ä","url":"data:image/png;base64,${base64}","after":[1]}`).toBe(true);
      expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(262_144);
    }
  });

  it('writes bare base64 where a wire wants no data URL', async () => {
    const bytes = Uint8Array.of(1, 2, 3, 4);
    const value = { data: createImageSlot(imageOf(bytes, 'image/jpeg'), 'base64') };
    expect((await encode(value, [bytes])).text).toBe('{"data":"AQIDBA=="}');
  });

  it('takes no words of a user for a picture', async () => {
    const bytes = Uint8Array.of(9);
    const image = imageOf(bytes);
    const value = [{ type: 'image', digest: image.digest, sizeBytes: 1, prefix: 'data:' }, '[image-slot]'];
    expect((await encode(value, [bytes])).text).toBe(JSON.stringify(value));
  });

  it('holds long words in pieces', async () => {
    const value = Array.from({ length: 2000 }, (_, index) => `line ${index} ${'x'.repeat(100)}`);
    const { text, chunks } = await encode(value);
    expect(text).toBe(JSON.stringify(value));
    expect(chunks.length).toBeGreaterThan(2);
  });

  it('refuses a type of picture that no endpoint takes', () => {
    expect(() => createImageSlot(imageOf(Uint8Array.of(1), 'image/heic'), 'data-url')).toThrow(/image\/heic/);
  });
});
