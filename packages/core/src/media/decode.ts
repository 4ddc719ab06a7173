import type { Sharp as SharpInstance, SharpOptions } from 'sharp';
import { AppError, isAppError } from '../base/app-error.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { isDeepPng, isDividedJpeg } from './decode-cost.ts';
import { decodeGate } from './decode-gate.ts';
import { countDamageWarnings } from './decoder-warnings.ts';
import type { ImageLayout } from './image-layout.ts';
import { DECODE_TIMEOUT_MS } from './image-limits.ts';
import { inflatePixels } from './inflate-pixels.ts';
import { loadSharp, type Sharp } from './load-sharp.ts';
import { PngRows } from './png-rows.ts';
import { toSequentialJpeg } from './sequential-jpeg.ts';

/** Why a picture did not decode. `CANCELED` and `TIMED_OUT` say nothing about the picture. */
export interface DecodeFault {
  readonly code: 'CORRUPT' | 'TIMED_OUT' | 'CANCELED';
  readonly truncated: boolean;
  /** What the decoder said, one line. */
  readonly detail: string;
}

/** How a picture from a stranger is read: first frame only, every warning an error. */
export function strictInput(maxPixels: number): SharpOptions {
  return {
    failOn: 'warning',
    limitInputPixels: maxPixels,
    sequentialRead: true,
    pages: 1,
    autoOrient: false,
  };
}

/**
 * A sharp pipeline over `bytes` at their stored orientation, with a time limit. The bytes are not copied: do not change them meanwhile.
 */
export function openPipeline(sharp: Sharp, bytes: Uint8Array, maxPixels: number): SharpInstance {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return sharp(buffer, strictInput(maxPixels)).timeout({ seconds: DECODE_TIMEOUT_MS / 1000 });
}

/** From this size on a WebP is decoded into a smaller picture. Below it the two buffers do not matter. */
const LARGE_WEBP_PIXELS = 4_000_000;
/** Less than this and a side could vanish. */
const WEBP_SHORTEST_SIDE_PX = 64;
const WEBP_SHRINK = 8;

/**
 * Decodes the first frame completely and throws the pixels away: every line is read, because the
 * only pixel that is kept is the last one of the last line. Costs the decoder's own time and no
 * buffer for the picture, except where the format itself needs one: 4 bytes a pixel for a lossless
 * WebP, 1 to 4 for an interlaced PNG, 3 to 6 for a progressive JPEG, 4 for a GIF. What would need
 * more is read by ourselves (docs/decisions/0008).
 */
export async function decodeWhole(
  bytes: Uint8Array,
  layout: ImageLayout,
  options: { readonly maxPixels: number; readonly signal?: AbortSignal },
): Promise<Result<void, DecodeFault>> {
  const { maxPixels, signal } = options;
  try {
    const sharp = await loadSharp();
    if (isDeepPng(bytes, layout)) {
      await decodeGate().run(() => checkRows(bytes, layout), signal);
      return ok(undefined);
    }
    const decode = async () => {
      const readable = isDividedJpeg(bytes, layout) ? await toSequentialJpeg(bytes) : bytes;
      return readLastPixel(openPipeline(sharp, readable, maxPixels), layout)
        .raw()
        .toBuffer();
    };
    const warningsBefore = countDamageWarnings();
    await decodeGate().run(decode, signal);
    if (layout.format !== 'jpeg' || countDamageWarnings() === warningsBefore) return ok(undefined);
    // This picture or one beside it: what is warned of while it is alone is its own.
    const warnedOf = await decodeGate().runAlone(() => countWarningsOf(decode), signal);
    return warnedOf === 0 ? ok(undefined) : fail({ code: 'CORRUPT', truncated: false, detail: LAST_LINES_DAMAGED });
  } catch (error) {
    return fail(toDecodeFault(error));
  }
}

const LAST_LINES_DAMAGED = 'the last lines are damaged';

async function countWarningsOf(work: () => Promise<unknown>): Promise<number> {
  const before = countDamageWarnings();
  await work();
  return countDamageWarnings() - before;
}

/** Every row of a PNG is there, filtered in a way that there is. */
async function checkRows(bytes: Uint8Array, layout: ImageLayout): Promise<void> {
  const rows = new PngRows(bytes);
  for await (const piece of inflatePixels(bytes, layout.pixelData)) {
    rows.push(piece);
    // What is behind the last row, the checksum too, the decoder only warns of.
    if (rows.isComplete()) break;
  }
  if (!rows.isComplete()) throw new AppError('CORRUPT', 'the pixel data ends too early');
}

/**
 * The WebP decoder gives no lines before it has all of them, and the canvas is a second copy: 8
 * bytes a pixel. Asked for a smaller picture it still parses and reconstructs every pixel (its
 * scaler works on finished lines; only the smoothing of block edges is left out), and keeps few.
 *
 * Source: libwebp, WebPDecoderOptions: `use_scaling`.
 */
function readLastPixel(pipeline: SharpInstance, layout: ImageLayout): SharpInstance {
  const { storedWidthPx: widthPx, storedHeightPx: heightPx } = layout;
  const isLargeWebp =
    layout.format === 'webp' &&
    widthPx * heightPx >= LARGE_WEBP_PIXELS &&
    Math.min(widthPx, heightPx) >= WEBP_SHORTEST_SIDE_PX;
  if (!isLargeWebp) return pipeline.extract({ ...lastPixel(layout), width: 1, height: 1 });
  const width = Math.round(widthPx / WEBP_SHRINK);
  const height = Math.round(heightPx / WEBP_SHRINK);
  return pipeline
    .resize(width, height, { fit: 'fill', kernel: 'nearest' })
    .extract({ left: width - 1, top: height - 1, width: 1, height: 1 });
}

/**
 * The last pixel of the first frame. Of a frame that covers a part of the canvas it is the frame's
 * own: for GIFs with certain canvases (640x480 among them) the decoder gives nothing behind it.
 */
function lastPixel(layout: ImageLayout): { readonly left: number; readonly top: number } {
  const area = layout.partialFrame ?? {
    left: 0,
    top: 0,
    width: layout.storedWidthPx,
    height: layout.storedHeightPx,
  };
  return { left: area.left + area.width - 1, top: area.top + area.height - 1 };
}

/** Sorts what sharp threw. Its messages have several lines; the first says what happened. */
export function toDecodeFault(error: unknown): DecodeFault {
  if (isAppError(error) && error.code === 'CANCELED') {
    return { code: 'CANCELED', truncated: false, detail: error.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  const detail = (message.split('\n')[0] ?? '').slice(0, 120).trim();
  if (/^timeout/i.test(detail)) return { code: 'TIMED_OUT', truncated: false, detail };
  const truncated = /premature end|unexpected end|end of file|ends too early/i.test(message);
  return { code: 'CORRUPT', truncated, detail };
}
