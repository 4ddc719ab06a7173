import { crc32 } from 'node:zlib';
import { fail, ok } from '../base/result.ts';
import { readExifOrientation } from './exif-orientation.ts';
import {
  type ByteRange,
  corruptFault,
  type ImageLayout,
  type LayoutFault,
  type LayoutResult,
  type Orientation,
  RangeList,
  type SizeResult,
  truncatedFault,
} from './image-layout.ts';
import { type PngColorChunks, type PngColors, readPngColors, saysSrgb } from './png-colors.ts';
import { hasBytes, readTag, readUint32Big } from './read-integer.ts';

const FIRST_CHUNK = 8;
/** Length, type and checksum around the data of a chunk. */
const CHUNK_FRAME = 12;
const LARGEST_VALUE = 0x7f_ff_ff_ff;

/**
 * Chunks that a decoder needs or that carry nothing private. Everything else is left out of a bare
 * copy; of these, figures of another colour space than sRGB.
 */
const keptChunks: ReadonlySet<string> = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'sBIT',
  'bKGD',
  'pHYs',
]);

/**
 * One header, at most one palette, at most one transparency behind it, then all the pixels. Decoders
 * treat anything else differently. `tRNS` stands for one of the right length only.
 */
const usualOrders = /^IHDR( PLTE)?( tRNS)?( IDAT)+$/;

/** Chunks of APNG: other frames, no metadata. */
const frameChunks: ReadonlySet<string> = new Set(['acTL', 'fcTL', 'fdAT']);

/** Bit depths that each colour type allows. */
const allowedDepths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/**
 * The canvas of a PNG, from its IHDR chunk alone.
 *
 * Source: PNG third edition (W3C, 2025), section 11.2.1.
 */
export function readPngSize(bytes: Uint8Array): SizeResult {
  const fault = checkHeaderChunk(bytes);
  if (fault !== undefined) return fail(fault);
  return ok({ storedWidthPx: readUint32Big(bytes, 16), storedHeightPx: readUint32Big(bytes, 20) });
}

function checkHeaderChunk(bytes: Uint8Array): LayoutFault | undefined {
  if (!hasBytes(bytes, FIRST_CHUNK, 8)) return truncatedFault('the header is missing');
  const type = readTag(bytes, 12, 4);
  if (type === 'CgBI') return corruptFault('a PNG rewritten by Xcode (CgBI)');
  if (type !== 'IHDR' || readUint32Big(bytes, FIRST_CHUNK) !== 13) {
    return corruptFault('the first chunk is not IHDR');
  }
  if (!hasBytes(bytes, FIRST_CHUNK, 13 + CHUNK_FRAME)) return truncatedFault('the header is cut');
  const width = readUint32Big(bytes, 16);
  const height = readUint32Big(bytes, 20);
  if (width === 0 || height === 0 || width > LARGEST_VALUE || height > LARGEST_VALUE) {
    return corruptFault('width or height is not allowed');
  }
  const depths = allowedDepths[bytes[25] ?? -1];
  if (depths === undefined || !depths.includes(bytes[24] ?? 0)) {
    return corruptFault('bit depth and colour type do not go together');
  }
  return undefined;
}

interface PngFindings {
  frames: number;
  hasTransparencyChunk: boolean;
  paletteEntries: number;
  readonly pixelData: ByteRange[];
  readonly colorChunks: PngColorChunks;
  /** Chunks that bear on the pixels, as often and in the order as they came. */
  readonly order: string[];
  hasMetadata: boolean;
  orientation: Orientation;
}

/**
 * Walks the chunks of a PNG up to IEND, which must be there: decoders differ when it is missing.
 * An APNG counts as many frames as it announces; the default image is the one that is shown.
 *
 * Source: PNG third edition (W3C, 2025), sections 5.3, 5.6 and 11.
 */
