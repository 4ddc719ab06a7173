import type { Sharp as SharpInstance, SharpOptions } from 'sharp';
import { isAppError } from '../base/app-error.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { decodeGate } from './decode-gate.ts';
import type { ImageLayout } from './image-layout.ts';
import { DECODE_TIMEOUT_MS } from './image-limits.ts';
import { loadSharp, type Sharp } from './load-sharp.ts';

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

/**
 * Decodes the first frame completely and throws the pixels away: every line is read, because the
 * only pixel that is kept is the last one of the last line. Costs the decoder's own time and no
 * buffer for the picture.
 */
export async function decodeWhole(
  bytes: Uint8Array,
  layout: ImageLayout,
  options: { readonly maxPixels: number; readonly signal?: AbortSignal },
): Promise<Result<void, DecodeFault>> {
  const { maxPixels, signal } = options;
  try {
    const sharp = await loadSharp();
    const last = lastPixel(layout);
    await decodeGate().run(
      () =>
        openPipeline(sharp, bytes, maxPixels)
          .extract({ ...last, width: 1, height: 1 })
          .raw()
          .toBuffer(),
      signal,
    );
    return ok(undefined);
  } catch (error) {
    return fail(toDecodeFault(error));
  }
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
  const truncated = /premature end|unexpected end|end of file/i.test(message);
  return { code: 'CORRUPT', truncated, detail };
}
