import { setImmediate } from 'node:timers/promises';
import { damaged } from './jpeg-bit-reader.ts';
import { acCodes, dcCodes, JpegBlockWriter } from './jpeg-block-writer.ts';
import { countBlocks, type JpegComponent, type JpegFrame, readJpegFrame, walkJpeg } from './jpeg-frame.ts';
import { HuffmanDecoder, type HuffmanDefinition } from './jpeg-huffman.ts';
import { isFrameHeader, type JpegSegment, START_OF_SCAN } from './jpeg-layout.ts';
import { BLOCK_VALUES, type CoefficientRows, JpegScan, type ScanComponent } from './jpeg-scan.ts';
import { readUint16Big } from './read-integer.ts';

const END_OF_IMAGE = 0xd9;
const COMMENT = 0xfe;
const DEFINE_HUFFMAN = 0xc4;
const DEFINE_QUANTIZATION = 0xdb;
const RESTART_INTERVAL = 0xdd;
const EXTENDED_SEQUENTIAL = 0xc1;
/** What says how colours are stored: Adobe's segment and colour profiles. */
const colorSegments: ReadonlySet<number> = new Set([0xe0, 0xe2, 0xee]);
/** The decoder's own limit. */
const MOST_SCANS = 100;
const MOST_COMPONENTS = 4;
/** Of a unit of all components. Source: ITU-T T.81 (1992), section B.2.3. */
const MOST_UNIT_BLOCKS = 10;
/** Blocks times scans before others get their turn. */
const BLOCKS_A_TURN = 60_000;

/** Whether {@link toSequentialJpeg} can do it. */
export function canBecomeSequential(frame: JpegFrame): boolean {
  const blocks = frame.components.reduce((sum, { across, down }) => sum + across * down, 0);
  return !frame.isArithmetic && frame.components.length <= MOST_COMPONENTS && blocks <= MOST_UNIT_BLOCKS;
}

/**
 * The same picture as a JPEG of one scan, coefficient by coefficient. Decoders of several scans
 * keep all coefficients of the picture, 2 bytes each and up to four of them a pixel; here all scans
 * are read side by side, one row of units at a time.
 *
 * Throws `CORRUPT` where a decoder would warn. Source: ITU-T T.81 (1992), annexes B, F and G.
 */
export async function toSequentialJpeg(bytes: Uint8Array): Promise<Uint8Array> {
  const frame = readJpegFrame(bytes);
  if (frame === undefined) throw damaged('no scan');
  const picture = new JpegScans(bytes, frame);
  return picture.merge();
}

/** The tables that are in force at one place of the file. */
interface Tables {
  readonly huffman: Map<number, HuffmanDecoder>;
  readonly quantization: Map<number, Uint8Array>;
  restartInterval: number;
}

class JpegScans {
  readonly #bytes: Uint8Array;
  readonly #frame: JpegFrame;
  readonly #blocks: ReturnType<typeof countBlocks>;
  readonly #scans: JpegScan[] = [];
  readonly #kept: Uint8Array[] = [];
  /** Of each component: its quantization, as it is when its first scan begins, and how far its values are known. */
  readonly #quantizations = new Map<number, Uint8Array>();
  readonly #lowBits: Int8Array[];
  readonly #tables: Tables = { huffman: new Map(), quantization: new Map(), restartInterval: 0 };

  constructor(bytes: Uint8Array, frame: JpegFrame) {
    this.#bytes = bytes;
    this.#frame = frame;
    this.#blocks = countBlocks(frame);
    this.#lowBits = frame.components.map(() => new Int8Array(BLOCK_VALUES).fill(-1));
    let lastMarker = 0;
    for (const { segment, scanEnd } of walkJpeg(bytes)) {
      this.#note(segment, scanEnd);
      lastMarker = segment.marker;
    }
    if (lastMarker !== END_OF_IMAGE) throw damaged('the last scan ends too early');
    if (this.#quantizations.size < frame.components.length) throw damaged('a component without a scan');
  }

  #note(segment: JpegSegment, scanEnd: number | undefined): void {
    const data = this.#bytes.subarray(segment.dataStart, segment.end);
    switch (segment.marker) {
      case DEFINE_HUFFMAN:
        for (const [id, definition] of readHuffmanTables(data)) {
          this.#tables.huffman.set(id, new HuffmanDecoder(definition));
        }
        return;
      case DEFINE_QUANTIZATION:
        for (const table of readQuantizationTables(data)) this.#tables.quantization.set((table[0] ?? 0) & 15, table);
        return;
      case RESTART_INTERVAL:
        if (data.length !== 2) throw damaged('a restart interval of another length');
        this.#tables.restartInterval = readUint16Big(data, 0);
        return;
      case START_OF_SCAN:
        this.#noteScan(data, segment.end, scanEnd ?? segment.end);
        return;
      default:
        if (colorSegments.has(segment.marker)) this.#kept.push(this.#bytes.subarray(segment.start, segment.end));
        else if (!this.#isPassedOver(segment.marker)) throw damaged('a mark that there cannot be');
    }
  }

  /** The frame, the end, application data, comments. */
  #isPassedOver(marker: number): boolean {
    if (isFrameHeader(marker)) return this.#scans.length === 0;
    return marker === END_OF_IMAGE || (marker >= 0xe0 && marker <= 0xef) || marker === COMMENT;
  }

