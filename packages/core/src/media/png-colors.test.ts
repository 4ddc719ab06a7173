import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findLimitRow, unknownLimitRow } from '../catalog/limits.ts';
import { decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { buildColorProfile } from './build-color-profile.ts';
import { srgbPrimaries } from './color-space.ts';
import { dominantColors } from './colors.ts';
import { makeVariant } from './variant.ts';

const WIDTH = 64;
const HEIGHT = 4;

type Color = readonly [red: number, green: number, blue: number];

interface Drawing {
  readonly colorType: 0 | 2 | 3 | 4 | 6;
  readonly depth: 8 | 16 | 4;
  /** From 0 to 1. */
  readonly color: Color;
  readonly chunks: readonly Buffer[];
}

function chunk(type: string, data: Uint8Array | readonly number[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(data)]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(body.length - 4);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

const gamma = (value: number): Buffer => chunk('gAMA', uint32(value));
const srgbFigures = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000];
const p3Figures = [31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000];
const primaries = (figures: readonly number[]): Buffer => chunk('cHRM', uint32(...figures));
const codePoints = (...points: readonly [number, number, number, number]): Buffer => chunk('cICP', points);
const profile = (data: Uint8Array): Buffer =>
  chunk('iCCP', Buffer.concat([Buffer.from('any\0\0', 'latin1'), deflateSync(data)]));

/** A PNG of one colour; half of its alpha, where it has some. */
function draw({ colorType, depth, color, chunks }: Drawing): Buffer {
  const header = Buffer.concat([uint32(WIDTH, HEIGHT), Buffer.from([depth, colorType, 0, 0, 0])]);
  const largest = 2 ** depth - 1;
  const samples = colorType === 3 ? [1] : [...(colorType === 0 || colorType === 4 ? [color[1]] : color)];
  const values = colorType === 3 ? samples : samples.map((sample) => Math.round(sample * largest));
  if (colorType === 4 || colorType === 6) values.push(Math.floor(largest / 2));
  const pixel = values.flatMap((value) => (depth === 16 ? [value >> 8, value & 255] : [value]));
  const row =
    depth === 4
      ? Array.from({ length: WIDTH / 2 }, () => (pixel[0] ?? 0) * 17)
      : Array.from({ length: WIDTH }, () => pixel).flat();
  const rows = Array.from({ length: HEIGHT }, () => [0, ...row]).flat();
  const palette = colorType === 3 ? [chunk('PLTE', [0, 0, 0, ...color.map((sample) => Math.round(sample * 255))])] : [];
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    chunk('IHDR', header),
    ...chunks,
    ...palette,
    chunk('IDAT', deflateSync(Buffer.from(rows))),
    chunk('IEND', []),
  ]);
}

const encode = (light: number): number => {
  const inside = Math.min(1, Math.max(0, light));
  return 255 * (inside <= 0.0031308 ? 12.92 * inside : 1.055 * inside ** (1 / 2.4) - 0.055);
};
const decode = (sample: number): number => (sample <= 0.04045 ? sample / 12.92 : ((sample + 0.055) / 1.055) ** 2.4);

/** Light of Display P3 to that of sRGB. Source: CSS Color 4, sample code. */
const fromP3 = [
  [1.2249401762805598, -0.22494017628055996, 0],
  [-0.042056954709688163, 1.0420569547096881, 0],
  [-0.019637554590334432, -0.078636045550631889, 1.0982736001409663],
];
/** The same for BT.2020. */
const fromWide = [
  [1.6604910021084345, -0.58764113878854951, -0.072849863319884883],
  [-0.12455047452159074, 1.1328998971259603, -0.0083494226043694768],
  [-0.018150763354905303, -0.10057889800800739, 1.1187296613629127],
];

function through(matrix: readonly (readonly number[])[], light: Color): number[] {
  return matrix.map((row) => row.reduce((sum, factor, index) => sum + factor * (light[index] ?? 0), 0));
}

function map(color: Color, change: (sample: number) => number): Color {
  return [change(color[0]), change(color[1]), change(color[2])];
}

