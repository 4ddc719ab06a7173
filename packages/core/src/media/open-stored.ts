import type { Sharp as SharpInstance } from 'sharp';
import { fullestWebpScale, isDeepPng, isDividedJpeg, isLarge, LONG_ROW_PX } from './decode-cost.ts';
import type { PixelSize } from './fit-size.ts';
import type { ImageLayout, PixelArea } from './image-layout.ts';
import { DECODE_TIMEOUT_MS } from './image-limits.ts';
import type { Sharp } from './load-sharp.ts';
import { openConverted } from './open-converted.ts';
import { readDeepPng } from './read-deep-png.ts';
import { toSequentialJpeg } from './sequential-jpeg.ts';

/** What becomes of the pixels that are cut out. */
export interface Resizing {
  readonly size: PixelSize;
  readonly kernel?: 'cubic' | 'nearest';
}

interface StoredOptions {
  readonly layout: ImageLayout;
  /** Of the stored canvas. */
  readonly area: PixelArea;
  readonly resizing: Resizing;
}

/**
 * A sharp pipeline that begins with a part of a picture's first frame as it is stored, in the size
 * that is asked for, and in no more memory than a decode may cost: each kind of picture has the
 * way that keeps it.
 */
export async function openStored(sharp: Sharp, bytes: Uint8Array, options: StoredOptions): Promise<SharpInstance> {
  const { layout, area } = options;
  if (isDividedJpeg(bytes, layout)) {
    // Its header says the same.
    return openStored(sharp, await toSequentialJpeg(bytes), options);
  }
  if (isDeepPng(bytes, layout)) {
    const { data, channels } = await readDeepPng(sharp, bytes, { layout, area });
    return resize(sharp, openPixels(sharp, data, { ...area, channels }), options);
  }
  if (layout.partialFrame !== undefined && isLarge(layout)) return fitPartialFrame(sharp, bytes, options);
  if (isReducedFirst(bytes, options)) return cutFromReduced(sharp, bytes, options);
  const canvas = await openCanvas(sharp, bytes, layout);
  return resize(sharp, isWhole(area, layout) ? canvas : canvas.extract(area), options);
}

function isWhole(area: PixelArea, layout: ImageLayout): boolean {
  return area.width === layout.storedWidthPx && area.height === layout.storedHeightPx;
}

/** Also without a change of size: the decoder may then use a faster way, and the result is the same. */
async function resize(
  sharp: Sharp,
  pipeline: SharpInstance,
  { layout, area, resizing }: StoredOptions,
): Promise<SharpInstance> {
  const { size, kernel } = resizing;
  const how = { fit: 'fill', ...(kernel && { kernel }) } as const;
  // The decoders of the others make a picture smaller themselves.
  const isInFullSize = layout.format === 'png' || layout.format === 'gif';
  const isLong = isInFullSize && area.width >= LONG_ROW_PX && size.heightPx < area.height;
  const source = isLong ? await keepPixels(sharp, pipeline.resize(size.widthPx, area.height, how)) : pipeline;
  return source.resize(size.widthPx, size.heightPx, how);
}

/** The end of a pipeline, as the beginning of another. */
async function keepPixels(sharp: Sharp, pipeline: SharpInstance): Promise<SharpInstance> {
  const { data, info } = await pipeline
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return openPixels(sharp, data, info);
}

/** Pixels in memory, with the time limit of a decode. */
function openPixels(
  sharp: Sharp,
  data: Uint8Array,
  { width, height, channels }: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 },
): SharpInstance {
  return sharp(data, { raw: { width, height, channels } }).timeout({ seconds: DECODE_TIMEOUT_MS / 1000 });
}

/**
 * Whether a part is cut out of the picture when that is smaller already. The decoders of WebP and
 * of JPEG make a picture smaller at little cost, but only the whole of it.
 */
function isReducedFirst(bytes: Uint8Array, { layout, area, resizing }: StoredOptions): boolean {
  const scale = Math.max(resizing.size.widthPx / area.width, resizing.size.heightPx / area.height);
  switch (layout.format) {
    case 'webp': {
      const fullest = fullestWebpScale(bytes, layout);
      return fullest < 1 && (scale > fullest || !isWhole(area, layout));
    }
    case 'jpeg':
      return isLarge(layout) && !isWhole(area, layout) && scale <= 1 / 2;
    case 'png':
    case 'gif':
      return false;
  }
}

