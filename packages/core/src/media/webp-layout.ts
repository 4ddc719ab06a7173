import { fail, ok, type Result } from '../base/result.ts';
import { classifyColorProfile } from './color-profile.ts';
import { readExifOrientation } from './exif-orientation.ts';
import {
  corruptFault,
  type ImageLayout,
  type LayoutFault,
  type LayoutResult,
  type Orientation,
  RangeList,
  type SizeResult,
  type StoredSize,
  truncatedFault,
} from './image-layout.ts';
import { hasBytes, readTag, readUint16Little, readUint24Little, readUint32Little } from './read-integer.ts';

const FIRST_CHUNK = 12;
const CHUNK_HEADER = 8;
const ALPHA_FLAG = 0x10;
const ANIMATION_FLAG = 0x02;

/** The flags of a VP8X chunk that announce metadata: ICC profile, Exif, XMP. */
export const WEBP_METADATA_FLAGS = 0x20 | 0x08 | 0x04;

/**
 * The canvas of a WebP: of its VP8X chunk where there is one, else of its only image.
 *
 * Source: WebP container specification (Google, 2024); RFC 9649.
 */
export function readWebpSize(bytes: Uint8Array): SizeResult {
  if (!hasBytes(bytes, FIRST_CHUNK, CHUNK_HEADER)) return fail(truncatedFault('the header is cut'));
  const data = FIRST_CHUNK + CHUNK_HEADER;
  if (readTag(bytes, FIRST_CHUNK, 4) !== 'VP8X') return readImageSize(bytes, FIRST_CHUNK);
  if (!hasBytes(bytes, data, 10)) return fail(truncatedFault('the header is cut'));
  return ok({
    storedWidthPx: readUint24Little(bytes, data + 4) + 1,
    storedHeightPx: readUint24Little(bytes, data + 7) + 1,
  });
}

/** The size in the image chunk (`VP8 ` or `VP8L`) at `at`. */
function readImageSize(bytes: Uint8Array, at: number): Result<StoredSize, LayoutFault> {
  const data = at + CHUNK_HEADER;
  const kind = readTag(bytes, at, 4);
  if (!hasBytes(bytes, data, kind === 'VP8L' ? 5 : 10)) return fail(truncatedFault('the image header is cut'));
  if (kind === 'VP8L') {
    if (bytes[data] !== 0x2f) return fail(corruptFault('the image header is damaged'));
    const bits = readUint32Little(bytes, data + 1);
    return ok({ storedWidthPx: (bits & 0x3f_ff) + 1, storedHeightPx: ((bits >>> 14) & 0x3f_ff) + 1 });
  }
  if (kind !== 'VP8 ') return fail(corruptFault('no image where one belongs'));
  if (readTag(bytes, data + 3, 3) !== '\u009d\u0001\u002a') return fail(corruptFault('the image header is damaged'));
  const storedWidthPx = readUint16Little(bytes, data + 6) & 0x3f_ff;
  const storedHeightPx = readUint16Little(bytes, data + 8) & 0x3f_ff;
  if (storedWidthPx === 0 || storedHeightPx === 0) return fail(corruptFault('width or height is 0'));
  return ok({ storedWidthPx, storedHeightPx });
}

interface WebpFindings {
  readonly canvas: StoredSize;
  hasAlpha: boolean;
  isLossy: boolean;
  isAnimation: boolean;
  images: number;
  orientation: Orientation;
  hasForeignProfile: boolean;
  hasMetadata: boolean;
}

/**
 * Walks the chunks of a WebP up to the end that its RIFF header announces, and counts its frames.
 *
 * Source: WebP container specification (Google, 2024); RFC 9649.
 */
export function readWebpLayout(bytes: Uint8Array): LayoutResult {
  const size = readWebpSize(bytes);
  if (!size.ok) return size;
  const riffEnd = CHUNK_HEADER + readUint32Little(bytes, 4);
  if (riffEnd > bytes.length) return fail(truncatedFault('the file is shorter than its header says'));
  const kept = new RangeList();
  kept.add(0, FIRST_CHUNK);
  const findings: WebpFindings = {
    canvas: size.value,
    hasAlpha: false,
    isLossy: false,
    isAnimation: false,
    images: 0,
    orientation: 1,
    hasForeignProfile: false,
    hasMetadata: false,
  };
  const fault = walkChunks(bytes.subarray(0, riffEnd), kept, findings);
  if (fault !== undefined) return fail(fault);
  if (findings.images === 0) return fail(corruptFault('no image in it'));
  return ok({
    format: 'webp',
    ...size.value,
    orientation: findings.orientation,
    frames: findings.images,
    hasAlpha: findings.hasAlpha,
    isLossy: findings.isLossy,
    pixelData: [],
    ...conversionOf(findings),
    bareRanges: kept.ranges,
    hasMetadata: findings.hasMetadata || riffEnd < bytes.length,
  });
}

