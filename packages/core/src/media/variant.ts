import { createHash } from 'node:crypto';
import { AppError } from '../base/app-error.ts';
import type { Digest } from '../base/ids.ts';
import type { VariantChange } from '../base/variant-change.ts';
import type { LimitRow } from '../catalog/limit-row.ts';
import { makeBareCopy } from './bare-copy.ts';
import { decodeGate } from './decode-gate.ts';
import { digestOf } from './digest.ts';
import { type FittedSize, fitSize, type PixelSize } from './fit-size.ts';
import { imageFormats } from './formats.ts';
import type { ImageLayout } from './image-layout.ts';
import { loadSharp } from './load-sharp.ts';
import { measurePixelData } from './measure-pixel-data.ts';
import { readLayout } from './read-layout.ts';
import { isInside, isWholePicture, type PixelRegion } from './region.ts';
import { renderVariant } from './render-variant.ts';
import { uprightSize } from './upright-size.ts';

/**
 * The version of the rules in this floor that decide a variant's bytes. Raise it when one of them
 * changes: variants that were sent before keep their bytes (decision X21).
 */
export const VARIANT_POLICY_VERSION = 1;

/** What goes on the wire instead of an original. */
export interface Variant {
  readonly bytes: Uint8Array;
  readonly digest: Digest;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Of the picture that is sent, its padding included. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** `['none']` when these are the original's own bytes. */
  readonly changes: readonly VariantChange[];
}

/** The built-in reader has no wire: nothing leaves the machine, and it wants the original. */
const LOCAL_ROW_ID = 'offline';

/** Byte limits of an endpoint are kept clearly, not exactly. */
const BYTES_MARGIN = 0.95;

/**
 * Names everything besides the original's bytes that a variant depends on: the policy version, the
 * limit row's id, a hash of the row's fields that decide variants, and the region if there is one. The
 * same key and the same original always mean the same variant.
 */
export function variantKey(row: LimitRow, region?: PixelRegion): string {
  const decisive = [
    [...row.formats].sort(),
    row.edge ?? null,
    row.maxRaw,
    row.maxB64,
    row.maxSide,
    row.maxPixels ?? null,
    row.minSide ?? null,
    row.maxRatio ?? null,
    row.maxPatches28 ?? null,
  ];
  const hash = createHash('sha256').update(JSON.stringify(decisive)).digest('hex').slice(0, 8);
  const key = `v${VARIANT_POLICY_VERSION}:${row.id}:${hash}`;
  return region === undefined ? key : `${key}:${region.x},${region.y},${region.width},${region.height}`;
}

/** How {@link makeVariant} is asked. */
export interface VariantOptions {
  /** Only this part of the upright original, cut out at full resolution before anything is scaled. */
  readonly region?: PixelRegion;
  readonly signal?: AbortSignal;
}

/**
 * What goes on the wire instead of an admitted original: at most 1568 px on the longest edge (or
 * what the row says), upright, 8-bit sRGB, one frame, no metadata, in a format and below the limits
 * of the row. The original's own bytes when they are all that already; its own compressed pixels
 * when only metadata has to go. Pure in (bytes, policy version, row, region).
 *
 * Throws `CORRUPT` when the bytes are no picture, `CANCELED`, `DOES_NOT_FIT`; `INTERNAL` when the
 * region is not one of this picture: `resolveRegion` makes it so.
 * Source: requirements R030, R196 and R199, wire-facts rules 16 and 20.
 */
export async function makeVariant(bytes: Uint8Array, row: LimitRow, options: VariantOptions = {}): Promise<Variant> {
  const layout = readLayout(bytes);
  const upright = uprightSize(layout);
  const region = partOf(upright, options.region);
  const shown = region === undefined ? upright : { widthPx: region.width, heightPx: region.height };
  const size = fitSize(shown, row);
  const kept = region === undefined ? await keepPixels(bytes, layout, { row, size }) : undefined;
  if (kept !== undefined) return kept;
  const sharp = await loadSharp();
  const part = region === undefined ? {} : { region };
  const encoded = await decodeGate().run(
    () => renderVariant(sharp, bytes, { layout, row, size, ...part, maxBytes: byteLimit(row) }),
    options.signal,
  );
  return {
    bytes: encoded.bytes,
    digest: digestOf(encoded.bytes),
    mediaType: encoded.mediaType,
    sizeBytes: encoded.bytes.length,
    widthPx: encoded.size.canvasWidthPx,
    heightPx: encoded.size.canvasHeightPx,
    changes: changesOf(layout, encoded.size, region),
  };
}

