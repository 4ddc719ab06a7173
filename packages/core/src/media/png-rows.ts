import { AppError } from '../base/app-error.ts';
import { type PngPass, pngPasses, pngPixelBits } from './png-data-bytes.ts';

const LARGEST_FILTER = 4;

/** Called with each row in the order of the file; `row` counts within the pass, `data` is the next row's afterwards. */
export type OnPngRow = (pass: PngPass, row: number, data: Uint8Array) => void;

/**
 * Makes rows of the decompressed data of a PNG. Without a listener it only checks that all are there.
 * Throws `CORRUPT`. Source: PNG third edition (W3C, 2025), sections 7.2 and 9.
 */
export class PngRows {
  readonly #passes: readonly PngPass[];
  readonly #pixelBytes: number;
  readonly #onRow: OnPngRow | undefined;
  #pass = 0;
  #row = 0;
  #filter = -1;
  #filled = 0;
  #data = new Uint8Array(0);
  #above = new Uint8Array(0);

  constructor(bytes: Uint8Array, onRow?: OnPngRow) {
    this.#passes = pngPasses(bytes);
    this.#pixelBytes = Math.max(1, pngPixelBits(bytes) / 8);
    this.#onRow = onRow;
    this.#beginPass();
  }

  /** The next piece of the data, of any length. What is behind the last row is passed over. */
  push(piece: Uint8Array): void {
    let at = 0;
    for (
      let pass = this.#passes[this.#pass];
      pass !== undefined && at < piece.length;
      pass = this.#passes[this.#pass]
    ) {
      if (this.#filter === -1) {
        this.#filter = piece[at] ?? 0;
        if (this.#filter > LARGEST_FILTER) throw new AppError('CORRUPT', 'a row has no valid filter');
        at += 1;
      }
      const length = Math.min(pass.rowBytes - this.#filled, piece.length - at);
      if (this.#onRow !== undefined) this.#data.set(piece.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (this.#filled === pass.rowBytes) this.#endRow(pass);
    }
  }

  /** Whether every row was there. */
  isComplete(): boolean {
    return this.#pass === this.#passes.length;
  }

  #endRow(pass: PngPass): void {
    if (this.#onRow !== undefined) {
      unfilter(this.#data, this.#above, { filter: this.#filter, step: this.#pixelBytes });
      this.#onRow(pass, this.#row, this.#data);
      [this.#data, this.#above] = [this.#above, this.#data];
    }
    this.#filter = -1;
    this.#filled = 0;
    this.#row += 1;
    if (this.#row < pass.rows) return;
    this.#pass += 1;
    this.#beginPass();
  }

  #beginPass(): void {
    const rowBytes = this.#passes[this.#pass]?.rowBytes ?? 0;
    this.#row = 0;
    if (this.#onRow === undefined) return;
    this.#data = new Uint8Array(rowBytes);
    this.#above = new Uint8Array(rowBytes);
  }
}

/** In place. `step` is the distance to the same byte of the pixel before. */
function unfilter(
  row: Uint8Array,
  above: Uint8Array,
  { filter, step }: { readonly filter: number; readonly step: number },
): void {
  switch (filter) {
    case 1:
      for (let at = step; at < row.length; at += 1) row[at] = (row[at] ?? 0) + (row[at - step] ?? 0);
      return;
    case 2:
      for (let at = 0; at < row.length; at += 1) row[at] = (row[at] ?? 0) + (above[at] ?? 0);
      return;
    case 3:
      for (let at = 0; at < row.length; at += 1) {
        const left = at < step ? 0 : (row[at - step] ?? 0);
        row[at] = (row[at] ?? 0) + ((left + (above[at] ?? 0)) >> 1);
      }
      return;
    case 4:
      unfilterPaeth(row, above, step);
      return;
    default:
  }
}

function unfilterPaeth(row: Uint8Array, above: Uint8Array, step: number): void {
  const edge = Math.min(step, row.length);
  for (let at = 0; at < edge; at += 1) row[at] = (row[at] ?? 0) + (above[at] ?? 0);
  for (let at = step; at < row.length; at += 1) {
    const left = row[at - step] ?? 0;
    const up = above[at] ?? 0;
    const corner = above[at - step] ?? 0;
    const fromLeft = Math.abs(up - corner);
    const fromUp = Math.abs(left - corner);
    const fromCorner = Math.abs(left + up - 2 * corner);
    let nearest = corner;
    if (fromLeft <= fromUp && fromLeft <= fromCorner) nearest = left;
    else if (fromUp <= fromCorner) nearest = up;
    row[at] = (row[at] ?? 0) + nearest;
  }
}
