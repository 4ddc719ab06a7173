import { damaged } from './jpeg-bit-reader.ts';
import { type HuffmanEncoder, makeHuffmanEncoder } from './jpeg-huffman.ts';
import { BLOCK_VALUES } from './jpeg-scan.ts';

const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;
const LARGEST_SIZE = 15;
const PIECE_BYTES = 1 << 20;
/** A block: at most 64 values of 16 + 15 bits, each byte of which may need another. */
const MOST_BLOCK_BYTES = 512;

/**
 * Lengths of the codes for values behind so many zeros, by their size; what is missing has the
 * longest. Chosen for photographs, with room for every value that there can be.
 */
const lengthsByRun: readonly (readonly number[])[] = [
  [2, 2, 3, 4, 6, 7, 8, 10],
  [4, 5, 7, 9, 11],
  [5, 8, 10, 12],
  [6, 9, 12],
  [6, 10],
  [7, 11],
  [7, 12],
  [8, 12],
  [9],
  [9],
  [9],
  [10],
  [10],
  [11],
];

/** For the first value of each block: its sizes, all about alike. */
export const dcCodes: HuffmanEncoder = makeHuffmanEncoder(
  new Map(Array.from({ length: LARGEST_SIZE + 1 }, (_, size) => [size, size === LARGEST_SIZE ? 5 : 4])),
);

/** For the others. */
export const acCodes: HuffmanEncoder = makeHuffmanEncoder(
  new Map([
    [END_OF_BLOCK, 4],
    [SIXTEEN_ZEROS, 11],
    ...Array.from({ length: 16 * LARGEST_SIZE }, (_, index) => {
      const run = Math.floor(index / LARGEST_SIZE);
      const size = (index % LARGEST_SIZE) + 1;
      return [(run << 4) | size, lengthsByRun[run]?.[size - 1] ?? 16] as const;
    }),
  ]),
);

/** Writes blocks of coefficients as the data of a sequential scan. Source: ITU-T T.81 (1992), annex F.1.2. */
export class JpegBlockWriter {
  readonly #pieces: Buffer[] = [];
  #piece = Buffer.allocUnsafe(PIECE_BYTES);
  #at = 0;
  /** The lowest `#count` bits are still to be written, fewer than 8 between calls. */
  #bits = 0;
  #count = 0;

  /** A block in zigzag order; `previousDc` is the first value of the component's block before it. */
  writeBlock(values: Int16Array, at: number, previousDc: number): void {
    this.#makeRoom();
    this.#writeValue(dcCodes, 0, (values[at] ?? 0) - previousDc);
    let zeros = 0;
    for (let k = 1; k < BLOCK_VALUES; k += 1) {
      const value = values[at + k] ?? 0;
      if (value === 0) {
        zeros += 1;
        continue;
      }
      for (; zeros > 15; zeros -= 16) this.#write(acCodes.codes[SIXTEEN_ZEROS] ?? 0, 11);
      this.#writeValue(acCodes, zeros, value);
      zeros = 0;
    }
    if (zeros > 0) this.#write(acCodes.codes[END_OF_BLOCK] ?? 0, 4);
  }

  /** A block that fills a unit beyond the picture's edge. */
  writePadding(): void {
    this.#makeRoom();
    this.#writeValue(dcCodes, 0, 0);
    this.#write(acCodes.codes[END_OF_BLOCK] ?? 0, 4);
  }

  /** The data, its last byte filled with ones. */
  finish(): readonly Buffer[] {
    if (this.#count > 0) this.#write((1 << (8 - this.#count)) - 1, 8 - this.#count);
    this.#pieces.push(this.#piece.subarray(0, this.#at));
    return this.#pieces;
  }

  #makeRoom(): void {
    if (this.#at + MOST_BLOCK_BYTES <= PIECE_BYTES) return;
    this.#pieces.push(this.#piece.subarray(0, this.#at));
    this.#piece = Buffer.allocUnsafe(PIECE_BYTES);
    this.#at = 0;
  }

  #writeValue(table: HuffmanEncoder, zeros: number, value: number): void {
    const size = 32 - Math.clz32(Math.abs(value));
    if (size > LARGEST_SIZE) throw damaged('a value that is too large');
    const symbol = (zeros << 4) | size;
    this.#write(table.codes[symbol] ?? 0, table.lengths[symbol] ?? 0);
    if (size > 0) this.#write(value > 0 ? value : value + (1 << size) - 1, size);
  }

  /** At most 16 bits. */
  #write(bits: number, length: number): void {
    this.#bits = (this.#bits << length) | bits;
    this.#count += length;
    while (this.#count >= 8) {
      this.#count -= 8;
      const byte = (this.#bits >>> this.#count) & 255;
      this.#piece[this.#at] = byte;
      this.#at += 1;
      if (byte !== 0xff) continue;
      this.#piece[this.#at] = 0;
      this.#at += 1;
    }
  }
}
