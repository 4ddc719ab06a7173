import type { PixelSize } from './fit-size.ts';
import { loadSharp } from './load-sharp.ts';
import { readLayout } from './read-layout.ts';
import { openUpright } from './upright-pipeline.ts';
import { uprightSize } from './upright-size.ts';

/** Brightness of a picture: one byte a pixel, row by row, 0 black to 255 white. */
export interface GrayPixels {
  readonly data: Uint8Array;
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * The first frame of an admitted picture as brightness alone: upright, on a white ground, at its
 * own size times `chooseScale(widthPx, heightPx)`.
 *
 * Throws `CORRUPT` when the bytes are no picture, and the decoder's error when they do not decode:
 * admission has accepted them before.
 */
export async function readGrayRaster(
  bytes: Uint8Array,
  chooseScale: (widthPx: number, heightPx: number) => number = () => 1,
): Promise<GrayPixels> {
  const layout = readLayout(bytes);
  const { widthPx, heightPx } = uprightSize(layout);
  const scale = chooseScale(widthPx, heightPx);
  const size = scaleSize(widthPx, heightPx, scale);
  const pipeline = await openUpright(await loadSharp(), bytes, { layout, size, kernel: 'cubic' });
  const upright = pipeline.flatten({ background: '#ffffff' });
  const { data, info } = await upright
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, widthPx: info.width, heightPx: info.height };
}

function scaleSize(widthPx: number, heightPx: number, scale: number): PixelSize {
  const toWhole = (value: number): number => Math.max(1, Math.round(value * scale));
  return { widthPx: toWhole(widthPx), heightPx: toWhole(heightPx) };
}
