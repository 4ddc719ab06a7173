/** A colour as CIE x and y. */
export type Chromaticity = readonly [x: number, y: number];

/** What the three channels and white stand for. */
export interface Primaries {
  readonly red: Chromaticity;
  readonly green: Chromaticity;
  readonly blue: Chromaticity;
  readonly white: Chromaticity;
}

/** How samples become light. */
export interface ColorSpace {
  readonly primaries: Primaries;
  /** Light of one channel, from 0 to 1, for a sample from 0 to 1. 1 is the white of the screen. */
  readonly toLinear: (sample: number) => number;
}

export type Vector = readonly [number, number, number];
/** Row by row. */
export type Matrix = readonly [Vector, Vector, Vector];

const D65: Chromaticity = [0.3127, 0.329];
/** The white that profiles are made for. Source: ICC.1:2022, section 7.2.16. */
export const WHITE_D50: Vector = [0.9642, 1, 0.8249];

/** Source: IEC 61966-2-1. */
export const srgbPrimaries: Primaries = { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: D65 };

/** The sample of 8 bits for any light; what is no light of a screen becomes the nearest that is. */
export function toSrgbSample(linear: number): number {
  return Math.round(255 * encodeSrgb(Math.min(1, Math.max(0, linear))));
}

/** Whether samples mean what those of sRGB mean, without a look at figures. */
export function isSrgb(space: ColorSpace): boolean {
  return space.primaries === srgbPrimaries && space.toLinear === decodeSrgb;
}

/** Rounding of published figures; the nearest other primaries are ten times as far. */
const CHROMATICITY_TOLERANCE = 0.001;

/** Light for a sample of sRGB. Source: IEC 61966-2-1. */
export function decodeSrgb(sample: number): number {
  return sample <= 0.040_45 ? sample / 12.92 : ((sample + 0.055) / 1.055) ** 2.4;
}

/** The sample of sRGB for light from 0 to 1. Source: IEC 61966-2-1. */
export function encodeSrgb(linear: number): number {
  return linear <= 0.003_130_8 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/** Whether these are the primaries of sRGB, as they are rounded by one writer or another. */
export function areSrgbPrimaries(primaries: Primaries): boolean {
  return (['red', 'green', 'blue', 'white'] as const).every((name) =>
    primaries[name].every(
      (value, axis) => Math.abs(value - (srgbPrimaries[name][axis] ?? 0)) <= CHROMATICITY_TOLERANCE,
    ),
  );
}

/**
 * Light of the three channels to XYZ under D50, or `undefined` when the primaries are those of no
 * screen: on one line, or with a white of no light.
 *
 * Source: ICC.1:2022, annex E (Bradford adaptation).
 */
export function matrixToD50({ red, green, blue, white }: Primaries): Matrix | undefined {
  if ([red, green, blue, white].some(([, y]) => y <= 0)) return undefined;
  const columns = transpose([toXyz(red), toXyz(green), toXyz(blue)]);
  const inverse = invert(columns);
  if (inverse === undefined) return undefined;
  const whiteXyz = toXyz(white);
  const [r, g, b] = apply(inverse, whiteXyz);
  if (Math.min(r, g, b) <= 0) return undefined;
  return multiply(adaptWhite(whiteXyz), multiply(columns, diagonal([r, g, b])));
}

/** From the light of one space's channels to that of sRGB's. */
export function matrixToSrgb(primaries: Primaries): Matrix | undefined {
  const toD50 = matrixToD50(primaries);
  const srgbToD50 = matrixToD50(srgbPrimaries);
  const fromD50 = srgbToD50 && invert(srgbToD50);
  return toD50 && fromD50 && multiply(fromD50, toD50);
}

function toXyz([x, y]: Chromaticity): Vector {
  return [x / y, 1, (1 - x - y) / y];
}

const bradford: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];
const bradfordBack: Matrix = [
  [0.986_993, -0.147_054, 0.159_963],
  [0.432_305, 0.518_36, 0.049_291],
  [-0.008_529, 0.040_043, 0.968_487],
];

function adaptWhite(white: Vector): Matrix {
  const from = apply(bradford, white);
  const to = apply(bradford, WHITE_D50);
  return multiply(bradfordBack, multiply(diagonal([to[0] / from[0], to[1] / from[1], to[2] / from[2]]), bradford));
}

/** A matrix times a column. */
export function apply(matrix: Matrix, vector: Vector): Vector {
  const row = ([a, b, c]: Vector): number => a * vector[0] + b * vector[1] + c * vector[2];
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

export function transpose([a, b, c]: Matrix): Matrix {
  return [
    [a[0], b[0], c[0]],
    [a[1], b[1], c[1]],
    [a[2], b[2], c[2]],
  ];
}

function multiply(left: Matrix, right: Matrix): Matrix {
  const [first, second, third] = transpose(right);
  return transpose([apply(left, first), apply(left, second), apply(left, third)]);
}

function diagonal([a, b, c]: Vector): Matrix {
  return [
    [a, 0, 0],
    [0, b, 0],
    [0, 0, c],
  ];
}

function invert([a, b, c]: Matrix): Matrix | undefined {
  const first = cross(b, c);
  const determinant = a[0] * first[0] + a[1] * first[1] + a[2] * first[2];
  if (Math.abs(determinant) < 1e-6) return undefined;
  const scale = (vector: Vector): Vector => [vector[0] / determinant, vector[1] / determinant, vector[2] / determinant];
  return transpose([scale(first), scale(cross(c, a)), scale(cross(a, b))]);
}

function cross(left: Vector, right: Vector): Vector {
  return [
    left[1] * right[2] - left[2] * right[1],
    left[2] * right[0] - left[0] * right[2],
    left[0] * right[1] - left[1] * right[0],
  ];
}
