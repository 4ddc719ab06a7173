/** A Huffman table as a JPEG defines it: how many codes of 1 to 16 bits, and what they mean in order. */
export interface HuffmanDefinition {
  readonly counts: Uint8Array;
  readonly symbols: Uint8Array;
}

/** Codes up to this length are found with one look. */
export const QUICK_BITS = 9;

/**
 * Finds symbols by their codes. Source: ITU-T T.81 (1992), annexes C and F.2.2.3.
 */
export class HuffmanDecoder {
  /** By the next {@link QUICK_BITS} bits: length times 256 plus symbol; 0 for longer codes. */
  readonly quick = new Uint16Array(1 << QUICK_BITS);
  /** By length: the largest code, or -1; and what to add to a code for the place of its symbol. */
  readonly largest = new Int32Array(17).fill(-1);
  readonly offsets = new Int32Array(17);
  readonly symbols: Uint8Array;

  constructor({ counts, symbols }: HuffmanDefinition) {
    this.symbols = symbols;
    let code = 0;
    let place = 0;
    for (let length = 1; length <= 16; length += 1) {
      const count = counts[length - 1] ?? 0;
      this.offsets[length] = place - code;
      for (let index = 0; index < count; index += 1) this.#fillQuick(length, code + index, symbols[place + index] ?? 0);
      code += count;
      place += count;
      if (count > 0) this.largest[length] = code - 1;
      code <<= 1;
    }
  }

  #fillQuick(length: number, code: number, symbol: number): void {
    if (length > QUICK_BITS) return;
    const first = code << (QUICK_BITS - length);
    this.quick.fill((length << 8) | symbol, first, first + (1 << (QUICK_BITS - length)));
  }
}

/** Codes by their symbols. */
export interface HuffmanEncoder {
  readonly definition: HuffmanDefinition;
  readonly codes: Uint16Array;
  readonly lengths: Uint8Array;
}

/** A table from the length of each symbol's code. */
export function makeHuffmanEncoder(lengthOf: ReadonlyMap<number, number>): HuffmanEncoder {
  const inOrder = [...lengthOf].toSorted(([, left], [, right]) => left - right);
  const counts = new Uint8Array(16);
  const codes = new Uint16Array(256);
  const lengths = new Uint8Array(256);
  let code = 0;
  let length = 0;
  for (const [symbol, ownLength] of inOrder) {
    code <<= ownLength - length;
    length = ownLength;
    codes[symbol] = code;
    lengths[symbol] = length;
    counts[length - 1] = (counts[length - 1] ?? 0) + 1;
    code += 1;
  }
  return { definition: { counts, symbols: Uint8Array.from(inOrder, ([symbol]) => symbol) }, codes, lengths };
}