/** An animation of one frame is one all the same: decoders of stills refuse it. */
function conversionOf(findings: WebpFindings): Pick<ImageLayout, 'needsConversion'> {
  if (findings.hasForeignProfile) return { needsConversion: 'profile' };
  return findings.isAnimation ? { needsConversion: 'unusual' } : {};
}

function walkChunks(bytes: Uint8Array, kept: RangeList, findings: WebpFindings): LayoutFault | undefined {
  let at = FIRST_CHUNK;
  while (at < bytes.length) {
    if (!hasBytes(bytes, at, CHUNK_HEADER)) return corruptFault('bytes behind the last chunk');
    const length = readUint32Little(bytes, at + 4);
    const dataEnd = at + CHUNK_HEADER + length;
    if (dataEnd > bytes.length) return corruptFault('a chunk reaches over the end of the file');
    // Chunks have even lengths; a last one without its padding byte is tolerated.
    const end = Math.min(dataEnd + (length & 1), bytes.length);
    const kind = readTag(bytes, at, 4);
    if (isMetadata(kind)) findings.hasMetadata = true;
    else kept.add(at, end);
    const fault = noteChunk({ bytes, at, dataEnd, kind }, findings);
    if (fault !== undefined) return fault;
    at = end;
  }
  return undefined;
}

/** Everything that shows no pixel. Frames of an animation are no metadata. */
function isMetadata(kind: string): boolean {
  return kind !== 'VP8X' && kind !== 'VP8 ' && kind !== 'VP8L' && kind !== 'ALPH' && kind !== 'ANIM' && kind !== 'ANMF';
}

interface WebpChunk {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly dataEnd: number;
  readonly kind: string;
}

function noteChunk(chunk: WebpChunk, findings: WebpFindings): LayoutFault | undefined {
  const { bytes, at, dataEnd, kind } = chunk;
  const data = bytes.subarray(at + CHUNK_HEADER, dataEnd);
  switch (kind) {
    case 'VP8X':
      findings.hasAlpha = ((data[0] ?? 0) & ALPHA_FLAG) !== 0;
      findings.isAnimation ||= ((data[0] ?? 0) & ANIMATION_FLAG) !== 0;
      return undefined;
    case 'ANIM':
      findings.isAnimation = true;
      return undefined;
    case 'ALPH':
      findings.hasAlpha = true;
      return undefined;
    case 'VP8 ':
    case 'VP8L':
      return noteImage(chunk, findings);
    case 'ANMF':
      // A frame's own header has 16 bytes; then come its ALPH, `VP8 ` or `VP8L`.
      if (findings.images === 0) findings.isLossy = hasLossyImage(data.subarray(16));
      findings.isAnimation = true;
      findings.images += 1;
      return undefined;
    case 'EXIF':
      findings.orientation = readExifOrientation(withoutExifName(data));
      return undefined;
    case 'ICCP':
      findings.hasForeignProfile = classifyColorProfile(data) === 'foreign';
      return undefined;
    default:
      return undefined;
  }
}

function noteImage(chunk: WebpChunk, findings: WebpFindings): LayoutFault | undefined {
  if (findings.images > 0) return corruptFault('a second image behind the first');
  const size = readImageSize(chunk.bytes, chunk.at);
  if (!size.ok) return size.error;
  const isCanvas =
    size.value.storedWidthPx === findings.canvas.storedWidthPx &&
    size.value.storedHeightPx === findings.canvas.storedHeightPx;
  if (!isCanvas) return corruptFault('the image has another size than its canvas');
  if (chunk.kind === 'VP8L') {
    const alphaBit = ((chunk.bytes[chunk.at + CHUNK_HEADER + 4] ?? 0) & 0x10) !== 0;
    findings.hasAlpha ||= alphaBit;
  } else {
    findings.isLossy = true;
  }
  findings.images += 1;
  return undefined;
}

function hasLossyImage(frame: Uint8Array): boolean {
  const first = readTag(frame, 0, 4);
  return first === 'VP8 ' || first === 'ALPH';
}

/** Some writers repeat JPEG's name of the segment before the TIFF structure. */
function withoutExifName(data: Uint8Array): Uint8Array {
  return readTag(data, 0, 6) === 'Exif\0\0' ? data.subarray(6) : data;
}