  #noteScan(header: Uint8Array, start: number, end: number): void {
    const count = header[0] ?? 0;
    const [first = 0, last = 0, approximation = 0] = header.subarray(1 + count * 2);
    const components = Array.from({ length: count }, (_, place) =>
      this.#readComponent(header[1 + place * 2] ?? 0, header[2 + place * 2] ?? 0),
    );
    const scan = { first, last, highBit: approximation >> 4, lowBit: approximation & 15 };
    this.#checkProgress(scan, components);
    const { isProgressive } = this.#frame;
    const { restartInterval } = this.#tables;
    const { unitsAcross } = this.#blocks;
    this.#scans.push(
      new JpegScan(this.#bytes, { ...scan, components, isProgressive, restartInterval, unitsAcross, start, end }),
    );
    if (this.#scans.length > MOST_SCANS) throw damaged('too many scans');
  }

  #readComponent(id: number, tables: number): ScanComponent {
    const index = this.#frame.components.findIndex((component) => component.id === id);
    const component = this.#frame.components[index];
    const blocks = this.#blocks.components[index];
    const quantization = this.#tables.quantization.get(component?.quantization ?? -1);
    if (component === undefined || blocks === undefined || quantization === undefined) {
      throw damaged('a scan names what there is not');
    }
    if (!this.#quantizations.has(index)) this.#quantizations.set(index, quantization);
    const { huffman } = this.#tables;
    return { ...component, ...blocks, index, dc: huffman.get(tables >> 4), ac: huffman.get(16 | (tables & 15)) };
  }

