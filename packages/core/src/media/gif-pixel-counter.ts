const LARGEST_CODES = 4096;
const LARGEST_CODE_BITS = 12;

/**
 * Counts the pixels in the compressed data of one GIF frame without making them: each code stands
 * for a run whose length is known when it is defined.
 *
 * Source: GIF89a specification (CompuServe, 1990), appendix F.
 */
export class GifPixelCounter {
  /** So far. */
  pixels = 0;
  /** Whether a code came that was not defined; nothing behind it was counted. */
  isBroken = false;
  readonly #data: Uint8Array;
  readonly #lengths = new Uint32Array(LARGEST_CODES);
  readonly #rootBits: number;
  #codeBits: number;
  #nextCode: number;
  #previousLength = 0;
  #at = 1;
  #blockEnd = 1;
  #bits = 0;
  #bitCount = 0;

  /** From the byte with the code size on, sub-blocks with their terminator. */
  constructor(data: Uint8Array) {
    this.#data = data;
    this.#rootBits = Math.min(data[0] ?? 0, LARGEST_CODE_BITS - 1);
    this.#lengths.fill(1, 0, this.#clearCode);
    this.#codeBits = this.#rootBits + 1;
    this.#nextCode = this.#clearCode + 2;
  }

  get #clearCode(): number {
    return 1 << this.#rootBits;
  }

  /** Reads at most so many codes; true when there are no more, or one that cannot be. */
  advance(codes: number): boolean {
    for (let count = 0; count < codes; count += 1) {
      const code = this.#readCode();
      if (code === undefined || code === this.#clearCode + 1) return true;
      if (code === this.#clearCode) this.#clear();
      else if (!this.#count(code)) {
        this.isBroken = true;
        return true;
      }
    }
    return false;
  }

  #clear(): void {
    this.#codeBits = this.#rootBits + 1;
    this.#nextCode = this.#clearCode + 2;
    this.#previousLength = 0;
  }

  #count(code: number): boolean {
    const isDefinedNow = code === this.#nextCode && this.#previousLength > 0;
    if (code >= this.#nextCode && !isDefinedNow) return false;
    if (this.#previousLength > 0 && this.#nextCode < LARGEST_CODES) this.#define(this.#previousLength + 1);
    const length = this.#lengths[code] ?? 0;
    this.pixels += length;
    this.#previousLength = length;
    return true;
  }

  #define(length: number): void {
    this.#lengths[this.#nextCode] = length;
    this.#nextCode += 1;
    if (this.#nextCode === 1 << this.#codeBits && this.#codeBits < LARGEST_CODE_BITS) this.#codeBits += 1;
  }

  #readCode(): number | undefined {
    while (this.#bitCount < this.#codeBits) {
      if (this.#at === this.#blockEnd) {
        const length = this.#data[this.#at] ?? 0;
        if (length === 0) return undefined;
        this.#at += 1;
        this.#blockEnd = this.#at + length;
      }
      this.#bits |= (this.#data[this.#at] ?? 0) << this.#bitCount;
      this.#at += 1;
      this.#bitCount += 8;
    }
    const code = this.#bits & ((1 << this.#codeBits) - 1);
    this.#bits >>>= this.#codeBits;
    this.#bitCount -= this.#codeBits;
    return code;
  }
}
