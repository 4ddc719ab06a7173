import { readUint32Big } from './read-integer.ts';

/** First column and row, and steps, of the seven passes of an interlaced PNG. */
const interlacedPasses = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Pixels of a PNG that are stored as a picture of their own; the only one where nothing is interlaced. */
export interface PngPass {
  readonly left: number;
  readonly top: number;
  readonly stepX: number;
  readonly stepY: number;
  readonly columns: number;
  readonly rows: number;
  /** Of a row, without its filter byte. */
  readonly rowBytes: number;
}

/** Bits of a pixel, as the header of a PNG says it. */
export function pngPixelBits(bytes: Uint8Array): number {
  return (bytes[24] ?? 0) * (channelsOf[bytes[25] ?? 0] ?? 0);
}

/**
 * The passes that have pixels, in the order of the file.
 *
 * Source: PNG third edition (W3C, 2025), sections 7.2, 8.1 and 9.
 */
export function pngPasses(bytes: Uint8Array): readonly PngPass[] {
  const width = readUint32Big(bytes, 16);
  const height = readUint32Big(bytes, 20);
  const bits = pngPixelBits(bytes);
  const passes = bytes[28] === 0 ? ([[0, 0, 1, 1]] as const) : interlacedPasses;
  return passes
    .map(([left, top, stepX, stepY]) => {
      const columns = Math.max(0, Math.ceil((width - left) / stepX));
      const rows = Math.max(0, Math.ceil((height - top) / stepY));
      return { left, top, stepX, stepY, columns, rows, rowBytes: Math.ceil((columns * bits) / 8) };
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/** The bytes that the pixel data of a PNG has when it is decompressed: rows with a filter byte each. */
export function pngDataBytes(bytes: Uint8Array): number {
  return pngPasses(bytes).reduce((sum, { rows, rowBytes }) => sum + rows * (1 + rowBytes), 0);
}