/** Within half a pixel of the result. */
async function cutFromReduced(sharp: Sharp, bytes: Uint8Array, options: StoredOptions): Promise<SharpInstance> {
  const { layout, area, resizing } = options;
  const { size, kernel } = resizing;
  const fullest = layout.format === 'webp' ? fullestWebpScale(bytes, layout) : 1;
  const across = reduce(area.left, area.width, {
    fullPx: layout.storedWidthPx,
    scale: Math.min(fullest, size.widthPx / area.width),
  });
  const down = reduce(area.top, area.height, {
    fullPx: layout.storedHeightPx,
    scale: Math.min(fullest, size.heightPx / area.height),
  });
  const how = { fit: 'fill', ...(kernel && { kernel }) } as const;
  const pipeline = await openConverted(sharp, bytes, layout);
  const cut = pipeline
    .resize(across.fullPx, down.fullPx, how)
    .extract({ left: across.start, top: down.start, width: across.length, height: down.length });
  return (await keepPixels(sharp, cut)).resize(size.widthPx, size.heightPx, how);
}

/** A stretch of a side, on that side made shorter. */
function reduce(
  start: number,
  length: number,
  { fullPx, scale }: { readonly fullPx: number; readonly scale: number },
): { readonly fullPx: number; readonly start: number; readonly length: number } {
  const reducedPx = Math.max(1, Math.round(fullPx * scale));
  const reducedLength = Math.min(reducedPx, Math.max(1, Math.round(length * scale)));
  const reducedStart = Math.min(reducedPx - reducedLength, Math.round(start * scale));
  return { fullPx: reducedPx, start: reducedStart, length: reducedLength };
}

const transparent = { r: 0, g: 0, b: 0, alpha: 0 };

async function openCanvas(sharp: Sharp, bytes: Uint8Array, layout: ImageLayout): Promise<SharpInstance> {
  const pipeline = await openConverted(sharp, bytes, layout);
  const area = layout.partialFrame;
  if (area === undefined) return pipeline;
  // What the frame leaves free is transparent, as browsers show it; the decoder fills it, or leaves
  // it out. A pipeline of its own, because one pipeline resizes before it extends.
  const { data, info } = await pipeline
    .extract(area)
    .ensureAlpha()
    .extend({
      left: area.left,
      top: area.top,
      right: layout.storedWidthPx - area.left - area.width,
      bottom: layout.storedHeightPx - area.top - area.height,
      background: transparent,
    })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return openPixels(sharp, data, info);
}

/** The same without a canvas of full size: the frame gets its size, then its place, within half a pixel. */
async function fitPartialFrame(sharp: Sharp, bytes: Uint8Array, options: StoredOptions): Promise<SharpInstance> {
  const { layout, area, resizing } = options;
  const frame = layout.partialFrame ?? area;
  const { widthPx, heightPx } = resizing.size;
  const across = place(
    { start: frame.left, length: frame.width },
    { start: area.left, length: area.width, fittedPx: widthPx },
  );
  const down = place(
    { start: frame.top, length: frame.height },
    { start: area.top, length: area.height, fittedPx: heightPx },
  );
  if (across === undefined || down === undefined) {
    return sharp({ create: { width: widthPx, height: heightPx, channels: 4, background: transparent } });
  }
  const pipeline = await openConverted(sharp, bytes, layout);
  const cut = pipeline.extract({ left: across.from, top: down.from, width: across.length, height: down.length });
  const shown = { left: 0, top: 0, width: across.length, height: down.length };
  const size = { widthPx: across.fittedPx, heightPx: down.fittedPx };
  const fitted = await resize(sharp, cut, { layout, area: shown, resizing: { ...resizing, size } });
  return keepPixels(
    sharp,
    fitted.ensureAlpha().extend({
      left: across.before,
      top: down.before,
      right: widthPx - across.before - across.fittedPx,
      bottom: heightPx - down.before - down.fittedPx,
      background: transparent,
    }),
  );
}

interface Placed {
  /** What of the frame is shown. */
  readonly from: number;
  readonly length: number;
  /** And where in the result. */
  readonly before: number;
  readonly fittedPx: number;
}

/** One side of a frame on what is shown of the canvas; `undefined` where it does not reach into it. */
function place(
  frame: { readonly start: number; readonly length: number },
  shown: { readonly start: number; readonly length: number; readonly fittedPx: number },
): Placed | undefined {
  const from = Math.max(frame.start, shown.start);
  const to = Math.min(frame.start + frame.length, shown.start + shown.length);
  if (from >= to) return undefined;
  const scale = shown.fittedPx / shown.length;
  const before = Math.min(shown.fittedPx - 1, Math.round((from - shown.start) * scale));
  const end = Math.max(before + 1, Math.round((to - shown.start) * scale));
  return { from, length: to - from, before, fittedPx: end - before };
}
