import { fail, ok } from '../base/result.ts';
import {
  type ByteRange,
  corruptFault,
  type LayoutFault,
  type LayoutResult,
  type PixelArea,
  RangeList,
  type SizeResult,
  truncatedFault,
} from './image-layout.ts';
import { hasBytes, readUint16Little } from './read-integer.ts';

const SCREEN_END = 13;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;

/**
 * The canvas of a GIF, from its logical screen descriptor. Never the size of a frame: decoders
 * that take that for the picture see another one than browsers do.
 *
 * Source: GIF89a specification (CompuServe, 1990), section 18.
 */
export function readGifSize(bytes: Uint8Array): SizeResult {
  if (!hasBytes(bytes, 0, SCREEN_END)) return fail(truncatedFault('the header is cut'));
  const storedWidthPx = readUint16Little(bytes, 6);
  const storedHeightPx = readUint16Little(bytes, 8);
  if (storedWidthPx === 0 || storedHeightPx === 0) return fail(corruptFault('the canvas has a side of 0 px'));
  return ok({ storedWidthPx, storedHeightPx });
}

interface GifFindings {
  readonly canvasWidthPx: number;
  readonly canvasHeightPx: number;
  frames: number;
  isFirstFrameTransparent: boolean;
  partialFrame: PixelArea | undefined;
  hasTransparencyAhead: boolean;
  firstFrameData: ByteRange | undefined;
  hasMetadata: boolean;
  /** The graphic control extension that belongs to the next image. */
  control: { readonly start: number; readonly end: number } | undefined;
}

/**
 * Walks the blocks of a GIF up to its trailer and counts its images. Refuses frames that reach
 * over the canvas, because decoders disagree about them.
 *
 * Source: GIF89a specification (CompuServe, 1990), sections 15 to 27.
 */
export function readGifLayout(bytes: Uint8Array): LayoutResult {
  const size = readGifSize(bytes);
  if (!size.ok) return size;
  const kept = new RangeList();
  const findings: GifFindings = {
    canvasWidthPx: size.value.storedWidthPx,
    canvasHeightPx: size.value.storedHeightPx,
    frames: 0,
    isFirstFrameTransparent: false,
    partialFrame: undefined,
    hasTransparencyAhead: false,
    firstFrameData: undefined,
    hasMetadata: false,
    control: undefined,
  };
  const end = walkBlocks(bytes, kept, findings);
  if (typeof end !== 'number') return fail(end);
  if (findings.frames === 0) return fail(corruptFault('no image in it'));
  return ok({
    format: 'gif',
    ...size.value,
    orientation: 1,
    frames: findings.frames,
    ...(findings.partialFrame !== undefined && { partialFrame: findings.partialFrame }),
    hasAlpha: findings.isFirstFrameTransparent || findings.partialFrame !== undefined,
    isLossy: false,
    pixelData: findings.firstFrameData === undefined ? [] : [findings.firstFrameData],
    bareRanges: kept.ranges,
    hasMetadata: findings.hasMetadata || end < bytes.length,
  });
}

/** Where the file ends, or why it has no end. */
function walkBlocks(bytes: Uint8Array, kept: RangeList, findings: GifFindings): number | LayoutFault {
  const screenEnd = SCREEN_END + colorTableBytes(bytes[10] ?? 0);
  kept.add(0, screenEnd);
  let at = screenEnd;
  for (;;) {
    const kind = bytes[at];
    if (kind === undefined) return truncatedFault('the end mark (trailer) is missing');
    if (kind === TRAILER) {
      kept.add(at, at + 1);
      return at + 1;
    }
    let next: number | LayoutFault;
    if (kind === IMAGE) next = walkImage(bytes, at, { kept, findings });
    else if (kind === EXTENSION) next = walkExtension(bytes, at, findings);
    // Some writers put a superfluous terminator between blocks; decoders skip it.
    else if (kind === 0) next = at + 1;
    else next = corruptFault('an unknown block');
    if (typeof next !== 'number') return next;
    at = next;
  }
}

function walkImage(
  bytes: Uint8Array,
  at: number,
  into: { readonly kept: RangeList; readonly findings: GifFindings },
): number | LayoutFault {
  const { kept, findings } = into;
  if (!hasBytes(bytes, at, 11)) return truncatedFault('an image descriptor is cut');
  const left = readUint16Little(bytes, at + 1);
  const top = readUint16Little(bytes, at + 3);
  const width = readUint16Little(bytes, at + 5);
  const height = readUint16Little(bytes, at + 7);
  const number = findings.frames + 1;
  if (width === 0 || height === 0) return corruptFault(`frame ${number} has a side of 0 px`);
  const { canvasWidthPx, canvasHeightPx } = findings;
  if (left + width > canvasWidthPx || top + height > canvasHeightPx) {
    const frame = `frame ${number}, ${width}×${height} at (${left}, ${top})`;
    return corruptFault(`${frame}, reaches over the canvas of ${canvasWidthPx}×${canvasHeightPx}`);
  }
  const dataStart = at + 10 + colorTableBytes(bytes[at + 9] ?? 0) + 1;
  const end = skipSubBlocks(bytes, dataStart);
  if (typeof end !== 'number') return end;
  if (findings.frames === 0) {
    const isPartial = width < findings.canvasWidthPx || height < findings.canvasHeightPx;
    findings.isFirstFrameTransparent = findings.hasTransparencyAhead;
    if (isPartial) findings.partialFrame = { left, top, width, height };
    if (findings.control !== undefined) kept.add(findings.control.start, findings.control.end);
    findings.firstFrameData = { start: dataStart - 1, end };
    kept.add(at, end);
  }
  findings.frames += 1;
  findings.control = undefined;
  findings.hasTransparencyAhead = false;
  return end;
}

function walkExtension(bytes: Uint8Array, at: number, findings: GifFindings): number | LayoutFault {
  const end = skipSubBlocks(bytes, at + 2);
  if (typeof end !== 'number') return end;
  if (bytes[at + 1] === GRAPHIC_CONTROL) {
    findings.control = { start: at, end };
    findings.hasTransparencyAhead = ((bytes[at + 3] ?? 0) & 1) === 1;
  } else {
    findings.hasMetadata = true;
  }
  return end;
}

/** Behind the terminator of the sub-blocks that begin at `at`. */
function skipSubBlocks(bytes: Uint8Array, at: number): number | LayoutFault {
  let next = at;
  for (;;) {
    const length = bytes[next];
    if (length === undefined) return truncatedFault('image data or an extension is cut');
    next += length + 1;
    if (length === 0) return next;
  }
}

/** Bytes of the colour table that `flags` announce; 0 when there is none. */
function colorTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}
