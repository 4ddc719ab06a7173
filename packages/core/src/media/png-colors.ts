import { inflateSync } from 'node:zlib';
import { findColorSpace } from './code-points.ts';
import { classifyColorProfile, readGrayCurve } from './color-profile.ts';
import {
  areSrgbPrimaries,
  type ColorSpace,
  decodeSrgb,
  isSrgb,
  matrixToD50,
  type Primaries,
  srgbPrimaries,
} from './color-space.ts';
import { readTag, readUint32Big } from './read-integer.ts';

/** The bodies of the chunks of a PNG that say what its samples mean; the first of each counts. */
export interface PngColorChunks {
  cICP?: Uint8Array;
  iCCP?: Uint8Array;
  sRGB?: Uint8Array;
  gAMA?: Uint8Array;
  cHRM?: Uint8Array;
}

/** Their names, in the order in which they count. Source: PNG third edition (W3C, 2025), section 4.3. */
export const colorChunks = ['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM'] as const;

/** What a PNG says about its colours. */
export interface PngColors {
  /** Shown as sRGB, the picture would have other colours. */
  readonly isForeign: boolean;
  /**
   * `profile`: the embedded profile says it, and decoders know how to apply it. A colour space:
   * chunks say it that decoders do not apply. Absent where sRGB is said, or nothing.
   */
  readonly source?: 'profile' | ColorSpace;
}

const PLAIN: PngColors = { isForeign: false };

/** A profile of primaries and curves has a few kilobytes; one with tables is foreign anyway. */
const LARGEST_SIMPLE_PROFILE = 65_536;
const FIXED_POINT = 100_000;
/** 1/2.2 within less than one level of 8 bits; writers that mean sRGB round it in several ways. */
const SRGB_GAMMA = { from: 0.45, to: 0.46 } as const;
/** What libpng takes for a value. */
const GAMMA = { from: 16, to: 625_000_000 } as const;

/**
 * What the samples of a PNG mean: by code points (cICP) before a profile (iCCP) before sRGB before
 * gamma and primaries (gAMA, cHRM). One that says nothing usable is passed over. Gamma alone has the
 * primaries of sRGB, primaries alone its curve, as in browsers.
 *
 * Source: PNG third edition (W3C, 2025), sections 4.3 and 11.3.2.
 */
export function readPngColors(chunks: PngColorChunks, colorType: number): PngColors {
  const space = readCodePoints(chunks.cICP);
  if (space !== undefined) {
    // Also where it is sRGB: a profile beside it must not be applied.
    return { isForeign: !isSrgb(space), source: space };
  }
  const byProfile = chunks.iCCP && readProfile(chunks.iCCP, colorType);
  if (byProfile !== undefined) return byProfile;
  if (chunks.sRGB !== undefined) return PLAIN;
  const byFigures = {
    primaries: (chunks.cHRM && readPrimaries(chunks.cHRM)) ?? srgbPrimaries,
    toLinear: (chunks.gAMA && readGamma(chunks.gAMA)) ?? decodeSrgb,
  };
  return isSrgb(byFigures) ? PLAIN : { isForeign: true, source: byFigures };
}

/**
 * Whether a chunk that says figures says those of sRGB. Others are not left beside pixels that
 * are sRGB, whatever else stands in the file: some decoders look at nothing but them.
 */
export function saysSrgb(type: 'gAMA' | 'cHRM', data: Uint8Array): boolean {
  return type === 'gAMA' ? readGamma(data) === decodeSrgb : readPrimaries(data) === srgbPrimaries;
}

function readCodePoints(data: Uint8Array | undefined): ColorSpace | undefined {
  if (data?.length !== 4) return undefined;
  const [primaries = 0, transfer = 0, matrix = 0, range = 0] = data;
  return range > 1 ? undefined : findColorSpace({ primaries, transfer, matrix, isFullRange: range === 1 });
}

/** A profile that changes nothing can be left out like any metadata; what cannot be read is converted. */
function readProfile(data: Uint8Array, colorType: number): PngColors | undefined {
  // Name, terminator, compression method, compressed profile.
  const compressed = data.subarray(data.indexOf(0) + 2);
  let profile: Uint8Array;
  try {
    profile = inflateSync(compressed, { maxOutputLength: LARGEST_SIMPLE_PROFILE });
  } catch (error) {
    return error instanceof RangeError ? { isForeign: true, source: 'profile' } : undefined;
  }
  const isGray = colorType === 0 || colorType === 4;
  // A profile for another kind of samples is none for these.
  if (readTag(profile, 16, 4) !== (isGray ? 'GRAY' : 'RGB ')) return undefined;
  const kind = classifyColorProfile(profile);
  if (kind === 'unusable') return undefined;
  if (kind === 'srgb') return PLAIN;
  const curve = isGray ? readGrayCurve(profile) : undefined;
  return { isForeign: true, source: curve === undefined ? 'profile' : { primaries: srgbPrimaries, toLinear: curve } };
}

function readGamma(data: Uint8Array): ColorSpace['toLinear'] | undefined {
  const value = data.length === 4 ? readUint32Big(data, 0) : 0;
  if (value < GAMMA.from || value > GAMMA.to) return undefined;
  const gamma = value / FIXED_POINT;
  if (gamma >= SRGB_GAMMA.from && gamma <= SRGB_GAMMA.to) return decodeSrgb;
  return (sample) => sample ** (1 / gamma);
}

function readPrimaries(data: Uint8Array): Primaries | undefined {
  if (data.length !== 32) return undefined;
  const at = (index: number) =>
    [readUint32Big(data, index * 8) / FIXED_POINT, readUint32Big(data, index * 8 + 4) / FIXED_POINT] as const;
  const primaries = { white: at(0), red: at(1), green: at(2), blue: at(3) };
  if (areSrgbPrimaries(primaries)) return srgbPrimaries;
  return matrixToD50(primaries) === undefined ? undefined : primaries;
}
