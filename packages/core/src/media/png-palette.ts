import { readUint32Big } from './read-integer.ts';

/**
 * Whether every pixel of a PNG with a palette names an entry of it. Decoders that meet another index
 * paint black, read what lies behind the palette, or refuse. `true` for the other colour types;
 * `false` without a look for an interlaced one whose palette is not full.
 *
 * `pixelData` is the decompressed data of all its rows. Source: PNG third edition (W3C, 2025),
 * sections 9 (filters) and 11.2.2 (PLTE).
 */
export function hasOnlyPaletteIndices(bytes: Uint8Array, pixelData: Uint8Array, paletteEntries: number): boolean {
  const depth = bytes[24] ?? 8;
  if (bytes[25] !== 3 || paletteEntries >= 1 << depth) return true;
  if (bytes[28] !== 0) return false;
  const width = readUint32Big(bytes, 16);
  const rowBytes = Math.ceil((width * depth) / 8);
  let above = new Uint8Array(rowBytes);
  for (let at = 0; at + rowBytes < pixelData.length; at += rowBytes + 1) {
    const row = pixelData.slice(at + 1, at + 1 + rowBytes);
    unfilter(row, above, pixelData[at] ?? 0);
    if (largestIndex(row, width, depth) >= paletteEntries) return false;
    above = row;
  }
  return true;
}

/** With one byte a step, as for all palettes. */
function unfilter(row: Uint8Array, above: Uint8Array, filter: number): void {
  if (filter === 0) return;
  for (let at = 0; at < row.length; at += 1) {
    const left = row[at - 1] ?? 0;
    const up = above[at] ?? 0;
    row[at] = (row[at] ?? 0) + predict(filter, { left, up, corner: above[at - 1] ?? 0 });
  }
}

function predict(
  filter: number,
  near: { readonly left: number; readonly up: number; readonly corner: number },
): number {
  const { left, up, corner } = near;
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    default:
      return paeth(left, up, corner);
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const fromLeft = Math.abs(estimate - left);
  const fromUp = Math.abs(estimate - up);
  const fromCorner = Math.abs(estimate - corner);
  if (fromLeft <= fromUp && fromLeft <= fromCorner) return left;
  return fromUp <= fromCorner ? up : corner;
}

function largestIndex(row: Uint8Array, width: number, depth: number): number {
  const perByte = 8 / depth;
  const mask = (1 << depth) - 1;
  let largest = 0;
  for (let x = 0; x < width; x += 1) {
    const shift = 8 - depth * ((x % perByte) + 1);
    const index = ((row[Math.floor(x / perByte)] ?? 0) >> shift) & mask;
    if (index > largest) largest = index;
  }
  return largest;
}