async function shown(original: Uint8Array, region?: { x: number; y: number; width: number; height: number }) {
  const variant = await makeVariant(original, unknownLimitRow, region && { region });
  const decoded = await decodePicture(variant.bytes);
  if (!decoded.ok) throw new Error(decoded.error);
  return { color: [...decoded.value.pixels.subarray(0, 4)], variant };
}

function expectColor(found: readonly number[], expected: readonly number[], tolerance: number): void {
  for (const [channel, value] of expected.entries()) {
    expect(Math.abs((found[channel] ?? 0) - value), `${found} for ${expected}`).toBeLessThanOrEqual(tolerance);
  }
}

const kinds = [
  ['RGB', 2, 8],
  ['RGB with alpha', 6, 8],
  ['RGB of 16 bits', 2, 16],
  ['RGB of 16 bits with alpha', 6, 16],
  ['a palette', 3, 8],
  ['grey', 0, 8],
  ['grey of 4 bits', 0, 4],
  ['grey with alpha', 4, 8],
  ['grey of 16 bits', 0, 16],
  ['grey of 16 bits with alpha', 4, 16],
] as const;
const colors: readonly Color[] = [
  [0.8, 0.4, 0.2],
  [2 / 15, 1 / 15, 1 / 15],
  [1, 1, 1],
];

describe.each(kinds)('a PNG of %s', (_, colorType, depth) => {
  const isGray = colorType === 0 || colorType === 4;
  const tolerance = depth === 16 && !isGray ? 1.6 : 1;

  it.each([
    ['a gamma of 1', [gamma(100_000)], (sample: number) => sample],
    ['a gamma of 1/1.8', [gamma(55_556)], (sample: number) => sample ** 1.8],
    [
      'the transfer of video',
      [codePoints(1, 1, 0, 1)],
      (sample: number) => (sample < 0.081 ? sample / 4.5 : ((sample + 0.099) / 1.099) ** (1 / 0.45)),
    ],
  ] as const)('is converted from %s, as a whole and as a region', async (_name, chunks, toLinear) => {
    for (const color of colors) {
      const original = draw({ colorType, depth, color, chunks });
      const expected = map(isGray ? [color[1], color[1], color[1]] : color, (sample) => encode(toLinear(sample)));
      const { color: found, variant } = await shown(original);
      expectColor(found, expected, tolerance);
      expect(variant.changes).toContain('reencoded');
      expectColor((await shown(original, { x: 8, y: 1, width: 20, height: 2 })).color, expected, tolerance);
    }
  });

  it('is sent as it is with the gamma of sRGB', async () => {
    if (depth === 16) return;
    for (const chunks of [
      [gamma(45_455)],
      [gamma(45_000), primaries(srgbFigures)],
      [chunk('sRGB', [0]), gamma(45_455)],
    ]) {
      const original = draw({ colorType, depth, color: [0.8, 0.4, 0.2], chunks });
      const { variant } = await shown(original);
      expect(variant.changes).toEqual(['none']);
      expect(variant.bytes).toBe(original);
    }
  });
});

const color: Color = [0.8, 0.4, 0.2];
const colored = kinds.filter(([, colorType]) => colorType !== 0 && colorType !== 4);

