import { findScanEnd, isFrameHeader, type JpegSegment, readSegment, START_OF_SCAN } from './jpeg-layout.ts';
import { readUint16Big } from './read-integer.ts';

/** One colour plane of a JPEG. */
export interface JpegComponent {
  readonly id: number;
  /** Blocks across and down in a unit (MCU) of the whole frame. */
  readonly across: number;
  readonly down: number;
  readonly quantization: number;
}

/** What the frame header of a JPEG says, and whether its planes or coefficients come in several scans. */
export interface JpegFrame {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly components: readonly JpegComponent[];
  readonly isProgressive: boolean;
  readonly isArithmetic: boolean;
  /** Decoders then keep every coefficient until the last scan: 2 bytes each. */
  readonly hasSeveralScans: boolean;
}

const PROGRESSIVE = 0xc2;
const PROGRESSIVE_ARITHMETIC = 0xca;
const FIRST_ARITHMETIC = 0xc9;
const BLOCK_PX = 8;

/** Every segment of a JPEG up to its end mark, and the compressed data behind those that begin a scan. */
export function* walkJpeg(
  bytes: Uint8Array,
): Generator<{ readonly segment: JpegSegment; readonly scanEnd: number | undefined }> {
  let at = 2;
  for (;;) {
    const segment = readSegment(bytes, at);
    if (!segment.ok) return;
    const scanEnd = segment.value.marker === START_OF_SCAN ? findScanEnd(bytes, segment.value.end) : undefined;
    yield { segment: segment.value, scanEnd };
    at = scanEnd ?? segment.value.end;
    if (segment.value.marker === 0xd9) return;
  }
}

/**
 * Reads the segments up to the first scan; `undefined` when there is no frame or no scan.
 *
 * Source: ITU-T T.81 (1992), sections B.2.2 and B.2.3.
 */
export function readJpegFrame(bytes: Uint8Array): JpegFrame | undefined {
  let header: { readonly marker: number; readonly data: Uint8Array } | undefined;
  let at = 2;
  for (;;) {
    const segment = readSegment(bytes, at);
    if (!segment.ok) return undefined;
    const { marker, dataStart, end } = segment.value;
    const data = bytes.subarray(dataStart, end);
    if (isFrameHeader(marker)) header ??= { marker, data };
    if (marker === START_OF_SCAN) return header === undefined ? undefined : toFrame(header, data[0] ?? 0);
    at = end;
  }
}

function toFrame(header: { readonly marker: number; readonly data: Uint8Array }, scanComponents: number): JpegFrame {
  const { marker, data } = header;
  const count = data[5] ?? 0;
  const components = Array.from({ length: count }, (_, index) => {
    const [id = 0, sampling = 0, quantization = 0] = data.subarray(6 + index * 3);
    return { id, across: sampling >> 4, down: sampling & 15, quantization };
  });
  const isProgressive = marker === PROGRESSIVE || marker === PROGRESSIVE_ARITHMETIC;
  return {
    heightPx: readUint16Big(data, 1),
    widthPx: readUint16Big(data, 3),
    components,
    isProgressive,
    isArithmetic: marker >= FIRST_ARITHMETIC,
    hasSeveralScans: isProgressive || scanComponents < count,
  };
}

/** Units (MCUs) of a scan of all components, and blocks of a scan of one. */
export function countBlocks(frame: JpegFrame): {
  readonly unitsAcross: number;
  readonly unitsDown: number;
  readonly components: readonly { readonly blocksAcross: number; readonly blocksDown: number }[];
} {
  const mostAcross = Math.max(1, ...frame.components.map(({ across }) => across));
  const mostDown = Math.max(1, ...frame.components.map(({ down }) => down));
  const blocks = (px: number, factor: number, most: number) => Math.ceil(Math.ceil((px * factor) / most) / BLOCK_PX);
  return {
    unitsAcross: Math.ceil(frame.widthPx / (BLOCK_PX * mostAcross)),
    unitsDown: Math.ceil(frame.heightPx / (BLOCK_PX * mostDown)),
    components: frame.components.map(({ across, down }) => ({
      blocksAcross: blocks(frame.widthPx, across, mostAcross),
      blocksDown: blocks(frame.heightPx, down, mostDown),
    })),
  };
}
