import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';

/** Colours whose names the strict server's oracle answers with. */
export const pictureColors = {
  red: [220, 30, 30],
  green: [30, 180, 60],
  blue: [40, 60, 210],
  yellow: [230, 210, 40],
  black: [0, 0, 0],
  white: [255, 255, 255],
  grey: [128, 128, 128],
} as const satisfies Readonly<Record<string, readonly [number, number, number]>>;

export type PictureColor = keyof typeof pictureColors;

export interface PictureSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

export interface TwoColors {
  readonly left: PictureColor;
  readonly right: PictureColor;
}

export interface FourColors {
  readonly topLeft: PictureColor;
  readonly topRight: PictureColor;
  readonly bottomLeft: PictureColor;
  readonly bottomRight: PictureColor;
}

const DEFAULT_SIZE: PictureSize = { widthPx: 64, heightPx: 32 };

/** A PNG of one colour. */
export function makeSolidPng(color: PictureColor, size: PictureSize = DEFAULT_SIZE): Uint8Array {
  return encodePng(size, () => color);
}

/** A PNG whose left half has one colour and whose right half has another. */
export function makeTwoColorPng(colors: TwoColors, size: PictureSize = DEFAULT_SIZE): Uint8Array {
  return encodePng(size, twoColors(colors, size));
}

/** A PNG of one colour with a small mark of two colours, whose top left corner is at `x`, `y`. */
export function makeMarkedPng(
  { background, size }: { readonly background: PictureColor; readonly size: PictureSize },
  mark: TwoColors & PictureSize & { readonly x: number; readonly y: number },
): Uint8Array {
  const colorOfMark = twoColors(mark, mark);
  return encodePng(size, (x, y) => {
    const isInside = x >= mark.x && y >= mark.y && x < mark.x + mark.widthPx && y < mark.y + mark.heightPx;
    return isInside ? colorOfMark(x - mark.x) : background;
  });
}

/** A PNG with a colour for each quadrant. */
export function makeFourColorPng(colors: FourColors, size: PictureSize = DEFAULT_SIZE): Uint8Array {
  return encodePng(size, (x, y) => {
    const isLeft = x < size.widthPx / 2;
    if (y < size.heightPx / 2) return isLeft ? colors.topLeft : colors.topRight;
    return isLeft ? colors.bottomLeft : colors.bottomRight;
  });
}

/** A baseline JPEG whose left half has one colour and whose right half has another. */
export function makeTwoColorJpeg(colors: TwoColors, size: PictureSize = DEFAULT_SIZE): Uint8Array {
  const data = drawPixels(size, twoColors(colors, size));
  return Uint8Array.from(jpeg.encode({ data, width: size.widthPx, height: size.heightPx }, 92).data);
}

function twoColors(colors: TwoColors, size: PictureSize): (x: number) => PictureColor {
  return (x) => (x < size.widthPx / 2 ? colors.left : colors.right);
}

function encodePng(size: PictureSize, colorAt: (x: number, y: number) => PictureColor): Uint8Array {
  const png = new PNG({ width: size.widthPx, height: size.heightPx });
  png.data.set(drawPixels(size, colorAt));
  return Uint8Array.from(PNG.sync.write(png));
}

function drawPixels(size: PictureSize, colorAt: (x: number, y: number) => PictureColor): Uint8Array {
  const pixels = new Uint8Array(size.widthPx * size.heightPx * 4);
  for (let y = 0; y < size.heightPx; y += 1) {
    for (let x = 0; x < size.widthPx; x += 1) {
      pixels.set([...pictureColors[colorAt(x, y)], 255], (y * size.widthPx + x) * 4);
    }
  }
  return pixels;
}
