import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { GifPixelCounter } from './gif-pixel-counter.ts';
import type { ImageLayout } from './image-layout.ts';
import { pngDataBytes } from './png-data-bytes.ts';
import { hasOnlyPaletteIndices } from './png-palette.ts';

/**
 * How the compressed pixels of a PNG or GIF compare with its size: `short` when some are missing,
 * `excess` when there is more, after the last pixel or after the end of the compressed stream. Decoders
 * fill up or pass over that, or refuse. `foreign` when pixels name palette entries that there are not. Always `exact` for the other formats.
 */
export type PixelDataExtent = 'exact' | 'short' | 'excess' | 'foreign';

/** Codes of a GIF that are counted before others get their turn. */
const CODES_A_TURN = 500_000;

/** Reads the whole compressed data of the first frame, without making pixels of it. */
export async function measurePixelData(bytes: Uint8Array, layout: ImageLayout): Promise<PixelDataExtent> {
  switch (layout.format) {
    case 'png':
      return measurePng(bytes, layout);
    case 'gif':
      return measureGif(bytes, layout);
    case 'jpeg':
    case 'webp':
      return 'exact';
  }
}

/** The declared types do not know what `info: true` gives. Source: Node.js documentation, zlib, "Class: Options". */
const inflateWithInfo = promisify(inflate) as unknown as (
  data: Uint8Array,
  options: { readonly info: true; readonly maxOutputLength: number },
) => Promise<{ readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }>;

async function measurePng(bytes: Uint8Array, layout: ImageLayout): Promise<PixelDataExtent> {
  const data = Buffer.concat(layout.pixelData.map(({ start, end }) => bytes.subarray(start, end)));
  const expectedBytes = pngDataBytes(bytes);
  try {
    const { buffer, engine } = await inflateWithInfo(data, { info: true, maxOutputLength: expectedBytes + 1 });
    if (buffer.length < expectedBytes) return 'short';
    if (buffer.length > expectedBytes || engine.bytesWritten < data.length) return 'excess';
    return hasOnlyPaletteIndices(bytes, buffer, layout.paletteEntries ?? 0) ? 'exact' : 'foreign';
  } catch (error) {
    return error instanceof RangeError ? 'excess' : 'short';
  }
}

async function measureGif(bytes: Uint8Array, layout: ImageLayout): Promise<PixelDataExtent> {
  const [range] = layout.pixelData;
  if (range === undefined) return 'short';
  const area = layout.partialFrame ?? { width: layout.storedWidthPx, height: layout.storedHeightPx };
  const counter = new GifPixelCounter(bytes.subarray(range.start, range.end));
  while (!counter.advance(CODES_A_TURN)) await setImmediate();
  const expected = area.width * area.height;
  if (counter.pixels < expected) return 'short';
  return counter.pixels > expected || counter.isBroken ? 'excess' : 'exact';
}
