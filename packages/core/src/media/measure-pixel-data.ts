import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { GifPixelCounter } from './gif-pixel-counter.ts';
import type { ByteRange, ImageLayout } from './image-layout.ts';
import { inflatePixels } from './inflate-pixels.ts';
import { pngDataBytes } from './png-data-bytes.ts';
import { hasOnlyPaletteIndices } from './png-palette.ts';
import { hasUsualStructure } from './png-structure.ts';

/**
 * How the compressed pixels of a PNG or GIF compare with its size: `short` when some are missing,
 * `excess` when there is more, after the last pixel or after the end of the compressed stream. Decoders
 * fill up or pass over that, or refuse. `foreign` when pixels name palette entries that there are not.
 * `unusual` when a PNG is put together as no writer does it. Always `exact` for the other formats.
 */
export type PixelDataExtent = 'exact' | 'short' | 'excess' | 'foreign' | 'unusual';

/** Codes of a GIF that are counted before others get their turn. */
const CODES_A_TURN = 500_000;

/** Reads the whole compressed data of the first frame, without making pixels of it. */
export async function measurePixelData(bytes: Uint8Array, layout: ImageLayout): Promise<PixelDataExtent> {
  switch (layout.format) {
    case 'png':
      return hasUsualStructure(bytes) ? measurePng(bytes, layout) : 'unusual';
    case 'gif':
      return measureGif(bytes, layout);
    case 'jpeg':
    case 'webp':
      return 'exact';
  }
}

async function measurePng(bytes: Uint8Array, layout: ImageLayout): Promise<PixelDataExtent> {
  const expectedBytes = pngDataBytes(bytes);
  const paletteEntries = layout.paletteEntries ?? 0;
  // Only where a palette is not full the data itself is looked at.
  const isLookedAt = bytes[25] === 3 && paletteEntries < 1 << (bytes[24] ?? 8);
  const inflateData = expectedBytes <= SMALL_BYTES ? inflateAtOnce : inflateInPieces;
  try {
    const found = await inflateData(bytes, layout.pixelData, { mostBytes: expectedBytes + 1, isKept: isLookedAt });
    if (found.sizeBytes < expectedBytes) return 'short';
    if (found.sizeBytes > expectedBytes || found.unreadBytes > 0) return 'excess';
    return hasOnlyPaletteIndices(bytes, found.data, paletteEntries) ? 'exact' : 'foreign';
  } catch (error) {
    return error instanceof RangeError ? 'excess' : 'short';
  }
}

/** Up to here data is decompressed at once: that is quicker. */
const SMALL_BYTES = 1 << 20;

interface InflateOptions {
  readonly mostBytes: number;
  readonly isKept: boolean;
}

interface Inflated {
  readonly sizeBytes: number;
  /** Behind the end of the compressed stream. */
  readonly unreadBytes: number;
  /** Empty where it was not to be kept. */
  readonly data: Uint8Array;
}

/** The declared types do not know what `info: true` gives. Source: Node.js documentation, zlib, "Class: Options". */
const inflateWithInfo = promisify(inflate) as unknown as (
  data: Uint8Array,
  options: { readonly info: true; readonly maxOutputLength: number },
) => Promise<{ readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }>;

/** Throws a `RangeError` when there is more than that. */
async function inflateAtOnce(
  bytes: Uint8Array,
  ranges: readonly ByteRange[],
  { mostBytes }: InflateOptions,
): Promise<Inflated> {
  const compressed = Buffer.concat(ranges.map(({ start, end }) => bytes.subarray(start, end)));
  const { buffer, engine } = await inflateWithInfo(compressed, { info: true, maxOutputLength: mostBytes });
  return { sizeBytes: buffer.length, unreadBytes: compressed.length - engine.bytesWritten, data: buffer };
}

async function inflateInPieces(
  bytes: Uint8Array,
  ranges: readonly ByteRange[],
  { mostBytes, isKept }: InflateOptions,
): Promise<Inflated> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  let unreadBytes = 0;
  const noteRest = (rest: number): void => {
    unreadBytes = rest;
  };
  for await (const piece of inflatePixels(bytes, ranges, noteRest)) {
    sizeBytes += piece.length;
    if (isKept) pieces.push(piece);
    if (sizeBytes > mostBytes) break;
  }
  return { sizeBytes, unreadBytes, data: Buffer.concat(pieces) };
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
