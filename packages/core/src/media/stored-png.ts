import { crc32 } from 'node:zlib';

/** Data of one block that is not compressed. Source: RFC 1951, section 3.2.4. */
const MOST_BLOCK_BYTES = 65_535;
const BLOCK_FRAME = 5;
const CHUNK_FRAME = 12;
const SIGNATURE = 8;
/** Header of the compressed stream; an empty last block and the checksum behind it. */
const STREAM_START = Uint8Array.of(0x78, 0x01);
const LAST_BLOCK = Uint8Array.of(1, 0, 0, 0xff, 0xff);
const STREAM_END = LAST_BLOCK.length + 4;
const ADLER_MODULUS = 65_521;
/** Bytes whose sums stay below 2 ** 31. Source: RFC 1950, section 8. */
const ADLER_STEP = 3800;

/**
 * A PNG that is written row by row into one buffer, again and again: not interlaced, not compressed,
 * the kind of its pixels and the chunks before them taken from another PNG.
 */
export class StoredPng {
  /** Rows that it holds at most. */
  readonly capacity: number;
  readonly #rowBytes: number;
  readonly #buffer: Buffer;
  /** Of the length of the pixels' chunk. */
  readonly #chunkAt: number;
  #at: number;
  #rows = 0;
  #low = 1;
  #high = 0;

  constructor(
    likeness: Uint8Array,
    {
      widthPx,
      rowBytes,
      capacity,
      chunks,
    }: {
      readonly widthPx: number;
      /** Of a row, without its filter byte. */
      readonly rowBytes: number;
      readonly capacity: number;
      readonly chunks: readonly Uint8Array[];
    },
  ) {
    this.capacity = capacity;
    this.#rowBytes = rowBytes;
    const header = Buffer.from(likeness.subarray(SIGNATURE, SIGNATURE + CHUNK_FRAME + 13));
    header.writeUInt32BE(widthPx, 8);
    header[20] = 0;
    const head = [likeness.subarray(0, SIGNATURE), header, ...chunks];
    this.#chunkAt = head.reduce((sum, { length }) => sum + length, 0);
    const frames = BLOCK_FRAME * Math.ceil((rowBytes + 1) / MOST_BLOCK_BYTES);
    const dataBytes = STREAM_START.length + capacity * (rowBytes + 1 + frames) + STREAM_END;
    this.#buffer = Buffer.alloc(this.#chunkAt + dataBytes + 2 * CHUNK_FRAME);
    this.#buffer.set(Buffer.concat(head));
    this.#at = this.#chunkAt;
    this.clear();
  }

  get rows(): number {
    return this.#rows;
  }

  clear(): void {
    this.#rows = 0;
    this.#low = 1;
    this.#high = 0;
    this.#buffer.write('IDAT', this.#chunkAt + 4, 'latin1');
    this.#at = this.#chunkAt + 8;
    this.#append(STREAM_START);
  }

  /** The row's first byte says that it is not filtered. */
  addRow(samples: Uint8Array): void {
    this.#rows += 1;
    let left = this.#rowBytes + 1;
    let from = 0;
    while (left > 0) {
      const length = Math.min(left, MOST_BLOCK_BYTES);
      this.#append(Uint8Array.of(0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255));
      const start = this.#at;
      const isFirst = left === this.#rowBytes + 1;
      if (isFirst) this.#append(Uint8Array.of(0));
      const taken = isFirst ? length - 1 : length;
      this.#append(samples.subarray(from, from + taken));
      this.#sum(start, this.#at);
      from += taken;
      left -= length;
    }
  }

  /** What is in it so far; the next call changes it. */
  finish(): Uint8Array {
    this.#append(LAST_BLOCK);
    this.#at = this.#buffer.writeUInt32BE(((this.#high << 16) | this.#low) >>> 0, this.#at);
    this.#endChunk(this.#chunkAt);
    const end = this.#at;
    this.#buffer.write('IEND', end + 4, 'latin1');
    this.#buffer.writeUInt32BE(0, end);
    this.#at = end + 8;
    this.#endChunk(end);
    this.#buffer.writeUInt32BE(this.#rows, SIGNATURE + 12);
    this.#buffer.writeUInt32BE(crc32(this.#buffer.subarray(SIGNATURE + 4, SIGNATURE + 21)), SIGNATURE + 21);
    return this.#buffer.subarray(0, this.#at);
  }

  #append(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Length and checksum of the chunk that ends here. */
  #endChunk(chunkAt: number): void {
    this.#buffer.writeUInt32BE(this.#at - chunkAt - 8, chunkAt);
    this.#at = this.#buffer.writeUInt32BE(crc32(this.#buffer.subarray(chunkAt + 4, this.#at)), this.#at);
  }

  #sum(from: number, to: number): void {
    let low = this.#low;
    let high = this.#high;
    for (let start = from; start < to; start += ADLER_STEP) {
      const end = Math.min(to, start + ADLER_STEP);
      for (let at = start; at < end; at += 1) {
        low += this.#buffer[at] ?? 0;
        high += low;
      }
      low %= ADLER_MODULUS;
      high %= ADLER_MODULUS;
    }
    this.#low = low;
    this.#high = high;
  }
}
