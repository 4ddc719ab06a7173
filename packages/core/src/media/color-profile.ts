import { encodeSrgb } from './color-space.ts';
import { hasBytes, readTag, readUint16Big, readUint32Big } from './read-integer.ts';

/** Those that the four formats can have. */
const colorSpaces: ReadonlySet<string> = new Set(['RGB ', 'GRAY', 'CMYK']);

const TAG_TABLE = 128;
const TAG_ENTRY = 12;
/** Far more than any profile has; keeps a broken count cheap. */
const MOST_TAGS = 200;

/** Red, green and blue of sRGB as a profile states them, adapted to D50. */
const primaries = [
  { tag: 'rXYZ', curve: 'rTRC', xyz: [0.4361, 0.2225, 0.0139] },
  { tag: 'gXYZ', curve: 'gTRC', xyz: [0.3851, 0.7169, 0.0971] },
  { tag: 'bXYZ', curve: 'bTRC', xyz: [0.1431, 0.0606, 0.7141] },
] as const;
/** Rounding of published profiles is a tenth of it, the nearest other colour space ten times as far. */
const XYZ_TOLERANCE = 0.004;
const SAMPLES = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9] as const;
/** One level of 8 bits. */
const CURVE_TOLERANCE = 1 / 255;

/**
 * What an embedded ICC profile means for a picture: `srgb` changes nothing, `foreign` asks for a
 * conversion, `unusable` is no profile at all and is ignored, as decoders do. The figures decide,
 * not the name: there are profiles called sRGB with another curve.
 *
 * Source: ICC.1:2022, sections 7.2 (`acsp` at offset 36), 7.3 (tag table), 9.2 (colorants and curves)
 * and 10.6, 10.18, 10.31 (their types); IEC 61966-2-1 for sRGB itself.
 */
export function classifyColorProfile(profile: Uint8Array): 'srgb' | 'foreign' | 'unusable' {
  const colorSpace = readTag(profile, 16, 4);
  if (readTag(profile, 36, 4) !== 'acsp' || !colorSpaces.has(colorSpace)) return 'unusable';
  if (colorSpace === 'CMYK') return 'foreign';
  const tags = readTags(profile);
  // A table of colours takes precedence over primaries and curves.
  if (tags.has('A2B0')) return 'foreign';
  if (colorSpace === 'GRAY') return isSrgbCurve(tags.get('kTRC')) ? 'srgb' : 'foreign';
  return primaries.every(({ tag, curve, xyz }) => isColorant(tags.get(tag), xyz) && isSrgbCurve(tags.get(curve)))
    ? 'srgb'
    : 'foreign';
}

/**
 * The curve of a profile for grey samples, from a sample to light; `undefined` when there is none
 * that can be read. Source: ICC.1:2022, section 8.3.4 (grayTRC).
 */
export function readGrayCurve(profile: Uint8Array): ((sample: number) => number) | undefined {
  const tags = readTags(profile);
  const curve = tags.get('kTRC');
  if (curve === undefined || tags.has('A2B0')) return undefined;
  const toLinear = (sample: number): number => evaluateCurve(curve, sample);
  return [0, ...SAMPLES, 1].every((sample) => Number.isFinite(toLinear(sample))) ? toLinear : undefined;
}

function readTags(profile: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const tags = new Map<string, Uint8Array>();
  const count = Math.min(readUint32Big(profile, TAG_TABLE), MOST_TAGS);
  for (let index = 0; index < count; index += 1) {
    const entry = TAG_TABLE + 4 + index * TAG_ENTRY;
    const start = readUint32Big(profile, entry + 4);
    const length = readUint32Big(profile, entry + 8);
    if (hasBytes(profile, start, length)) tags.set(readTag(profile, entry, 4), profile.subarray(start, start + length));
  }
  return tags;
}

function isColorant(data: Uint8Array | undefined, expected: readonly number[]): boolean {
  if (data === undefined || data.length < 20 || readTag(data, 0, 4) !== 'XYZ ') return false;
  return expected.every((value, index) => Math.abs(readFixed(data, 8 + index * 4) - value) <= XYZ_TOLERANCE);
}

function isSrgbCurve(data: Uint8Array | undefined): boolean {
  if (data === undefined || data.length < 12) return false;
  return SAMPLES.every((sample) => Math.abs(encodeSrgb(evaluateCurve(data, sample)) - sample) <= CURVE_TOLERANCE);
}

function evaluateCurve(data: Uint8Array, input: number): number {
  switch (readTag(data, 0, 4)) {
    case 'curv':
      return evaluateTable(data, input);
    case 'para':
      return evaluateFormula(data, input);
    default:
      return Number.NaN;
  }
}

function evaluateTable(data: Uint8Array, input: number): number {
  const count = readUint32Big(data, 8);
  if (count === 0) return input;
  if (count === 1) return input ** (readUint16Big(data, 12) / 256);
  if (!hasBytes(data, 12, count * 2)) return Number.NaN;
  const place = input * (count - 1);
  const before = Math.floor(place);
  const low = readUint16Big(data, 12 + before * 2);
  const high = readUint16Big(data, 12 + Math.min(count - 1, before + 1) * 2);
  return (low + (high - low) * (place - before)) / 65_535;
}

/** How many figures each kind of formula has. */
const FIGURES = [1, 3, 4, 5, 7] as const;

function evaluateFormula(data: Uint8Array, input: number): number {
  const kind = readUint16Big(data, 8);
  const count = FIGURES[kind];
  if (count === undefined || !hasBytes(data, 12, count * 4)) return Number.NaN;
  const [gamma = 0, scale = 1, shift = 0, ...rest] = Array.from({ length: count }, (_, index) =>
    readFixed(data, 12 + index * 4),
  );
  const power = (scale * input + shift) ** gamma;
  const [slopeOrLift = 0, limit = 0, liftAbove = 0, liftBelow = 0] = rest;
  switch (kind) {
    case 0:
      return power;
    case 1:
    case 2:
      return input >= -shift / scale ? power + slopeOrLift : slopeOrLift;
    default:
      return input >= limit ? power + liftAbove : slopeOrLift * input + liftBelow;
  }
}

/** Signed, 16 bits before the point and 16 behind it. */
function readFixed(data: Uint8Array, at: number): number {
  return (readUint32Big(data, at) | 0) / 65_536;
}
