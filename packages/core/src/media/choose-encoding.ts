import { type Encoding, encodePixels, type Pixels } from './encode-pixels.ts';
import type { FittedSize } from './fit-size.ts';
import type { Sharp } from './load-sharp.ts';

/** Rows of one strip: two rows of JPEG blocks with halved colours, so that strips end where blocks do. */
const STRIP_ROWS = 16;
const MOST_STRIPS = 8;
const STRIP_COLUMNS = 512;
/** One strip for so many rows of the picture. */
const ROWS_PER_STRIP = 32;
/** Smaller pictures become PNG: the difference is a few kilobytes at most. They are their own sample. */
const SMALL_PIXELS = 256 * 256;
/** Strips of the first, quick look. */
const FEWEST_STRIPS = 4;
/** And their columns: it costs a tenth of the whole sample. */
const FEWEST_COLUMNS = 160;
/** More than row filters and the rest of a picture make of it, over the corpus of the benchmark. */
const CATCH_UP = 1.8;
/** Signature, IHDR, IEND and the frame of the IDAT chunk of a PNG. */
const PNG_FRAME_BYTES = 57;

/**
 * Whether lossless pixels go on the wire as PNG or JPEG: PNG unless a sample of the content (strips
 * spread over the height, of a large one a third of the width) says that JPEG is smaller. Never
 * encodes the whole of a large picture to find out. Deterministic.
 *
 * Source: requirement R196.
 */
export async function chooseEncoding(sharp: Sharp, pixels: Pixels): Promise<Encoding> {
  const strips = Math.min(MOST_STRIPS, Math.floor(pixels.heightPx / ROWS_PER_STRIP));
  const isSmall = strips === 0 || pixels.widthPx * pixels.heightPx <= SMALL_PIXELS;
  if (!isSmall && (await isClearlyJpeg(sharp, takeStrips(pixels, Math.min(FEWEST_STRIPS, strips), FEWEST_COLUMNS))))
    return 'jpeg-graphic';
  const sample = isSmall ? pixels : takeStrips(pixels, strips, STRIP_COLUMNS);
  const encode = (encoding: Encoding) => encodePixels(sharp, sample, { encoding, size: sizeOf(sample) });
  const [plain, filtered, asJpeg] = await Promise.all([
    encode('png-plain'),
    encode('png-filtered'),
    isSmall ? undefined : encode('jpeg-graphic'),
  ]);
  const asPng = plain.bytes.length <= filtered.bytes.length ? plain : filtered;
  const pngEncoding = asPng === plain ? 'png-plain' : 'png-filtered';
  if (asJpeg === undefined) return pngEncoding;
  const factor = (pixels.widthPx * pixels.heightPx) / (sample.widthPx * sample.heightPx);
  const pngBytes = extrapolate(asPng.bytes.length, { frameBytes: PNG_FRAME_BYTES, factor });
  const jpegBytes = extrapolate(asJpeg.bytes.length, { frameBytes: jpegFrameBytes(asJpeg.bytes), factor });
  return jpegBytes < pngBytes ? 'jpeg-graphic' : pngEncoding;
}

/** Whether a few strips are so much smaller as JPEG that neither the others nor row filters can catch up. */
async function isClearlyJpeg(sharp: Sharp, sample: Pixels): Promise<boolean> {
  const [asPng, asJpeg] = await Promise.all([
    encodePixels(sharp, sample, { encoding: 'png-plain', size: sizeOf(sample) }),
    encodePixels(sharp, sample, { encoding: 'jpeg-graphic', size: sizeOf(sample) }),
  ]);
  return asJpeg.bytes.length * CATCH_UP < asPng.bytes.length;
}

function sizeOf({ widthPx, heightPx }: Pixels): FittedSize {
  return { widthPx, heightPx, canvasWidthPx: widthPx, canvasHeightPx: heightPx };
}

/** Size of the whole picture: what is there once stays, what carries pixels grows with them. */
function extrapolate(sampleBytes: number, by: { readonly frameBytes: number; readonly factor: number }): number {
  return by.frameBytes + (sampleBytes - by.frameBytes) * by.factor;
}

/** Header and tables of a JPEG, up to its compressed data. */
function jpegFrameBytes(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf('\u00ff\u00da', 0, 'latin1');
}

/** Strips from top left to bottom right, evenly spread, one below the other. */
function takeStrips(pixels: Pixels, strips: number, mostColumns: number): Pixels {
  const columns = Math.min(mostColumns, pixels.widthPx);
  const rowBytes = pixels.widthPx * pixels.channels;
  const rows = Array.from({ length: strips * STRIP_ROWS }, (_, row) => {
    const strip = Math.floor(row / STRIP_ROWS);
    const share = (strip + 0.5) / strips;
    const top = Math.floor(share * pixels.heightPx - STRIP_ROWS / 2) + (row % STRIP_ROWS);
    const left = Math.floor(share * (pixels.widthPx - columns));
    const start = top * rowBytes + left * pixels.channels;
    return pixels.data.subarray(start, start + columns * pixels.channels);
  });
  return { ...pixels, data: Buffer.concat(rows), widthPx: columns, heightPx: rows.length };
}