describe.each(colored)('the colours of a PNG of %s', (_, colorType, depth) => {
  const tolerance = depth === 16 ? 2 : 1;
  const drawn = (chunks: readonly Buffer[]) => draw({ colorType, depth, color, chunks });

  it('are converted from the primaries and the curve that code points name', async () => {
    const expected = through(fromP3, map(color, decode)).map(encode);
    expectColor((await shown(drawn([codePoints(12, 13, 0, 1)]))).color, expected, tolerance);
  });

  it('are converted from primaries in figures, with their gamma or with the curve of sRGB', async () => {
    const withCurve = through(fromP3, map(color, decode)).map(encode);
    expectColor((await shown(drawn([primaries(p3Figures)]))).color, withCurve, tolerance);
    const withGamma = through(fromP3, color).map(encode);
    expectColor((await shown(drawn([gamma(100_000), primaries(p3Figures)]))).color, withGamma, tolerance);
  });

  it('follow code points before a profile before sRGB before figures', async () => {
    const p3 = profile(
      buildColorProfile({
        primaries: { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: [0.3127, 0.329] },
        toLinear: decode,
      }),
    );
    const plain = map(color, (sample) => 255 * sample);
    const wide = through(fromP3, map(color, decode)).map(encode);
    const order = [
      [[p3, gamma(100_000)], wide],
      [[chunk('sRGB', [0]), gamma(100_000), primaries(p3Figures)], plain],
      [[codePoints(1, 13, 0, 1), p3, gamma(100_000)], plain],
      [[codePoints(12, 13, 0, 1), chunk('sRGB', [0])], wide],
      // Nothing that names a colour space of RGB: the next one counts.
      [[codePoints(2, 13, 0, 1), chunk('sRGB', [0])], plain],
      [[codePoints(9, 16, 9, 1), p3], wide],
    ] as const;
    for (const [chunks, expected] of order) expectColor((await shown(drawn(chunks))).color, expected, tolerance);
  });

  it('of high dynamic range keep their light up to three quarters of white, and highlights their order', async () => {
    const half = 0.5 * 203;
    const signal = perceptualQuantizer(half);
    const gray = (sample: number, chunks: readonly Buffer[]) =>
      shown(draw({ colorType, depth, color: [sample, sample, sample], chunks }));
    const pq = [codePoints(9, 16, 0, 1)];
    // One step of 8 bits is about one level and a half there.
    expectColor((await gray(signal, pq)).color, [encode(0.5), encode(0.5), encode(0.5)], depth === 16 ? 2 : 3);
    const levels: number[] = [];
    for (const luminance of [0, 100, 203, 400, 1000, 4000]) {
      levels.push((await gray(perceptualQuantizer(luminance), pq)).color[0] ?? -1);
    }
    expect(levels[0]).toBe(0);
    expect(levels[2]).toBeGreaterThan(230);
    expect(levels.slice(-2)).toEqual([255, 255]);
    expect(levels.toSorted((left, right) => left - right)).toEqual(levels);
    expect(new Set(levels.slice(0, 5)).size).toBe(5);
    // Diffuse white of the other system is at three quarters of its signal.
    expect((await gray(0.75, [codePoints(9, 18, 0, 1)])).color[0]).toBeGreaterThan(230);
    expectColor((await gray(1, [codePoints(9, 18, 0, 1)])).color, [255, 255, 255], 0);
  });

  it('are converted from the primaries of wide video, dark ones too', async () => {
    const dark: Color = map([0.8, 0.4, 0.2], (light) => perceptualQuantizer(light * 0.3 * 203));
    const expected = through(fromWide, [0.24, 0.12, 0.06]).map(encode);
    const { color: found } = await shown(draw({ colorType, depth, color: dark, chunks: [codePoints(9, 16, 0, 1)] }));
    expectColor(found, expected, depth === 16 ? 2 : 4);
  });
});

/** A profile with a curve for grey, as a power or as that of sRGB. Source: ICC.1:2022, section 10.18. */
function grayProfile(power?: number): Buffer {
  const figures = power === undefined ? [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045] : [power];
  const curve = Buffer.concat([
    Buffer.from('para\0\0\0\0', 'latin1'),
    Buffer.from([0, power === undefined ? 3 : 0, 0, 0]),
  ]);
  const data = Buffer.concat([curve, uint32(...figures.map((figure) => Math.round(figure * 65536)))]);
  const header = Buffer.alloc(128);
  header.write('GRAY', 16, 'latin1');
  header.write('acsp', 36, 'latin1');
  return Buffer.concat([header, uint32(1), Buffer.from('kTRC', 'latin1'), uint32(144, data.length), data]);
}

/** Source: ITU-R BT.2100, table 4. */
function perceptualQuantizer(luminance: number): number {
  const power = (luminance / 10_000) ** (2610 / 16384);
  return ((3424 / 4096 + (2413 / 128) * power) / (1 + (2392 / 128) * power)) ** (2523 / 32);
}