  /** Each value begins once, and every further scan adds the next bit. */
  #checkProgress(
    scan: { readonly first: number; readonly last: number; readonly highBit: number; readonly lowBit: number },
    components: readonly ScanComponent[],
  ): void {
    const { first, last, highBit, lowBit } = scan;
    const isOrderly = this.#frame.isProgressive
      ? isProgressiveScan(scan, components.length)
      : first === 0 && last === BLOCK_VALUES - 1 && highBit === 0 && lowBit === 0;
    if (!isOrderly) throw damaged('a scan that there cannot be');
    for (const { index } of components) {
      const known = this.#lowBits[index];
      if (known === undefined || (first > 0 && known[0] === -1)) throw damaged('scans in a wrong order');
      for (let k = first; k <= last; k += 1) {
        if ((known[k] === -1 ? 0 : known[k]) !== highBit || (known[k] !== -1 && highBit === 0)) {
          throw damaged('scans in a wrong order');
        }
        known[k] = lowBit;
      }
    }
  }

  async merge(): Promise<Uint8Array> {
    const writer = new JpegBlockWriter();
    const { unitsAcross, unitsDown } = this.#blocks;
    const { components } = this.#frame;
    const planes = components.map(({ across, down }): CoefficientRows => {
      const blocksAcross = unitsAcross * across;
      return { blocksAcross, values: new Int16Array(blocksAcross * down * BLOCK_VALUES) };
    });
    const previousDc = new Int32Array(components.length);
    const rowBlocks = planes.reduce((sum, { values }) => sum + values.length / BLOCK_VALUES, 0) * this.#scans.length;
    let blocksSoFar = 0;
    for (let row = 0; row < unitsDown; row += 1) {
      for (const { values } of planes) values.fill(0);
      for (const scan of this.#scans) scan.decodeRow(row, planes);
      this.#writeRow(writer, row, { planes, previousDc });
      blocksSoFar += rowBlocks;
      if (blocksSoFar < BLOCKS_A_TURN) continue;
      blocksSoFar = 0;
      await setImmediate();
    }
    for (const scan of this.#scans) scan.finish();
    return Buffer.concat([...this.#headers(), ...writer.finish(), Buffer.from([0xff, 0xd9])]);
  }

  #writeRow(
    writer: JpegBlockWriter,
    row: number,
    { planes, previousDc }: { readonly planes: readonly CoefficientRows[]; readonly previousDc: Int32Array },
  ): void {
    for (let unit = 0; unit < this.#blocks.unitsAcross; unit += 1) {
      for (let index = 0; index < planes.length; index += 1) {
        previousDc[index] = this.#writeUnit(
          writer,
          { row, unit, index },
          { planes, previousDc: previousDc[index] ?? 0 },
        );
      }
    }
  }

  /** The blocks of one component in a unit; the first value of the last. */
  #writeUnit(
    writer: JpegBlockWriter,
    { row, unit, index }: { readonly row: number; readonly unit: number; readonly index: number },
    { planes, previousDc }: { readonly planes: readonly CoefficientRows[]; readonly previousDc: number },
  ): number {
    const { across = 0, down = 0 } = this.#frame.components[index] ?? {};
    const { blocksAcross = 0, blocksDown = 0 } = this.#blocks.components[index] ?? {};
    const plane = planes[index];
    let dc = previousDc;
    for (let y = 0; plane !== undefined && y < down; y += 1) {
      for (let x = unit * across; x < (unit + 1) * across; x += 1) {
        if (x >= blocksAcross || row * down + y >= blocksDown) {
          writer.writePadding();
          continue;
        }
        const at = (y * plane.blocksAcross + x) * BLOCK_VALUES;
        writer.writeBlock(plane.values, at, dc);
        dc = plane.values[at] ?? 0;
      }
    }
    return dc;
  }

  #headers(): readonly Uint8Array[] {
    const { widthPx, heightPx, components } = this.#frame;
    return [
      Buffer.from([0xff, 0xd8]),
      ...this.#kept,
      ...[...this.#quantizations].map(([index, table]) =>
        makeSegment(DEFINE_QUANTIZATION, [((table[0] ?? 0) & 0xf0) | index, ...table.subarray(1)]),
      ),
      makeSegment(EXTENDED_SEQUENTIAL, [
        8,
        heightPx >> 8,
        heightPx & 255,
        widthPx >> 8,
        widthPx & 255,
        components.length,
        ...components.flatMap(describeComponent),
      ]),
      ...[dcCodes, acCodes].map(({ definition }, kind) =>
        makeSegment(DEFINE_HUFFMAN, [kind << 4, ...definition.counts, ...definition.symbols]),
      ),
      makeSegment(START_OF_SCAN, [components.length, ...components.flatMap(({ id }) => [id, 0]), 0, 63, 0]),
    ];
  }
}

/** With a table of its own. */
function describeComponent({ id, across, down }: JpegComponent, index: number): readonly number[] {
  return [id, (across << 4) | down, index];
}

/** Source: ITU-T T.81 (1992), section G.1.1.1. */
function isProgressiveScan(
  { first, last, highBit, lowBit }: { first: number; last: number; highBit: number; lowBit: number },
  components: number,
): boolean {
  const isOneBitMore = highBit === 0 || highBit - 1 === lowBit;
  if (lowBit > 13 || !isOneBitMore) return false;
  return first === 0 ? last === 0 : components === 1 && first <= last && last < BLOCK_VALUES;
}

function* readHuffmanTables(data: Uint8Array): Generator<readonly [id: number, definition: HuffmanDefinition]> {
  let at = 0;
  while (at < data.length) {
    const id = data[at] ?? 0;
    const counts = data.subarray(at + 1, at + 17);
    const end = at + 17 + counts.reduce((sum, count) => sum + count, 0);
    const symbols = data.subarray(at + 17, end);
    const isNamed = (id & ~16) <= 3;
    if (!isNamed || end > data.length || !isPrefixFree(counts) || (id < 16 && symbols.some((size) => size > 15))) {
      throw damaged('a Huffman table that there cannot be');
    }
    yield [id, { counts, symbols }];
    at = end;
  }
}

/** Codes of each length have room behind the shorter ones, and none has ones alone. */
function isPrefixFree(counts: Uint8Array): boolean {
  let code = 0;
  return counts.every((count, index) => {
    code = code * 2 + count;
    return count === 0 || code < 2 ** (index + 1);
  });
}

/** With the byte that says its precision and number. */
function* readQuantizationTables(data: Uint8Array): Generator<Uint8Array> {
  let at = 0;
  while (at < data.length) {
    const length = (data[at] ?? 0) >= 16 ? 129 : 65;
    if (at + length > data.length) throw damaged('a quantization table is cut');
    yield data.subarray(at, at + length);
    at += length;
  }
}

function makeSegment(marker: number, data: readonly number[]): Uint8Array {
  const length = data.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...data]);
}
