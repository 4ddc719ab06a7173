import { readUint32Big } from './read-integer.ts';

/** First column and row, and steps, of the seven passes of an interlaced PNG. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * The bytes that the pixel data of a PNG has when it is decompressed: rows with a filter byte each.
 *
 * Source: PNG third edition (W3C, 2025), sections 7.2, 8.1 and 9.
 */
export function pngDataBytes(bytes: Uint8Array): number {
  const width = readUint32Big(bytes, 16);
  const height = readUint32Big(bytes, 20);
  const bits = (bytes[24] ?? 0) * (channelsOf[bytes[25] ?? 0] ?? 0);
  const imageBytes = (columns: number, rows: number) =>
    columns === 0 || rows === 0 ? 0 : rows * (1 + Math.ceil((columns * bits) / 8));
  if (bytes[28] === 0) return imageBytes(width, height);
  return passes.reduce((sum, [left, top, stepX, stepY]) => {
    const columns = Math.max(0, Math.ceil((width - left) / stepX));
    const rows = Math.max(0, Math.ceil((height - top) / stepY));
    return sum + imageBytes(columns, rows);
  }, 0);
}
