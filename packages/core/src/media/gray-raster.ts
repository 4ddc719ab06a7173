/** Brightness of a picture: one byte a pixel, row by row, 0 black to 255 white. */
export interface GrayPixels {
  readonly data: Uint8Array;
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * The first frame of a whole picture as brightness alone: upright, on a white ground, at its own
 * size times `chooseScale(widthPx, heightPx)`.
 *
 * For pictures that admission has already accepted. Throws the decoder's error for others.
 */
export async function readGrayRaster(
  bytes: Uint8Array,
  chooseScale: (widthPx: number, heightPx: number) => number = () => 1,
): Promise<GrayPixels> {
  const { default: sharp } = await import('sharp');
  const options = { failOn: 'warning', sequentialRead: true, pages: 1 } as const;
  const { autoOrient } = await sharp(bytes, options).metadata();
  const scale = chooseScale(autoOrient.width, autoOrient.height);
  const upright = sharp(bytes, options).autoOrient().flatten({ background: '#ffffff' });
  const sized =
    scale === 1
      ? upright
      : upright.resize({ width: Math.max(1, Math.round(autoOrient.width * scale)), kernel: 'cubic' });
  const { data, info } = await sized.toColourspace('b-w').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data, widthPx: info.width, heightPx: info.height };
}
