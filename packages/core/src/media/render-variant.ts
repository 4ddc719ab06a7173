import type { Sharp as SharpInstance } from 'sharp';
import { AppError } from '../base/app-error.ts';
import type { LimitRow } from '../catalog/limit-row.ts';
import { chooseEncoding } from './choose-encoding.ts';
import { fullestWebpScale } from './decode-cost.ts';
import {
  type EncodedPicture,
  type Encoding,
  encodePipeline,
  encodePixels,
  isPng,
  type Pixels,
} from './encode-pixels.ts';
import { type FittedSize, shrinkFitted } from './fit-size.ts';
import type { ImageLayout } from './image-layout.ts';
import type { Sharp } from './load-sharp.ts';
import type { PixelRegion } from './region.ts';
import { openUpright } from './upright-pipeline.ts';

const MOST_ATTEMPTS = 8;

export interface RenderOptions {
  readonly layout: ImageLayout;
  readonly row: LimitRow;
  readonly size: FittedSize;
  /** The part of the upright picture that is shown; absent: all of it. */
  readonly region?: PixelRegion;
  /** Largest result. */
  readonly maxBytes: number;
}

/**
 * Decodes, turns upright, resizes, converts to 8-bit sRGB and encodes again, without metadata. A
 * source with loss and without transparency becomes JPEG in one go; everything else becomes pixels
 * first, which decide. Throws `DOES_NOT_FIT` when no size is small enough.
 */
export async function renderVariant(sharp: Sharp, bytes: Uint8Array, asked: RenderOptions): Promise<EncodedPicture> {
  const options = { ...asked, size: decodableSize(bytes, asked) };
  const { layout, row, size, maxBytes } = options;
  const takesJpeg = row.formats.includes('jpeg');
  if (layout.isLossy && !layout.hasAlpha && takesJpeg && !isPadded(size)) {
    const encoded = await encodePipeline(await openResized(sharp, bytes, options), 'jpeg-photo', size);
    if (encoded.bytes.length <= maxBytes) return encoded;
  }
  const pixels = await readPixels(await openResized(sharp, bytes, options));
  const encoding = await pickEncoding(sharp, pixels, { layout, row, size });
  return encodeWithinBytes(sharp, pixels, { ...options, encoding });
}

/** A region of a very large WebP is not enlarged again from what the decoder can hold of it. */
function decodableSize(bytes: Uint8Array, { layout, row, size, region }: RenderOptions): FittedSize {
  if (layout.format !== 'webp' || region === undefined) return size;
  const scale = fullestWebpScale(bytes, layout);
  const factor = Math.min((region.width * scale) / size.widthPx, (region.height * scale) / size.heightPx);
  return factor < 1 ? shrinkFitted(size, factor, row) : size;
}

async function openResized(sharp: Sharp, bytes: Uint8Array, options: RenderOptions): Promise<SharpInstance> {
  return (await openUpright(sharp, bytes, options)).toColourspace('srgb');
}

async function readPixels(pipeline: SharpInstance): Promise<Pixels> {
  const { data, info } = await pipeline.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  if (info.channels !== 3 && info.channels !== 4) {
    throw new AppError('INTERNAL', 'unexpected number of channels', { data: { channels: info.channels } });
  }
  const pixels = { data, widthPx: info.width, heightPx: info.height, channels: info.channels } as const;
  return pixels.channels === 4 && isOpaque(data) ? withoutAlpha(pixels) : pixels;
}

/** Many screenshots have an alpha channel that says nothing. */
function isOpaque(data: Uint8Array): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

function withoutAlpha(pixels: Pixels): Pixels {
  const count = pixels.widthPx * pixels.heightPx;
  const data = Buffer.allocUnsafe(count * 3);
  for (let pixel = 0, from = 0, to = 0; pixel < count; pixel += 1, from += 4, to += 3) {
    data[to] = pixels.data[from] ?? 0;
    data[to + 1] = pixels.data[from + 1] ?? 0;
    data[to + 2] = pixels.data[from + 2] ?? 0;
  }
  return { ...pixels, data, channels: 3 };
}

interface EncodingSource {
  readonly layout: ImageLayout;
  readonly row: LimitRow;
  readonly size: FittedSize;
}

async function pickEncoding(sharp: Sharp, pixels: Pixels, source: EncodingSource): Promise<Encoding> {
  const { layout, row, size } = source;
  const takesPng = row.formats.includes('png');
  if (!row.formats.includes('jpeg')) return 'png-plain';
  if (isPadded(size)) return takesPng ? 'png-filtered' : 'jpeg-graphic';
  if (!takesPng) return layout.isLossy ? 'jpeg-photo' : 'jpeg-graphic';
  if (pixels.channels === 4) return 'png-filtered';
  if (layout.isLossy) return 'jpeg-photo';
  return chooseEncoding(sharp, pixels);
}

/**
 * A sliver on its canvas is little more than edge: halved colours would mix it with the ground.
 */
function isPadded(size: FittedSize): boolean {
  return size.canvasWidthPx !== size.widthPx || size.canvasHeightPx !== size.heightPx;
}

/** First with less fidelity, then smaller, until the bytes fit. */
async function encodeWithinBytes(
  sharp: Sharp,
  pixels: Pixels,
  options: RenderOptions & { readonly encoding: Encoding },
): Promise<EncodedPicture> {
  const { row, maxBytes } = options;
  let { encoding, size } = options;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const encoded = await encodePixels(sharp, pixels, { encoding, size });
    const excess = encoded.bytes.length / maxBytes;
    if (excess <= 1) return encoded;
    if (isPng(encoding) && row.formats.includes('jpeg')) encoding = 'jpeg-graphic';
    else size = shrinkFitted(size, Math.min(0.9, 0.95 / Math.sqrt(excess)), row);
  }
  throw new AppError('DOES_NOT_FIT', 'the picture does not get small enough for the endpoint', {
    data: { row: row.id, maxBytes },
  });
}
