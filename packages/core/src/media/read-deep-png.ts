import { crc32 } from 'node:zlib';
import { AppError } from '../base/app-error.ts';
import { isSrgb } from './color-space.ts';
import { type DeepSamples, narrowSamples } from './deep-samples.ts';
import type { ImageLayout, PixelArea } from './image-layout.ts';
import { INFLATED_PIECE_BYTES, inflatePixels } from './inflate-pixels.ts';
import type { Sharp } from './load-sharp.ts';
import { openConverted } from './open-converted.ts';
import { colorChunks } from './png-colors.ts';
import { type PngPass, pngPixelBits } from './png-data-bytes.ts';
import { PngRows } from './png-rows.ts';
import { readTag, readUint16Big, readUint32Big } from './read-integer.ts';
import { StoredPng } from './stored-png.ts';

/** Of rows that are converted together. */
const BAND_BYTES = 1 << 21;
const HEADER_END = 33;
/** Length, type and checksum around the data of a chunk. */
const CHUNK_FRAME = 12;

/**
 * A part of a large PNG of 16-bit samples, as it is stored, as 8-bit sRGB in memory: 3 or 4 bytes a
 * pixel, where decoders need 6 to 8 for an interlaced one and hold long rows of samples for others.
 *
 * Every second row of an interlaced PNG comes in its last pass, whole and in order, the rows between
 * in the six passes before it. These are kept as they are, 16 bits a sample, where the converted
 * rows will stand: two of those have the room of one. Rows whose colours have to be converted go in
 * bands through the same way as any picture. Throws `CORRUPT`.
 */
export async function readDeepPng(
  sharp: Sharp,
  bytes: Uint8Array,
  options: { readonly layout: ImageLayout; readonly area: PixelArea },
): Promise<{ readonly data: Uint8Array; readonly channels: 3 | 4 }> {
  const { layout } = options;
  const picture = new DeepPicture(bytes, options);
  const rows = new PngRows(bytes, (pass, row, data) => picture.takeRow(pass, row, data));
  for await (const piece of inflatePixels(bytes, layout.pixelData)) {
    rows.push(piece);
    await picture.convertBand(sharp);
    if (picture.isComplete()) break;
  }
  if (rows.isComplete()) picture.takeLastRow();
  if (!picture.isComplete()) throw new AppError('CORRUPT', 'pixels are missing');
  await picture.convertBand(sharp);
  return { data: picture.pixels(), channels: picture.channels };
}

class DeepPicture {
  readonly channels: 3 | 4;
  readonly #bytes: Uint8Array;
  readonly #layout: ImageLayout;
  readonly #area: PixelArea;
  readonly #pixelBytes: number;
  /** Rows of the result from an even one on, each after the other. */
  readonly #result: Buffer;
  readonly #resultTop: number;
  /** The samples of a row whose place is written to. */
  readonly #row: Uint8Array;
  /** Where samples are plain sRGB; rows on their way to the decoder where they are not. */
  readonly #plain: DeepSamples | undefined;
  readonly #band: StoredPng | undefined;
  #nextRow: number;

  constructor(bytes: Uint8Array, { layout, area }: { readonly layout: ImageLayout; readonly area: PixelArea }) {
    this.#bytes = bytes;
    this.#layout = layout;
    this.#area = area;
    this.#pixelBytes = pngPixelBits(bytes) / 8;
    this.channels = layout.hasAlpha ? 4 : 3;
    this.#resultTop = area.top - (area.top % 2);
    const rows = area.top + area.height - this.#resultTop;
    this.#result = Buffer.allocUnsafe((rows + (rows % 2)) * area.width * this.channels);
    this.#row = new Uint8Array(area.width * this.#pixelBytes);
    this.#nextRow = area.top;
    const chunks = chunksBeforePixels(bytes);
    if (isPlain(layout)) this.#plain = describeSamples(bytes, chunks, this.channels);
    else this.#band = this.#makeBand(chunks);
  }

  isComplete(): boolean {
    return this.#nextRow === this.#area.top + this.#area.height;
  }

  /** The result. */
  pixels(): Uint8Array {
    const start = this.#placeOf(this.#area.top);
    return this.#result.subarray(start, start + this.#area.width * this.#area.height * this.channels);
  }

