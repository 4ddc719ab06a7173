import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unknownLimitRow } from '../catalog/limits.ts';
import { decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { classifyColorProfile } from './color-profile.ts';
import { loadSharp, type Sharp } from './load-sharp.ts';
import { makeVariant } from './variant.ts';

const RED = { r: 224, g: 24, b: 24 };

async function flat(sharp: Sharp) {
  return sharp({ create: { width: 64, height: 48, channels: 3, background: RED } });
}

/** The colour in the middle of the variant, found by a decoder of its own, and what was done. */
async function shown(original: Uint8Array) {
  const variant = await makeVariant(original, unknownLimitRow);
  const decoded = await decodePicture(variant.bytes);
  if (!decoded.ok) throw new Error(decoded.error);
  const { widthPx, heightPx, pixels } = decoded.value;
  const at = ((heightPx >> 1) * widthPx + (widthPx >> 1)) * 4;
  return { color: [...pixels.subarray(at, at + 4)], variant };
}

function expectColor(found: readonly number[], expected: readonly number[], tolerance: number): void {
  for (const [channel, value] of expected.entries()) {
    expect(Math.abs((found[channel] ?? 0) - value), `${found} for ${expected}`).toBeLessThanOrEqual(tolerance);
  }
}

async function profileOf(name: 'srgb' | 'p3'): Promise<Buffer> {
  const sharp = await loadSharp();
  const { icc } = await sharp(await (await flat(sharp)).withIccProfile(name).png().toBuffer()).metadata();
  if (icc === undefined) throw new Error('no profile');
  return icc;
}

describe('the colours of a variant', () => {
  it('are those of the original for CMYK, with its profile', async () => {
    const sharp = await loadSharp();
    const cmyk = await (await flat(sharp))
      .toColourspace('cmyk')
      .withIccProfile('cmyk')
      .jpeg({ quality: 95 })
      .toBuffer();
    const { color, variant } = await shown(cmyk);
    // Printing inks have no such red; the nearest that they have is meant.
    expectColor(color, [224, 30, 30, 255], 24);
    expect(variant.changes).toContain('reencoded');
  });

  it('are those of the original for 16 bits a sample, grey and with alpha', async () => {
    const sharp = await loadSharp();
    const deep = await (await flat(sharp)).toColourspace('rgb16').png().toBuffer();
    expectColor((await shown(deep)).color, [224, 24, 24, 255], 0);
    const values = new Uint16Array(64 * 48 * 2);
    for (let at = 0; at < values.length; at += 2) values.set([130 * 257, 77 * 257], at);
    const gray = await sharp(values, { raw: { width: 64, height: 48, channels: 2 } })
      .toColourspace('grey16')
      .png()
      .toBuffer();
    expect([gray[24], gray[25]]).toEqual([16, 4]);
    expectColor((await shown(gray)).color, [130, 130, 130, 77], 1);
  });

  it.each([
    [
      'grey',
      (sharp: Sharp) =>
        sharp({ create: { width: 64, height: 48, channels: 3, background: '#787878' } })
          .toColourspace('b-w')
          .png(),
      [120, 120, 120, 255],
    ],
    [
      'a palette',
      (sharp: Sharp) =>
        sharp({ create: { width: 64, height: 48, channels: 3, background: RED } }).png({ palette: true }),
      [224, 24, 24, 255],
    ],
    [
      'a palette with transparency',
      (sharp: Sharp) =>
        sharp({ create: { width: 64, height: 48, channels: 4, background: { ...RED, alpha: 0.5 } } }).png({
          palette: true,
        }),
      [224, 24, 24, 128],
    ],
  ] as const)('stay as they are stored for %s, which needs no new encoding', async (_, draw, expected) => {
    const original = await draw(await loadSharp()).toBuffer();
    const { color, variant } = await shown(original);
    expectColor(color, expected, 2);
    expect(variant.bytes).toBe(original);
  });

  it.each(['png', 'jpeg', 'webp'] as const)('are converted from a foreign profile in a %s', async (format) => {
    const sharp = await loadSharp();
    const wide = await (await flat(sharp)).withIccProfile('p3').toFormat(format, { quality: 100 }).toBuffer();
    // The stored samples are others: shown without the profile, the red would be dull.
    const stored = await sharp(wide, { ignoreIcc: true }).raw().toBuffer();
    expect(Math.abs((stored[1] ?? 0) - RED.g)).toBeGreaterThan(15);
    const { color, variant } = await shown(wide);
    expectColor(color, [224, 24, 24, 255], 5);
    expect(variant.changes).toContain('reencoded');
  });

  it.each(['png', 'jpeg'] as const)(
    'stay untouched when the profile in a %s is sRGB, which is left out',
    async (format) => {
      const sharp = await loadSharp();
      const original = await (await flat(sharp)).withIccProfile('srgb').toFormat(format, { quality: 95 }).toBuffer();
      const { color, variant } = await shown(original);
      expect(variant.changes).toEqual(['metadata']);
      expectColor(color, [224, 24, 24, 255], 3);
      const text = Buffer.from(variant.bytes).toString('latin1');
      expect(text).not.toContain('iCCP');
      expect(text).not.toContain('ICC_PROFILE');
    },
  );

  it('are converted when a PNG has a profile that cannot be read at once', async () => {
    const sharp = await loadSharp();
    const plain = await (await flat(sharp)).png().toBuffer();
    const large = Buffer.concat([await profileOf('srgb'), Buffer.alloc(100_000)]);
    const chunk = pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0', 'latin1'), deflateSync(large)]));
    const original = Buffer.concat([plain.subarray(0, 33), chunk, plain.subarray(33)]);
    expect((await makeVariant(original, unknownLimitRow)).changes).toContain('reencoded');
  });
});

function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xff_ff_ff_ff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  return ~crc >>> 0;
}

describe('classifyColorProfile', () => {
  it('tells sRGB from other profiles by their figures', async () => {
    const srgb = await profileOf('srgb');
    expect(classifyColorProfile(srgb)).toBe('srgb');
    expect(classifyColorProfile(await profileOf('p3'))).toBe('foreign');
  });

  it('does not believe the name of a profile with another curve', async () => {
    const linear = Buffer.from(await profileOf('srgb'));
    expect(linear.includes('\0s\0R\0G\0B', 0, 'latin1')).toBe(true);
    // Every curve becomes a power of 1.
    for (let at = linear.indexOf('para', 200); at !== -1; at = linear.indexOf('para', at + 4)) {
      linear.write('curv', at, 'latin1');
      linear.writeUInt32BE(1, at + 8);
      linear.writeUInt16BE(256, at + 12);
    }
    expect(classifyColorProfile(linear)).toBe('foreign');
  });

  it('takes damaged bytes for no profile, and a damaged table for a foreign one', async () => {
    const srgb = await profileOf('srgb');
    expect(classifyColorProfile(srgb.subarray(0, 30))).toBe('unusable');
    expect(classifyColorProfile(srgb.subarray(0, 200))).toBe('foreign');
    const counted = Buffer.from(srgb);
    counted.writeUInt32BE(0xff_ff_ff_ff, 128);
    expect(() => classifyColorProfile(counted)).not.toThrow();
  });
});
