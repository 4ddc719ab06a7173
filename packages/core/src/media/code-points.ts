import { type Chromaticity, type ColorSpace, decodeSrgb, type Primaries, srgbPrimaries } from './color-space.ts';

const D65: Chromaticity = [0.3127, 0.329];
const WHITE_C: Chromaticity = [0.31, 0.316];

const smpte170: Primaries = { red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07], white: D65 };
const p3 = { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] } as const;

/** Source: ITU-T H.273 (2024), table 2 (`ColourPrimaries`). */
const primariesOf: Readonly<Record<number, Primaries>> = {
  1: srgbPrimaries,
  4: { red: [0.67, 0.33], green: [0.21, 0.71], blue: [0.14, 0.08], white: WHITE_C },
  5: { red: [0.64, 0.33], green: [0.29, 0.6], blue: [0.15, 0.06], white: D65 },
  6: smpte170,
  7: smpte170,
  8: { red: [0.681, 0.319], green: [0.243, 0.692], blue: [0.145, 0.049], white: WHITE_C },
  9: { red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046], white: D65 },
  11: { ...p3, white: [0.314, 0.351] },
  12: { ...p3, white: D65 },
  22: { red: [0.63, 0.34], green: [0.295, 0.605], blue: [0.155, 0.077], white: D65 },
};

/** Source: ITU-T H.273 (2024), table 3 (`TransferCharacteristics`), each turned round where it encodes. */
const transferOf: Readonly<Record<number, (sample: number) => number>> = {
  1: decodeVideo,
  4: (sample) => sample ** 2.2,
  5: (sample) => sample ** 2.8,
  6: decodeVideo,
  7: (sample) => (sample < 0.0912 ? sample / 4 : ((sample + 0.1115) / 1.1115) ** (1 / 0.45)),
  8: (sample) => sample,
  13: decodeSrgb,
  14: decodeVideo,
  15: decodeVideo,
  16: (sample) => toScreen(decodePerceptualQuantizer(sample)),
  17: (sample) => Math.min(1, (52.37 / 48) * sample ** 2.6),
  18: (sample) => toScreen(decodeHybridLogGamma(sample)),
};

/**
 * The colour space that four code points name, or `undefined` where they name none that can be shown
 * as RGB: the next information of the file then counts. High dynamic range (transfer 16 and 18) is
 * brought to that of a screen, see `toScreen`.
 *
 * Source: ITU-T H.273 (2024); PNG third edition (W3C, 2025), section 11.3.2.6 (cICP).
 */
export function findColorSpace(codePoints: {
  readonly primaries: number;
  readonly transfer: number;
  readonly matrix: number;
  /** Samples reach from black to white; otherwise 16 of 255 is black and 235 is white. */
  readonly isFullRange: boolean;
}): ColorSpace | undefined {
  const primaries = primariesOf[codePoints.primaries];
  const toLinear = transferOf[codePoints.transfer];
  if (primaries === undefined || toLinear === undefined || codePoints.matrix !== 0) return undefined;
  if (codePoints.isFullRange) return { primaries, toLinear };
  return { primaries, toLinear: (sample) => toLinear(Math.min(1, Math.max(0, (sample * 255 - 16) / 219))) };
}

/** Source: ITU-R BT.709-6, item 1.2, turned round. */
function decodeVideo(sample: number): number {
  return sample < 0.081 ? sample / 4.5 : ((sample + 0.099) / 1.099) ** (1 / 0.45);
}

/** In cd/m2. Source: ITU-R BT.2100-3, table 4. */
function decodePerceptualQuantizer(sample: number): number {
  const root = sample ** (32 / 2523);
  return 10_000 * (Math.max(0, root - 3424 / 4096) / (2413 / 128 - (2392 / 128) * root)) ** (16_384 / 2610);
}

/**
 * In cd/m2 on a screen of 1000. The system's own gamma is taken channel by channel.
 * Source: ITU-R BT.2100-3, table 5.
 */
function decodeHybridLogGamma(sample: number): number {
  const scene =
    sample <= 0.5 ? sample ** 2 / 3 : (Math.exp((sample - 0.559_910_73) / 0.178_832_77) + 0.284_668_92) / 12;
  return HLG_PEAK * Math.min(1, scene) ** 1.2;
}

const HLG_PEAK = 1000;
/** White of a page or of paper, in cd/m2. Source: ITU-R BT.2408-7, section 2. */
const DIFFUSE_WHITE = 203;
/** What is brighter than most masters are becomes white. */
const BRIGHTEST = 1000 / DIFFUSE_WHITE;
/** Light up to here stays as it is. */
const KNEE = 0.75;

/**
 * From the light of high dynamic range, in cd/m2, to that of a screen: what is darker than three
 * quarters of diffuse white keeps its light, highlights share the rest, and 1000 cd/m2 is white.
 * Above the knee it is Reinhard's curve with a white point, which goes on from the straight part
 * without an edge.
 */
function toScreen(luminance: number): number {
  const light = luminance / DIFFUSE_WHITE;
  if (light <= KNEE) return light;
  const room = 1 - KNEE;
  const above = (light - KNEE) / room;
  const whitePoint = (BRIGHTEST - KNEE) / room;
  return Math.min(1, KNEE + (room * above * (1 + above / whitePoint ** 2)) / (1 + above));
}
