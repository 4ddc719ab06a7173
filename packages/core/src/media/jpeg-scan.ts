import { damaged, JpegBitReader } from './jpeg-bit-reader.ts';
import type { HuffmanDecoder } from './jpeg-huffman.ts';

/** Coefficients of a block. */
export const BLOCK_VALUES = 64;

/** A component as one scan sees it. */
export interface ScanComponent {
  /** Of the frame. */
  readonly index: number;
  readonly across: number;
  readonly down: number;
  readonly blocksAcross: number;
  readonly blocksDown: number;
  readonly dc: HuffmanDecoder | undefined;
  readonly ac: HuffmanDecoder | undefined;
}

/** The header of a scan, and where its data is. */
export interface ScanDescription {
  readonly components: readonly ScanComponent[];
  readonly isProgressive: boolean;
  /** Of the coefficients in zigzag order. */
  readonly first: number;
  readonly last: number;
  /** Bits that were left out so far, and that still are behind this scan. */
  readonly highBit: number;
  readonly lowBit: number;
  /** 0: none. */
  readonly restartInterval: number;
  readonly unitsAcross: number;
  readonly start: number;
  readonly end: number;
}

/** Coefficients of one component in one row of units: blocks in rows, zigzag order inside. */
export interface CoefficientRows {
  readonly values: Int16Array;
  /** A row of blocks, its padding included. */
  readonly blocksAcross: number;
}

/**
 * Decodes a scan of a JPEG one row of units at a time, into coefficients that earlier scans began.
 * Throws `CORRUPT` where a decoder would warn.
 *
 * Source: ITU-T T.81 (1992), annexes F.2.2 (sequential) and G.2 (progressive).
 */
export class JpegScan {
  readonly #scan: ScanDescription;
  readonly #bits: JpegBitReader;
  readonly #previousDc: Int32Array;
  /** Blocks to come in which this scan has nothing new. */
  #emptyBlocks = 0;
  #unitsToRestart: number;
  #restarts = 0;

  constructor(bytes: Uint8Array, scan: ScanDescription) {
    this.#scan = scan;
    this.#bits = new JpegBitReader(bytes, scan.start, scan.end);
    this.#previousDc = new Int32Array(scan.components.length);
    this.#unitsToRestart = scan.restartInterval;
  }

  /** Row after row; `planes` by the component's index in the frame. */
  decodeRow(row: number, planes: readonly CoefficientRows[]): void {
    const [only] = this.#scan.components;
    if (this.#scan.components.length === 1 && only !== undefined) this.#decodeBlocks(row, only, planes);
    else this.#decodeUnits(planes);
    this.#bits.checkExtent();
  }

  finish(): void {
    this.#bits.finish();
  }

  #decodeBlocks(row: number, component: ScanComponent, planes: readonly CoefficientRows[]): void {
    const plane = planes[component.index];
    if (plane === undefined) return;
    const rows = Math.min(component.down, component.blocksDown - row * component.down);
    for (let y = 0; y < rows; y += 1) {
      for (let x = 0; x < component.blocksAcross; x += 1) {
        this.#countUnit();
        this.#decodeBlock(plane.values, (y * plane.blocksAcross + x) * BLOCK_VALUES, 0);
      }
    }
  }

