import { AppError } from '../base/app-error.ts';
import { type HuffmanDecoder, QUICK_BITS } from './jpeg-huffman.ts';

/** The last byte of a scan is filled up. */
const MOST_REST_BITS = 7;

/**
 * Reads the compressed data of one scan of a JPEG bit by bit. Behind its last byte come zeros; whether
 * any of them was taken is asked from time to time.
 *
 * Throws `CORRUPT` where a decoder would warn. Source: ITU-T T.81 (1992), sections B.1.1.5, F.2.2.
 */
export class JpegBitReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  /** The lowest `#count` bits are the next. */
  #bits = 0;
  #count = 0;
  /** How many of them are behind the data. */
  #padding = 0;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  #fill(): void {
    while (this.#count <= 24) {
      let byte = 0;
      if (this.#at >= this.#end) {
        this.#padding += 8;
      } else {
        byte = this.#bytes[this.#at] ?? 0;
        if (byte !== 0xff) {
          this.#at += 1;
        } else if (this.#bytes[this.#at + 1] === 0) {
          this.#at += 2;
        } else {
          // A restart mark: it waits until the bits before it are used.
          byte = 0;
          this.#padding += 8;
        }
      }
      this.#bits = (this.#bits << 8) | byte;
      this.#count += 8;
    }
  }

  /** The next `length` bits, at most 16, the first one the highest. */
  readBits(length: number): number {
    if (this.#count < length) this.#fill();
    this.#count -= length;
    return (this.#bits >>> this.#count) & ((1 << length) - 1);
  }

  /** A number of `length` bits whose highest bit says that it is positive. */
  readSigned(length: number): number {
    if (length === 0) return 0;
    const value = this.readBits(length);
    return value < 1 << (length - 1) ? value - (1 << length) + 1 : value;
  }

  readSymbol(table: HuffmanDecoder): number {
    if (this.#count < 16) this.#fill();
    const quick = table.quick[(this.#bits >>> (this.#count - QUICK_BITS)) & ((1 << QUICK_BITS) - 1)] ?? 0;
    if (quick !== 0) {
      this.#count -= quick >> 8;
      return quick & 255;
    }
    for (let length = QUICK_BITS + 1; length <= 16; length += 1) {
      const code = (this.#bits >>> (this.#count - length)) & ((1 << length) - 1);
      if (code > (table.largest[length] ?? -1)) continue;
      this.#count -= length;
      return table.symbols[code + (table.offsets[length] ?? 0)] ?? 0;
    }
    throw damaged('a code that no table has');
  }

  /** Throws when more bits were taken than there are. */
  checkExtent(): void {
    if (this.#count < this.#padding) throw damaged('a scan ends too early');
  }

  /** Goes on behind the restart mark with this number, 0 to 7, which has to be next. */
  restart(number: number): void {
    this.checkExtent();
    const isThere = this.#bytes[this.#at] === 0xff && this.#bytes[this.#at + 1] === 0xd0 + number;
    if (this.#count - this.#padding > MOST_REST_BITS || this.#at >= this.#end || !isThere)
      throw damaged('no restart where one belongs');
    this.#at += 2;
    this.#count = 0;
    this.#padding = 0;
  }

  /** To be called when everything was read. */
  finish(): void {
    this.checkExtent();
    const rest = this.#count - this.#padding + (this.#end - this.#at) * 8;
    if (rest > MOST_REST_BITS) throw damaged('data behind the end of a scan');
  }
}

/** Of compressed data that cannot be what it says. */
export function damaged(detail: string): AppError {
  return new AppError('CORRUPT', detail);
}
