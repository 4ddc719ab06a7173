import type { ImageLayout } from './image-layout.ts';
import { readTag } from './read-integer.ts';
import { WEBP_METADATA_FLAGS } from './webp-layout.ts';

/**
 * The picture's own compressed pixels without metadata, other frames and bytes behind the end:
 * nothing is decoded, so nothing is lost. The same bytes when there is nothing to leave out.
 */
export function makeBareCopy(bytes: Uint8Array, layout: ImageLayout): Uint8Array {
  const [first] = layout.bareRanges;
  const isWhole = layout.bareRanges.length === 1 && first?.start === 0 && first.end === bytes.length;
  if (isWhole) return bytes;
  const pieces = layout.bareRanges.map((range) => bytes.subarray(range.start, range.end));
  const copy = new Uint8Array(Buffer.concat(pieces));
  if (layout.format === 'webp') correctWebpHeader(copy);
  return copy;
}

/** The RIFF header announces the new length, VP8X no longer announces what is gone. */
function correctWebpHeader(copy: Uint8Array): void {
  new DataView(copy.buffer, copy.byteOffset).setUint32(4, copy.length - 8, true);
  if (readTag(copy, 12, 4) === 'VP8X') copy[20] = (copy[20] ?? 0) & ~WEBP_METADATA_FLAGS;
}
