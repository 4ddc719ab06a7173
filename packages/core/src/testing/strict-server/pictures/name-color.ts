/** The names with which the oracle answers. */
export type ColorName =
  | 'red'
  | 'orange'
  | 'yellow'
  | 'green'
  | 'cyan'
  | 'blue'
  | 'purple'
  | 'magenta'
  | 'black'
  | 'grey'
  | 'white'
  | 'transparent';

/** Upper ends of hues in degrees, in order. */
const HUES: readonly (readonly [number, ColorName])[] = [
  [15, 'red'],
  [45, 'orange'],
  [70, 'yellow'],
  [165, 'green'],
  [200, 'cyan'],
  [260, 'blue'],
  [290, 'purple'],
  [345, 'magenta'],
];

/** The name of one pixel, channels from 0 to 255. */
export function nameColor(red: number, green: number, blue: number, alpha = 255): ColorName {
  if (alpha < 128) return 'transparent';
  const highest = Math.max(red, green, blue);
  const spread = highest - Math.min(red, green, blue);
  if (highest < 48) return 'black';
  if (spread < highest * 0.18) return highest > 215 ? 'white' : 'grey';
  const hue = hueDegrees({ red, green, blue, highest, spread });
  return HUES.find(([end]) => hue < end)?.[1] ?? 'red';
}

interface HueInput {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly highest: number;
  readonly spread: number;
}

function hueDegrees({ red, green, blue, highest, spread }: HueInput): number {
  if (highest === red) return (60 * ((green - blue) / spread) + 360) % 360;
  if (highest === green) return 60 * ((blue - red) / spread) + 120;
  return 60 * ((red - green) / spread) + 240;
}
