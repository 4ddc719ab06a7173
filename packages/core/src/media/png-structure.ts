import { readTag, readUint32Big } from './read-integer.ts';

const FIRST_CHUNK = 8;
/** Length, type and checksum around the data of a chunk. */
const CHUNK_FRAME = 12;

/**
 * Chunks that are sent with the pixels, and the bytes that each may have. Such a chunk stands once
 * and before the pixels. Source: PNG third edition (W3C, 2025), sections 5.6 and 11.3.
 */
const companions: Readonly<Record<string, readonly number[]>> = {
  tRNS: Array.from({ length: 256 }, (_, index) => index + 1),
  gAMA: [4],
  cHRM: [32],
  sRGB: [1],
  sBIT: [1, 2, 3, 4],
  bKGD: [1, 2, 6],
  pHYs: [9],
};

/** A picture of a few kilobytes may come in small pieces; no writer makes many of them. */
const FEW_PIECES = 64;
const FEWEST_BYTES_A_PIECE = 512;

/**
 * Whether a PNG is put together as writers do it: pixels in pieces of some size, none of them empty,
 * companions of the right length, once and in their place, nothing in the end mark. Decoders read
 * the rest as well, but not all of them, and it can hide anything.
 */
export function hasUsualStructure(bytes: Uint8Array): boolean {
  const seen = new Set<string>();
  let pieces = 0;
  let dataBytes = 0;
  for (let at = FIRST_CHUNK; at + CHUNK_FRAME <= bytes.length; ) {
    const length = readUint32Big(bytes, at);
    const type = readTag(bytes, at + 4, 4);
    if (type === 'IEND') return length === 0 && pieces <= FEW_PIECES + dataBytes / FEWEST_BYTES_A_PIECE;
    if (type === 'IDAT') {
      if (length === 0) return false;
      pieces += 1;
      dataBytes += length;
    }
    const lengths = Object.hasOwn(companions, type) ? companions[type] : undefined;
    if (lengths !== undefined && (!lengths.includes(length) || seen.has(type) || pieces > 0)) return false;
    seen.add(type);
    at += length + CHUNK_FRAME;
  }
  return false;
}