describe('a PNG with colours of its own', () => {
  const openai = findLimitRow('openai-chat') ?? unknownLimitRow;

  it('leaves no figures of other colours beside pixels that are sRGB', async () => {
    const original = draw({
      colorType: 2,
      depth: 8,
      color,
      chunks: [chunk('sRGB', [0]), gamma(100_000), primaries(p3Figures)],
    });
    const variant = await makeVariant(original, openai);
    expect(variant.changes).toEqual(['metadata']);
    const text = Buffer.from(variant.bytes).toString('latin1');
    for (const gone of ['gAMA', 'cHRM', 'cICP']) expect(text).not.toContain(gone);
    expect(text).toContain('sRGB');
    const converted = draw({ colorType: 2, depth: 8, color, chunks: [gamma(100_000)] });
    expect(Buffer.from((await makeVariant(converted, openai)).bytes).includes('gAMA')).toBe(false);
  });

  it('keeps a transparent grey transparent', async () => {
    const key = chunk('tRNS', [0, 102]);
    const { color: found } = await shown(draw({ colorType: 0, depth: 8, color, chunks: [gamma(100_000), key] }));
    expect(found[3]).toBe(0);
    const other = chunk('tRNS', [0, 101]);
    const opaque = await shown(draw({ colorType: 0, depth: 8, color, chunks: [gamma(100_000), other] }));
    expect(opaque.color[3]).toBe(255);
  });

  it('takes video levels for what they are', async () => {
    const narrow = draw({
      colorType: 2,
      depth: 8,
      color: [16 / 255, 235 / 255, 126 / 255],
      chunks: [codePoints(1, 13, 0, 0)],
    });
    expectColor((await shown(narrow)).color, [0, 255, (110 / 219) * 255], 1);
  });

  it('passes over figures that are none, and chunks behind the palette', async () => {
    for (const chunks of [[gamma(0)], [primaries([1, 0, 1, 0, 1, 0, 1, 0])], [codePoints(1, 13, 0, 9)]]) {
      const original = draw({ colorType: 2, depth: 8, color, chunks });
      expect((await shown(original)).variant.changes).toEqual(['metadata']);
    }
    const cut = await shown(draw({ colorType: 2, depth: 8, color, chunks: [chunk('gAMA', [0, 1])] }));
    expect(cut.variant.changes).toEqual(['reencoded', 'metadata']);
    expectColor(
      cut.color,
      map(color, (sample) => sample * 255),
      0.5,
    );
    const original = draw({ colorType: 3, depth: 8, color, chunks: [] });
    const palette = original.indexOf('IDAT') - 4;
    const late = Buffer.concat([original.subarray(0, palette), gamma(100_000), original.subarray(palette)]);
    expectColor(
      (await shown(late)).color,
      map(color, (sample) => sample * 255),
      0,
    );
  });

  it.each([8, 16] as const)('is converted from the curve of a profile for grey samples of %i bits', async (depth) => {
    for (const colorType of [0, 4] as const) {
      const foreign = draw({ colorType, depth, color: [0.1, 0.1, 0.1], chunks: [profile(grayProfile(1.8))] });
      const expected = encode((Math.round(0.1 * 255) / 255) ** 1.8);
      expectColor((await shown(foreign)).color, [expected, expected, expected], 1);
    }
  });

  it('is sent as it is without a profile for grey samples whose curve is that of sRGB, or that is for RGB', async () => {
    const rgb = buildColorProfile({ primaries: srgbPrimaries, toLinear: (sample) => sample });
    for (const needless of [grayProfile(), rgb]) {
      const original = draw({ colorType: 0, depth: 8, color, chunks: [profile(needless)] });
      expect((await shown(original)).variant.changes).toEqual(['metadata']);
    }
  });

  it('has the colours told that it is shown in', async () => {
    const [found] = await dominantColors(draw({ colorType: 2, depth: 8, color, chunks: [gamma(100_000)] }), 1);
    const expected = color.map((sample) => Math.round(encode(sample)).toString(16).padStart(2, '0')).join('');
    expect(found?.hex).toBe(`#${expected}`);
  });
});
