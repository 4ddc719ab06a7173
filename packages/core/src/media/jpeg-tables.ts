import { readUint16Big } from './read-integer.ts';

const DEFINE_HUFFMAN = 0xc4;
const DEFINE_QUANTIZATION = 0xdb;
const START_OF_SCAN = 0xda;
const AC = 0x10;

interface FrameComponent {
  readonly quantization: number;
  scans: number;
}

/**
 * Follows the tables of a JPEG through its segments: whether each scan finds the tables and the
 * components that it names, and sequential pictures have each component once. Some decoders help
 * themselves where that is not so (standard tables for those that are missing, as in Motion JPEG),
 * others refuse the picture.
 *
 * Source: ITU-T T.81 (1992), sections B.2.2 to B.2.4 and G.1.
 */
export class JpegTables {
  readonly #huffman = new Set<number>();
  readonly #quantization = new Set<number>();
  readonly #components = new Map<number, FrameComponent>();
  #isProgressive = false;
  #isComplete = true;

  /** To be called with every segment in order; `data` is what follows its length. */
  note(marker: number, data: Uint8Array): void {
    switch (marker) {
      case DEFINE_HUFFMAN:
        this.#noteHuffman(data);
        return;
      case DEFINE_QUANTIZATION:
        this.#noteQuantization(data);
        return;
      case START_OF_SCAN:
        this.#noteScan(data);
        return;
      case 0xc0:
      case 0xc1:
      case 0xc2:
        this.#noteFrame(data, marker === 0xc2);
        return;
      default:
        if (!isOrdinary(marker)) this.#isComplete = false;
    }
  }

  /** Whether every decoder finds what it needs, once all segments were noted. */
  areComplete(): boolean {
    const components = [...this.#components.values()];
    const isShownOnce = components.every(({ scans }) => (this.#isProgressive ? scans > 0 : scans === 1));
    return this.#isComplete && components.length > 0 && isShownOnce;
  }

  /** Each table: kind and number, how many codes of 1 to 16 bits, their values. */
  #noteHuffman(data: Uint8Array): void {
    let at = 0;
    while (at + 17 <= data.length) {
      this.#huffman.add(data[at] ?? 0);
      const counts = data.subarray(at + 1, at + 17);
      at += 17 + counts.reduce((sum, count) => sum + count, 0);
    }
    if (at !== data.length) this.#isComplete = false;
  }

  /** Each table: precision and number, 64 values of one or two bytes. */
  #noteQuantization(data: Uint8Array): void {
    let at = 0;
    while (at < data.length) {
      const head = data[at] ?? 0;
      this.#quantization.add(head & 0x0f);
      at += head >= AC ? 129 : 65;
    }
    if (at !== data.length) this.#isComplete = false;
  }

  #noteFrame(data: Uint8Array, isProgressive: boolean): void {
    const count = data[5] ?? 0;
    if (this.#components.size > 0 || data.length !== 6 + count * 3 || readUint16Big(data, 1) === 0) {
      this.#isComplete = false;
    }
    this.#isProgressive = isProgressive;
    for (let at = 6; at + 3 <= data.length; at += 3) {
      this.#components.set(data[at] ?? 0, { quantization: data[at + 2] ?? 0, scans: 0 });
    }
    if (this.#components.size !== count) this.#isComplete = false;
  }

  #noteScan(data: Uint8Array): void {
    const count = data[0] ?? 0;
    const [first = 0, last = 0, approximation = 0] = data.subarray(1 + count * 2);
    const isPlain = first === 0 && last === 63 && approximation === 0;
    if (data.length !== count * 2 + 4 || !(isPlain || this.#isProgressive)) this.#isComplete = false;
    // A refinement of DC values has no Huffman codes.
    const needsDc = first === 0 && approximation < AC;
    for (let at = 1; at + 2 <= 1 + count * 2; at += 2) {
      const component = this.#components.get(data[at] ?? -1);
      const tables = data[at + 1] ?? 0;
      const hasDc = !needsDc || this.#huffman.has(tables >> 4);
      const hasAc = last === 0 || this.#huffman.has(AC | (tables & 0x0f));
      if (component === undefined || !hasDc || !hasAc || !this.#quantization.has(component.quantization)) {
        this.#isComplete = false;
      } else {
        component.scans += 1;
      }
    }
  }
}

/** Restart interval, end, application data, comment. Frames of other kinds are judged by the caller. */
function isOrdinary(marker: number): boolean {
  return marker === 0xdd || marker === 0xd9 || (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
}