  #decodeUnits(planes: readonly CoefficientRows[]): void {
    const { components, unitsAcross } = this.#scan;
    for (let unit = 0; unit < unitsAcross; unit += 1) {
      this.#countUnit();
      for (let place = 0; place < components.length; place += 1) {
        const component = components[place];
        const plane = planes[component?.index ?? -1];
        if (component === undefined || plane === undefined) continue;
        for (let y = 0; y < component.down; y += 1) {
          for (let x = 0; x < component.across; x += 1) {
            const block = y * plane.blocksAcross + unit * component.across + x;
            this.#decodeBlock(plane.values, block * BLOCK_VALUES, place);
          }
        }
      }
    }
  }

  #countUnit(): void {
    if (this.#scan.restartInterval === 0) return;
    if (this.#unitsToRestart === 0) {
      this.#bits.restart(this.#restarts % 8);
      this.#restarts += 1;
      this.#previousDc.fill(0);
      this.#emptyBlocks = 0;
      this.#unitsToRestart = this.#scan.restartInterval;
    }
    this.#unitsToRestart -= 1;
  }

  #decodeBlock(values: Int16Array, at: number, place: number): void {
    const { isProgressive, first, highBit } = this.#scan;
    if (!isProgressive) this.#decodeWhole(values, at, place);
    else if (first === 0 && highBit === 0) this.#decodeDc(values, at, place);
    else if (first === 0) this.#refineDc(values, at);
    else if (highBit === 0) this.#decodeAc(values, at);
    else this.#refineAc(values, at);
  }

  #decodeDc(values: Int16Array, at: number, place: number): void {
    const table = this.#scan.components[place]?.dc;
    if (table === undefined) throw damaged('a scan names a table that there is not');
    const size = this.#bits.readSymbol(table);
    if (size > 15) throw damaged('a value that is too large');
    const value = (this.#previousDc[place] ?? 0) + this.#bits.readSigned(size);
    this.#previousDc[place] = value;
    values[at] = value << this.#scan.lowBit;
  }

  #refineDc(values: Int16Array, at: number): void {
    if (this.#bits.readBits(1) === 1) values[at] = (values[at] ?? 0) | (1 << this.#scan.lowBit);
  }

  #decodeWhole(values: Int16Array, at: number, place: number): void {
    this.#decodeDc(values, at, place);
    const table = this.#tableForAc(place);
    for (let k = 1; k < BLOCK_VALUES; k += 1) {
      const symbol = this.#bits.readSymbol(table);
      const size = symbol & 15;
      if (size === 0 && symbol !== 0xf0) return;
      k += symbol >> 4;
      if (size === 0) continue;
      if (k >= BLOCK_VALUES) throw damaged('a block has too many values');
      values[at + k] = this.#bits.readSigned(size);
    }
  }

  #tableForAc(place: number): HuffmanDecoder {
    const table = this.#scan.components[place]?.ac;
    if (table === undefined) throw damaged('a scan names a table that there is not');
    return table;
  }

  #decodeAc(values: Int16Array, at: number): void {
    if (this.#emptyBlocks > 0) {
      this.#emptyBlocks -= 1;
      return;
    }
    const { first, last, lowBit } = this.#scan;
    const table = this.#tableForAc(0);
    for (let k = first; k <= last; k += 1) {
      const symbol = this.#bits.readSymbol(table);
      const run = symbol >> 4;
      const size = symbol & 15;
      if (size === 0 && run < 15) {
        this.#emptyBlocks = this.#readEmptyBlocks(run) - 1;
        return;
      }
      k += run;
      if (size === 0) continue;
      if (k >= BLOCK_VALUES) throw damaged('a block has too many values');
      values[at + k] = this.#bits.readSigned(size) << lowBit;
    }
  }

  /** This block and others behind it. */
  #readEmptyBlocks(bits: number): number {
    return (1 << bits) + (bits === 0 ? 0 : this.#bits.readBits(bits));
  }

  /** One more bit of the values that there are, and new values of that bit alone between them. */
  #refineAc(values: Int16Array, at: number): void {
    const first = this.#emptyBlocks > 0 ? this.#scan.first : this.#refineUpToEmpty(values, at);
    if (this.#emptyBlocks === 0) return;
    this.#refineRun(values, at, { from: first, zeros: BLOCK_VALUES });
    this.#emptyBlocks -= 1;
  }

  /** The place from which on there are no new values. */
  #refineUpToEmpty(values: Int16Array, at: number): number {
    const { first, last, lowBit } = this.#scan;
    const table = this.#tableForAc(0);
    let k = first;
    while (k <= last) {
      const symbol = this.#bits.readSymbol(table);
      const size = symbol & 15;
      const run = symbol >> 4;
      if (size > 1) throw damaged('a refinement of several bits');
      if (size === 0 && run < 15) {
        this.#emptyBlocks = this.#readEmptyBlocks(run);
        return k;
      }
      const isPositive = size === 1 && this.#bits.readBits(1) === 1;
      k = this.#refineRun(values, at, { from: k, zeros: run });
      if (size === 1) {
        if (k > last) throw damaged('a block has too many values');
        values[at + k] = isPositive ? 1 << lowBit : -1 << lowBit;
      }
      k += 1;
    }
    return k;
  }

  /** Refines what is not zero, up to the zero behind so many others; the place of that one. */
  #refineRun(
    values: Int16Array,
    at: number,
    { from, zeros }: { readonly from: number; readonly zeros: number },
  ): number {
    const bit = 1 << this.#scan.lowBit;
    let left = zeros;
    let k = from;
    for (; k <= this.#scan.last; k += 1) {
      const value = values[at + k] ?? 0;
      if (value === 0) {
        if (left === 0) return k;
        left -= 1;
      } else if (this.#bits.readBits(1) === 1 && (value & bit) === 0) {
        values[at + k] = value + (value > 0 ? bit : -bit);
      }
    }
    return k;
  }
}