/** The region, unless it is the whole picture. */
function partOf(upright: PixelSize, region: PixelRegion | undefined): PixelRegion | undefined {
  if (region === undefined) return undefined;
  if (!isInside(region, upright)) {
    throw new AppError('INTERNAL', 'the region is not inside the picture', { data: { ...region, ...upright } });
  }
  return isWholePicture(region, upright) ? undefined : region;
}

interface VariantTarget {
  readonly row: LimitRow;
  readonly size: FittedSize;
}

/** The variant that needs no decoding, if there is one. */
async function keepPixels(bytes: Uint8Array, layout: ImageLayout, target: VariantTarget): Promise<Variant | undefined> {
  const upright = uprightSize(layout);
  const isSameSize = target.size.canvasWidthPx === upright.widthPx && target.size.canvasHeightPx === upright.heightPx;
  if (!isSameSize || layout.orientation !== 1 || !takesFormat(layout, target.row)) return undefined;
  if (target.row.id === LOCAL_ROW_ID) return toVariant(bytes, layout, ['none']);
  // Only the first image of a WebP animation cannot be cut out without decoding.
  const isWebpAnimation = layout.format === 'webp' && layout.frames > 1;
  if (layout.needsConversion !== undefined || isWebpAnimation) return undefined;
  // What shows around a frame that leaves a margin is not laid down: decoders fill it differently.
  if (layout.partialFrame !== undefined) return undefined;
  const bare = makeBareCopy(bytes, layout);
  if (bare.length > byteLimit(target.row)) return undefined;
  // What was only shown because decoders are lenient is encoded anew, so that none has to be.
  if ((await measurePixelData(bytes, layout)) !== 'exact') return undefined;
  const changes: VariantChange[] = [];
  if (layout.frames > 1) changes.push('first-frame');
  if (layout.hasMetadata) changes.push('metadata');
  return toVariant(bare, layout, changes.length === 0 ? ['none'] : changes);
}

function takesFormat(layout: ImageLayout, row: LimitRow): boolean {
  if (layout.format !== 'gif') return row.formats.includes(layout.format);
  return row.formats.includes('gif-static') || row.formats.includes('gif-first-frame');
}

function toVariant(bytes: Uint8Array, layout: ImageLayout, changes: readonly VariantChange[]): Variant {
  const mediaType = imageFormats.find((row) => row.format === layout.format)?.mediaType ?? '';
  return {
    bytes,
    digest: digestOf(bytes),
    mediaType,
    sizeBytes: bytes.length,
    ...uprightSize(layout),
    changes,
  };
}

/** Bytes that one picture may have there. base64 makes 4 characters of 3 bytes. */
function byteLimit(row: LimitRow): number {
  const raw = row.maxRaw ?? Number.POSITIVE_INFINITY;
  const encoded = row.maxB64 === null ? Number.POSITIVE_INFINITY : (row.maxB64 / 4) * 3;
  return Math.floor(Math.min(raw, encoded) * BYTES_MARGIN);
}

function changesOf(layout: ImageLayout, size: FittedSize, region: PixelRegion | undefined): readonly VariantChange[] {
  const shown = region === undefined ? uprightSize(layout) : { widthPx: region.width, heightPx: region.height };
  const changes: VariantChange[] = [];
  if (layout.frames > 1) changes.push('first-frame');
  if (region !== undefined) changes.push('region');
  if (size.widthPx !== shown.widthPx || size.heightPx !== shown.heightPx) changes.push('resized');
  changes.push('reencoded');
  if (size.canvasWidthPx !== size.widthPx || size.canvasHeightPx !== size.heightPx) changes.push('padded');
  if (layout.hasMetadata) changes.push('metadata');
  return changes;
}
