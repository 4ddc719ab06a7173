import type { ImageLayout } from './image-layout.ts';
import { countBlocks, type JpegFrame, readJpegFrame } from './jpeg-frame.ts';
import { pngPixelBits } from './png-data-bytes.ts';
import { canBecomeSequential } from './sequential-jpeg.ts';

/**
 * What the decode of one picture may cost, its file included. With what is there for any picture it
 * stays below 300 MB. The figures below were measured.
 */
const MOST_BYTES = 270_000_000;
/** The same where nothing can be done about it: of pictures up to so many pixels, and in proportion beyond. */
const MOST_ACCEPTED_BYTES = 285_000_000;
const MOST_ACCEPTED_PIXELS = 40_000_000;

/** From this size on a detour that saves memory is worth its time. */
const LARGE_PIXELS = 20_000_000;

/** Rows as long as this are made shorter before they become fewer: decoders and resizers hold many of them. */
export const LONG_ROW_PX = 10_000;

/** Rows that a decoder of a picture that comes in rows keeps for what may still ask for them. */
const KEPT_ROWS = 512;

function pixelsOf(layout: ImageLayout): number {
  return layout.storedWidthPx * layout.storedHeightPx;
}

/** Whether buffers for the whole picture count. */
export function isLarge(layout: ImageLayout): boolean {
  return pixelsOf(layout) >= LARGE_PIXELS;
}

/** Samples of 16 bits that are too many to be held. */
const LARGE_DEEP_BYTES = 100_000_000;

/**
 * Whether a picture is a PNG of 16-bit samples that costs too much in the decoder: it holds all of
 * them when they are interlaced, and hundreds of rows when they are not.
 */
export function isDeepPng(bytes: Uint8Array, layout: ImageLayout): boolean {
  if (layout.format !== 'png' || bytes[24] !== 16) return false;
  if (bytes[28] === 0 && layout.storedWidthPx < LONG_ROW_PX) return false;
  return pixelsOf(layout) * pngDecodedBytes(bytes, layout) >= LARGE_DEEP_BYTES;
}

/** Of a pixel. The decoder makes alpha of a transparent colour, and colours of a palette. */
function pngDecodedBytes(bytes: Uint8Array, layout: ImageLayout): number {
  const sampleBytes = bytes[24] === 16 ? 2 : 1;
  const colorType = bytes[25] ?? 0;
  const colors = colorType === 0 || colorType === 4 ? 1 : 3;
  return sampleBytes * (colors + (layout.hasAlpha ? 1 : 0));
}

/** Of a WebP, its file included; the decoder needs next to nothing besides. */
const MOST_WEBP_BYTES = 260_000_000;
/** The canvas, and the frame that is painted on it. */
const WEBP_PIXEL_BYTES = 8;
/** The pixels of a lossless picture before its colours are transformed; the frame comes besides. */
const LOSSLESS_PIXEL_BYTES = 4;

/**
 * The largest size, as a factor, in which a WebP can be decoded: 1 for those of up to 32 megapixels.
 * The decoder makes it smaller while it decodes.
 */
export function fullestWebpScale(bytes: Uint8Array, layout: ImageLayout): number {
  const pixels = pixelsOf(layout);
  const free = Math.max(0, MOST_WEBP_BYTES - bytes.length);
  const painted = free / (pixels * WEBP_PIXEL_BYTES);
  const decoded = (free - (layout.isLossy ? 0 : pixels * LOSSLESS_PIXEL_BYTES)) / (pixels * LOSSLESS_PIXEL_BYTES);
  return Math.min(1, Math.sqrt(Math.max(0.01, Math.min(painted, decoded))));
}

/**
 * Whether a picture is a JPEG of several scans whose coefficients cost too much in the decoder,
 * which keeps all of them until the last scan.
 */
export function isDividedJpeg(bytes: Uint8Array, layout: ImageLayout): boolean {
  if (layout.format !== 'jpeg' || pixelsOf(layout) * 2 < LARGE_PIXELS) return false;
  const frame = readJpegFrame(bytes);
  return frame !== undefined && canBecomeSequential(frame) && bytes.length + jpegCost(frame) > MOST_BYTES;
}

function jpegCost(frame: JpegFrame): number {
  const { unitsAcross, unitsDown } = countBlocks(frame);
  const blocks = frame.components.reduce((sum, { across, down }) => sum + across * down, 0) * unitsAcross * unitsDown;
  const coefficients = frame.hasSeveralScans ? blocks * 64 * 2 : 0;
  return coefficients + frame.widthPx * frame.components.length * Math.min(frame.heightPx, KEPT_ROWS);
}

/**
 * The most pixels that a picture of this kind may have: fewer than the limit for all only where
 * its format makes every decoder hold more than there is room for. Such are JPEGs of several scans in
 * arithmetic coding or of more than four components, rows of a PNG or GIF that are longer than any
 * screen by far, and interlaced columns.
 */
export function mostDecodablePixels(bytes: Uint8Array, layout: ImageLayout): number {
  const cost = bytes.length + decodeCost(bytes, layout);
  const most = MOST_ACCEPTED_BYTES * Math.max(1, pixelsOf(layout) / MOST_ACCEPTED_PIXELS);
  return cost <= most ? Number.POSITIVE_INFINITY : Math.floor(pixelsOf(layout) * (most / cost));
}

function decodeCost(bytes: Uint8Array, layout: ImageLayout): number {
  switch (layout.format) {
    case 'jpeg': {
      const frame = readJpegFrame(bytes);
      return frame === undefined || isDividedJpeg(bytes, layout) ? 0 : jpegCost(frame);
    }
    case 'png':
      return pngCost(bytes, layout);
    case 'gif':
      return pixelsOf(layout) * 4 + keptRowsCost(layout, 4) + resizingCost(layout);
    case 'webp':
      return 0;
  }
}

/** The decoder keeps the place of each row of an interlaced picture. */
const ROW_PLACE_BYTES = 8;

function pngCost(bytes: Uint8Array, layout: ImageLayout): number {
  if (isDeepPng(bytes, layout)) {
    const rowBytes = (layout.storedWidthPx * pngPixelBits(bytes)) / 8;
    return pixelsOf(layout) * (layout.hasAlpha ? 4 : 3) + 3 * rowBytes + resizingCost(layout);
  }
  const pixelBytes = pngDecodedBytes(bytes, layout);
  const held =
    bytes[28] === 0
      ? keptRowsCost(layout, pixelBytes)
      : pixelsOf(layout) * pixelBytes + layout.storedHeightPx * ROW_PLACE_BYTES;
  return held + 3 * layout.storedWidthPx * pixelBytes + resizingCost(layout);
}

function keptRowsCost(layout: ImageLayout, pixelBytes: number): number {
  return layout.storedWidthPx * pixelBytes * Math.min(layout.storedHeightPx, KEPT_ROWS);
}

/** Of the rows that become one: many where they are made fewer first, few where they are made shorter first. */
function resizingCost(layout: ImageLayout): number {
  const pixelBytes = layout.hasAlpha ? 60 : 20;
  const rows = layout.storedWidthPx >= LONG_ROW_PX ? 16 : 120;
  return layout.storedWidthPx * pixelBytes * Math.min(layout.storedHeightPx, rows);
}
