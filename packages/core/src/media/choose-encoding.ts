import { type Encoding, encodePixels, type Pixels } from './encode-pixels.ts';
import type { Sharp } from './load-sharp.ts';

/** Rows of one strip: two rows of JPEG blocks with halved colours, so that strips end where blocks do. */
const STRIP_ROWS = 16;
const MOST_STRIPS = 6;
/** At most this share of the rows is looked at. */
const ROWS_PER_STRIP = 64;
/** Smaller pictures become PNG: the difference is a few kilobytes at most. */
const SMALL_PIXELS = 256 * 256;
/** Header and tables of a JPEG, which weigh more in a sample than in the picture. */
const JPEG_HEADER_BYTES = 620;

/**
 * Whether lossless pixels go on the wire as PNG or JPEG: PNG unless a sample of the content (strips
 * spread over the height, at most a quarter of it) says that JPEG is clearly smaller. Never encodes
 * the picture itself twice. Deterministic.
 *
 * Source: requirement R196.
 */
export async function chooseEncoding(sharp: Sharp, pixels: Pixels): Promise<Encoding> {
  const strips = Math.min(MOST_STRIPS, Math.floor(pixels.heightPx / ROWS_PER_STRIP));
  if (strips === 0 || pixels.widthPx * pixels.heightPx <= SMALL_PIXELS) return 'png';
  const sample = takeStrips(pixels, strips);
  const size = {
    widthPx: sample.widthPx,
    heightPx: sample.heightPx,
    canvasWidthPx: sample.widthPx,
    canvasHeightPx: sample.heightPx,
  };
  const [asPng, asJpeg] = await Promise.all([
    encodePixels(sharp, sample, { encoding: 'png', size }),
    encodePixels(sharp, sample, { encoding: 'jpeg-graphic', size }),
  ]);
  return asJpeg.bytes.length - JPEG_HEADER_BYTES < asPng.bytes.length ? 'jpeg-graphic' : 'png';
}

/** Strips of full width, evenly spread, one below the other. */
function takeStrips(pixels: Pixels, strips: number): Pixels {
  const rowBytes = pixels.widthPx * pixels.channels;
  const pieces = Array.from({ length: strips }, (_, index) => {
    const top = Math.floor(((index + 0.5) * pixels.heightPx) / strips - STRIP_ROWS / 2);
    return pixels.data.subarray(top * rowBytes, (top + STRIP_ROWS) * rowBytes);
  });
  return { ...pixels, data: Buffer.concat(pieces), heightPx: strips * STRIP_ROWS };
}
