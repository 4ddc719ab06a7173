import { setImmediate } from 'node:timers/promises';
import type { Digest } from '../base/ids.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { type DecodeFault, decodeWhole } from './decode.ts';
import { mostDecodablePixels } from './decode-cost.ts';
import { digestOf } from './digest.ts';
import { findImageFormat, type ImageFormatRow } from './formats.ts';
import { corruptFault, type ImageLayout, type LayoutFault } from './image-layout.ts';
import { DECODE_TIMEOUT_MS, type ImageLimits } from './image-limits.ts';
import { measurePixelData } from './measure-pixel-data.ts';
import { isForeignMedia, sniffContent } from './sniff.ts';
import { uprightSize } from './upright-size.ts';

/** What is known of a picture that was verified. */
export interface ImageFacts {
  readonly mediaType: string;
  /** Of the upright picture; of the canvas for animations. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly sizeBytes: number;
  readonly frames: number;
  readonly digest: Digest;
}

/** How {@link verifyImage} names and bounds a picture. */
export interface VerifyOptions {
  /** The path or name as it was given, for the refusal. */
  readonly name: string;
  readonly limits: ImageLimits;
  readonly signal?: AbortSignal;
}

/**
 * What is a picture, and is it whole: the one check that every picture passes on every way in. In
 * this order: bytes, kind by content, size by the header, structure of the file, frames, and a
 * complete decode of the first frame. Nothing is decoded before all limits have been checked.
 *
 * Refuses with `EMPTY`, `TOO_MANY_BYTES`, `UNSUPPORTED_FORMAT`, `NOT_AN_IMAGE`, `CORRUPT`,
 * `TOO_MANY_PIXELS`, `TOO_MANY_FRAMES`, `TIMED_OUT`, `CANCELED`.
 */
export async function verifyImage(bytes: Uint8Array, options: VerifyOptions): Promise<Result<ImageFacts, Refusal>> {
  const { name, limits, signal } = options;
  if (signal?.aborted === true) return fail({ code: 'CANCELED', name });
  const bySize = refuseBySize(bytes, name, limits);
  if (bySize !== undefined) return fail(bySize);
  const row = findImageFormat(bytes);
  if (row === undefined) return fail(await refuseByKind(bytes, name));
  const layout = readWithinLimits(bytes, row, { name, limits });
  if (!layout.ok) return layout;
  const decoding = decodeWhole(bytes, layout.value, { maxPixels: limits.maxPixels, ...(signal && { signal }) });
  // Lets the decoder start in its own thread, so that hashing costs no time of its own.
  await setImmediate();
  const digest = digestOf(bytes);
  // The decoder of GIF shows what is there and says nothing of what is not.
  const isShort = layout.value.format === 'gif' && (await measurePixelData(bytes, layout.value)) === 'short';
  const decoded = await decoding;
  if (!decoded.ok) return fail(refuseByDecoder(decoded.error, row, name));
  if (isShort) return fail(refuseByLayout(corruptFault('pixels are missing'), row, name));
  return ok({
    mediaType: row.mediaType,
    ...uprightSize(layout.value),
    sizeBytes: bytes.length,
    frames: layout.value.frames,
    digest,
  });
}

function refuseBySize(bytes: Uint8Array, name: string, limits: ImageLimits): Refusal | undefined {
  if (bytes.length === 0) return { code: 'EMPTY', name };
  if (bytes.length <= limits.maxBytes) return undefined;
  return { code: 'TOO_MANY_BYTES', name, actual: bytes.length, limit: limits.maxBytes };
}

async function refuseByKind(bytes: Uint8Array, name: string): Promise<Refusal> {
  const content = await sniffContent(bytes);
  return {
    code: isForeignMedia(content.mediaType) ? 'UNSUPPORTED_FORMAT' : 'NOT_AN_IMAGE',
    name,
    ...(content.mediaType !== undefined && { trueType: content.mediaType }),
    ...(content.note !== undefined && { detail: content.note }),
  };
}

function readWithinLimits(
  bytes: Uint8Array,
  row: ImageFormatRow,
  options: { readonly name: string; readonly limits: ImageLimits },
): Result<ImageLayout, Refusal> {
  const { name, limits } = options;
  const trueType = row.mediaType;
  const size = row.readSize(bytes);
  if (!size.ok) return fail(refuseByLayout(size.error, row, name));
  // Both sides are below 2^31: the product may be rounded, but not around a limit that is met.
  const pixels = size.value.storedWidthPx * size.value.storedHeightPx;
  if (pixels > limits.maxPixels) {
    return fail({ code: 'TOO_MANY_PIXELS', name, trueType, actual: pixels, limit: limits.maxPixels });
  }
  const layout = row.readLayout(bytes);
  if (!layout.ok) return fail(refuseByLayout(layout.error, row, name));
  const mostPixels = mostDecodablePixels(bytes, layout.value);
  if (pixels > mostPixels) {
    return fail({ code: 'TOO_MANY_PIXELS', name, trueType, actual: pixels, limit: mostPixels, detail: 'costly-kind' });
  }
  const frames = layout.value.frames;
  if (frames > limits.maxFrames) {
    return fail({ code: 'TOO_MANY_FRAMES', name, trueType, actual: frames, limit: limits.maxFrames });
  }
  return layout;
}

function refuseByLayout(fault: LayoutFault, row: ImageFormatRow, name: string): Refusal {
  return { code: 'CORRUPT', name, trueType: row.mediaType, truncated: fault.truncated, detail: fault.detail };
}

function refuseByDecoder(fault: DecodeFault, row: ImageFormatRow, name: string): Refusal {
  switch (fault.code) {
    case 'CANCELED':
      return { code: 'CANCELED', name };
    case 'TIMED_OUT':
      return { code: 'TIMED_OUT', name, limit: DECODE_TIMEOUT_MS };
    case 'CORRUPT':
      return { code: 'CORRUPT', name, trueType: row.mediaType, truncated: fault.truncated, detail: fault.detail };
  }
}
