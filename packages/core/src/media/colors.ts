import { decodeGate } from './decode-gate.ts';
import { loadSharp } from './load-sharp.ts';
import { readLayout } from './read-layout.ts';
import { openUpright } from './upright-pipeline.ts';

/** The basic colours that people name. English; an answer in another language translates them. */
export type ColorName =
  | 'black'
  | 'white'
  | 'grey'
  | 'red'
  | 'orange'
  | 'yellow'
  | 'green'
  | 'cyan'
  | 'blue'
  | 'purple'
  | 'pink'
  | 'brown';

/** One of the colours that cover most of a picture. */
export interface DominantColor {
  /** `#rrggbb`, the average of what it stands for. */
  readonly hex: string;
  /** Part of the picture, from 0 to 1. */
  readonly share: number;
  readonly name: ColorName;
}

const SAMPLE_SIDE_PX = 96;
/** Colours whose squared distance is smaller are one colour. */
const SAME_COLOR_DISTANCE = 40 ** 2;

/**
 * The colours that cover most of a picture, at most `count`, the largest share first. Transparent
 * parts count as white. Throws `CORRUPT` when the bytes are no picture.
 */
export async function dominantColors(bytes: Uint8Array, count: number): Promise<DominantColor[]> {
  const layout = readLayout(bytes);
  const sharp = await loadSharp();
  const pixels = await decodeGate().run(async () => {
    const size = { widthPx: SAMPLE_SIDE_PX, heightPx: SAMPLE_SIDE_PX };
    // Nearest, because an average of two colours is a third one that is not in the picture.
    const pipeline = await openUpright(sharp, bytes, { layout, size, kernel: 'nearest' });
    return pipeline.flatten({ background: '#ffffff' }).toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer();
  });
  const clusters = mergeClusters(countColors(pixels));
  const total = pixels.length / 3;
  return clusters.slice(0, count).map(({ red, green, blue, pixels: covered }) => ({
    hex: `#${[red, green, blue].map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`,
    share: covered / total,
    name: nameColor({ red, green, blue }),
  }));
}

interface Color {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

interface Cluster extends Color {
  readonly pixels: number;
}

/** Averages of all pixels that agree in the four highest bits of each channel, most frequent first. */
function countColors(pixels: Uint8Array): Cluster[] {
  const sums = new Map<number, { red: number; green: number; blue: number; pixels: number }>();
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const red = pixels[at] ?? 0;
    const green = pixels[at + 1] ?? 0;
    const blue = pixels[at + 2] ?? 0;
    const key = ((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4);
    const sum = sums.get(key) ?? { red: 0, green: 0, blue: 0, pixels: 0 };
    sum.red += red;
    sum.green += green;
    sum.blue += blue;
    sum.pixels += 1;
    sums.set(key, sum);
  }
  return [...sums.values()]
    .map((sum) => ({
      red: sum.red / sum.pixels,
      green: sum.green / sum.pixels,
      blue: sum.blue / sum.pixels,
      pixels: sum.pixels,
    }))
    .sort(byShare);
}

/** Joins each cluster with the largest one that is close to it. */
function mergeClusters(clusters: readonly Cluster[]): Cluster[] {
  const merged: Cluster[] = [];
  for (const cluster of clusters) {
    const index = merged.findIndex((other) => distance(other, cluster) < SAME_COLOR_DISTANCE);
    const other = merged[index];
    if (other === undefined) merged.push(cluster);
    else merged[index] = { ...other, pixels: other.pixels + cluster.pixels };
  }
  return merged.sort(byShare);
}

function byShare(left: Cluster, right: Cluster): number {
  return right.pixels - left.pixels;
}

function distance(left: Color, right: Color): number {
  return (left.red - right.red) ** 2 + (left.green - right.green) ** 2 + (left.blue - right.blue) ** 2;
}

/** By lightness and saturation first, then by hue. */
function nameColor({ red, green, blue }: Color): ColorName {
  const largest = Math.max(red, green, blue);
  const smallest = Math.min(red, green, blue);
  const spread = largest - smallest;
  const lightness = (largest + smallest) / 2;
  if (lightness < 28) return 'black';
  if (lightness > 235) return 'white';
  if (spread < 30) return 'grey';
  return nameHue(hueDegrees({ red, green, blue }, { largest, spread }), lightness);
}

function hueDegrees({ red, green, blue }: Color, range: { readonly largest: number; readonly spread: number }): number {
  const { largest, spread } = range;
  const sixth =
    largest === red
      ? (green - blue) / spread
      : largest === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  return (sixth * 60 + 360) % 360;
}

/** Where each hue ends, in degrees. */
const hueEnds: readonly (readonly [number, ColorName])[] = [
  [16, 'red'],
  [42, 'orange'],
  [70, 'yellow'],
  [165, 'green'],
  [198, 'cyan'],
  [258, 'blue'],
  [295, 'purple'],
  [340, 'pink'],
  [360, 'red'],
];

function nameHue(degrees: number, lightness: number): ColorName {
  const name = hueEnds.find(([end]) => degrees < end)?.[1] ?? 'red';
  if (name === 'orange' && lightness < 100) return 'brown';
  if (name === 'red' && lightness > 180) return 'pink';
  return name;
}