  takeRow(pass: PngPass, row: number, data: Uint8Array): void {
    const y = pass.top + row * pass.stepY;
    if (pass.stepX > 1) {
      this.#keepSamples(y, pass, data);
      return;
    }
    if (pass.stepY === 2) this.#takeKeptRow(y - 1);
    if (y !== this.#nextRow || this.isComplete()) return;
    const start = this.#area.left * this.#pixelBytes;
    this.#takeSamples(data.subarray(start, start + this.#row.length));
  }

  /** Behind the last pass: an even row may have no odd one behind it. */
  takeLastRow(): void {
    this.#takeKeptRow(this.#layout.storedHeightPx - 1);
  }

  #takeKeptRow(y: number): void {
    if (y !== this.#nextRow || this.isComplete()) return;
    const start = this.#placeOf(y);
    this.#row.set(this.#result.subarray(start, start + this.#row.length));
    this.#takeSamples(this.#row);
  }

  /** Of a row of the result. The samples of an even row wait there, over the place of the odd one behind it too. */
  #placeOf(y: number): number {
    return (y - this.#resultTop) * this.#area.width * this.channels;
  }

  #keepSamples(y: number, pass: PngPass, data: Uint8Array): void {
    const { left, top, width, height } = this.#area;
    if (y < top || y >= top + height) return;
    const pixelBytes = this.#pixelBytes;
    const rowAt = this.#placeOf(y);
    const first = Math.max(0, Math.ceil((left - pass.left) / pass.stepX));
    for (let column = first; column < pass.columns; column += 1) {
      const x = pass.left + column * pass.stepX - left;
      if (x >= width) return;
      const to = rowAt + x * pixelBytes;
      const from = column * pixelBytes;
      for (let at = 0; at < pixelBytes; at += 1) this.#result[to + at] = data[from + at] ?? 0;
    }
  }

  #takeSamples(samples: Uint8Array): void {
    if (this.#plain === undefined) this.#band?.addRow(samples);
    else narrowSamples(samples, this.#plain, { result: this.#result, to: this.#placeOf(this.#nextRow) });
    this.#nextRow += 1;
  }

  #makeBand(chunks: readonly Uint8Array[]): StoredPng {
    const rowBytes = this.#row.length;
    // One piece more may come before the band is converted, and each of its rows bring a kept one.
    const rows = Math.ceil(BAND_BYTES / rowBytes) + 2 * Math.ceil(INFLATED_PIECE_BYTES / rowBytes) + 2;
    return new StoredPng(this.#bytes, { widthPx: this.#area.width, rowBytes, capacity: rows, chunks });
  }

  /** When there is enough of it, or nothing more to come. */
  async convertBand(sharp: Sharp): Promise<void> {
    const rows = this.#band?.rows ?? 0;
    if (this.#band === undefined || rows === 0) return;
    if (rows * this.#row.length < BAND_BYTES && !this.isComplete()) return;
    const { width } = this.#area;
    const layout = { ...this.#layout, storedWidthPx: width, storedHeightPx: rows };
    const pipeline = (await openConverted(sharp, this.#band.finish(), layout)).toColourspace('srgb');
    const { data, info } = await (this.channels === 4 ? pipeline.ensureAlpha() : pipeline.removeAlpha())
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== this.channels || info.width !== width || info.height !== rows) {
      throw new AppError('INTERNAL', 'rows have another form', { data: { channels: info.channels } });
    }
    data.copy(this.#result, this.#placeOf(this.#nextRow - rows));
    this.#band.clear();
  }
}

function isPlain({ colors }: ImageLayout): boolean {
  return colors === undefined || (colors !== 'profile' && isSrgb(colors));
}

/** What says how samples become colours. */
function chunksBeforePixels(bytes: Uint8Array): readonly Uint8Array[] {
  const names: readonly string[] = [...colorChunks, 'tRNS'];
  const chunks: Uint8Array[] = [];
  let at = HEADER_END;
  while (at + CHUNK_FRAME <= bytes.length && readTag(bytes, at + 4, 4) !== 'IDAT') {
    const end = at + readUint32Big(bytes, at) + CHUNK_FRAME;
    if (names.includes(readTag(bytes, at + 4, 4))) chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

function describeSamples(bytes: Uint8Array, chunks: readonly Uint8Array[], resultChannels: 3 | 4): DeepSamples {
  const transparent = readTransparentColor(bytes[25] ?? 0, chunks);
  const channels = pngPixelBits(bytes) / 16;
  return { channels, resultChannels, ...(transparent !== undefined && { transparent }) };
}

/** The one colour that tRNS makes transparent; a damaged one is passed over, as decoders do. */
function readTransparentColor(colorType: number, chunks: readonly Uint8Array[]): readonly number[] | undefined {
  const samples = { 0: 1, 2: 3 }[colorType];
  const chunk = chunks.find((candidate) => readTag(candidate, 4, 4) === 'tRNS');
  if (samples === undefined || chunk?.length !== CHUNK_FRAME + samples * 2) return undefined;
  if (crc32(chunk.subarray(4, -4)) !== readUint32Big(chunk, chunk.length - 4)) return undefined;
  return Array.from({ length: samples }, (_, index) => readUint16Big(chunk, 8 + index * 2));
}