export function readPngLayout(bytes: Uint8Array): LayoutResult {
  const size = readPngSize(bytes);
  if (!size.ok) return size;
  const kept = new RangeList();
  kept.add(0, FIRST_CHUNK);
  const findings: PngFindings = {
    frames: 1,
    hasTransparencyChunk: false,
    paletteEntries: 0,
    pixelData: [],
    colorChunks: {},
    order: [],
    hasMetadata: false,
    orientation: 1,
  };
  const end = walkChunks(bytes, kept, findings);
  if (typeof end !== 'number') return fail(end);
  if (findings.pixelData.length === 0) return fail(corruptFault('no pixel data'));
  const colorType = bytes[25] ?? 0;
  const colors = readPngColors(findings.colorChunks, colorType);
  return ok({
    format: 'png',
    ...size.value,
    orientation: findings.orientation,
    frames: findings.frames,
    hasAlpha: colorType === 4 || colorType === 6 || findings.hasTransparencyChunk,
    isLossy: false,
    pixelData: findings.pixelData,
    paletteEntries: findings.paletteEntries,
    ...conversionOf(bytes, findings, colors),
    ...(colors.source !== undefined && { colors: colors.source }),
    bareRanges: kept.ranges,
    hasMetadata: findings.hasMetadata || end < bytes.length,
  });
}

function conversionOf(
  bytes: Uint8Array,
  findings: PngFindings,
  colors: PngColors,
): Pick<ImageLayout, 'needsConversion'> {
  if (bytes[24] === 16) return { needsConversion: 'depth' };
  if (colors.isForeign) return { needsConversion: 'profile' };
  return usualOrders.test(findings.order.join(' ')) ? {} : { needsConversion: 'unusual' };
}

/** Where the file ends, or why it has no end. */
function walkChunks(bytes: Uint8Array, kept: RangeList, findings: PngFindings): number | LayoutFault {
  let at = FIRST_CHUNK;
  while (hasBytes(bytes, at, 8)) {
    const length = readUint32Big(bytes, at);
    if (length > LARGEST_VALUE) return corruptFault('a chunk has no valid length');
    const end = at + length + CHUNK_FRAME;
    if (end > bytes.length) return truncatedFault('a chunk is cut');
    const type = readTag(bytes, at + 4, 4);
    const isDamaged = crc32(bytes.subarray(at + 4, end - 4)) !== readUint32Big(bytes, end - 4);
    if (isDamaged && isCritical(type)) return corruptFault(`the checksum of ${type} is wrong`);
    // Decoders leave out a chunk that they can do without when its checksum is wrong.
    if (!isDamaged) noteChunk(type, { start: at + 8, end: end - 4 }, { bytes, findings });
    const data = bytes.subarray(at + 8, end - 4);
    if (isKept(type, data) && !isDamaged) kept.add(at, end);
    else if (!frameChunks.has(type)) findings.hasMetadata = true;
    if (type === 'IEND') return end;
    at = end;
  }
  return truncatedFault('the end mark (IEND) is missing');
}

function isKept(type: string, data: Uint8Array): boolean {
  if (type === 'gAMA' || type === 'cHRM') return saysSrgb(type, data);
  return keptChunks.has(type);
}

/** The case of the first letter says whether a picture can be shown without the chunk. */
function isCritical(type: string): boolean {
  return /^[A-Z]/.test(type);
}

function noteChunk(
  type: string,
  body: ByteRange,
  { bytes, findings }: { readonly bytes: Uint8Array; readonly findings: PngFindings },
): void {
  const data = bytes.subarray(body.start, body.end);
  switch (type) {
    case 'IHDR':
    case 'PLTE':
      findings.order.push(type);
      findings.paletteEntries = data.length / 3;
      return;
    case 'IDAT':
      findings.order.push(type);
      findings.pixelData.push(body);
      return;
    case 'tRNS':
      findings.order.push(hasRightLength(data.length, bytes[25] ?? 0, findings.paletteEntries) ? type : 'damaged tRNS');
      findings.hasTransparencyChunk = true;
      return;
    case 'cICP':
    case 'iCCP':
    case 'sRGB':
    case 'gAMA':
    case 'cHRM':
      // They stand before the palette and the pixels; elsewhere they have no meaning.
      if (findings.order.length === 1) findings.colorChunks[type] ??= data;
      return;
    case 'eXIf':
      findings.orientation = readExifOrientation(data);
      return;
    case 'acTL':
      // An animation is announced before the pixels; elsewhere the chunk has no meaning.
      if (findings.pixelData.length === 0) findings.frames = Math.max(1, readUint32Big(data, 0));
      return;
    default:
  }
}

/** One sample for each channel, or at most one for each entry of a palette. */
function hasRightLength(sizeBytes: number, colorType: number, paletteEntries: number): boolean {
  if (colorType === 3) return sizeBytes >= 1 && sizeBytes <= paletteEntries;
  return (colorType === 0 && sizeBytes === 2) || (colorType === 2 && sizeBytes === 6);
}
