import type { Result } from '../base/result.ts';
import type { ColorSpace } from './color-space.ts';

/** The picture formats that Fovea takes. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif';

/**
 * How stored pixels become upright, as the Exif tag 0x0112 says it: 1 upright, 2 mirrored, 3 turned
 * by 180 degrees, 4 flipped, 5 transposed, 6 to be turned by 90 degrees clockwise, 7 transversed,
 * 8 to be turned by 270 degrees.
 *
 * Source: Exif 2.32 (CIPA DC-008), section 4.6.4.
 */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Bytes from `start` up to, without, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What the first bytes of a picture say, before anything is decoded or walked. */
export interface StoredSize {
  /** Of the canvas as it is stored, before orientation. Always at least 1. */
  readonly storedWidthPx: number;
  readonly storedHeightPx: number;
}

/** A part of a canvas, in pixels. */
export interface PixelArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** How a picture's file is built, found by walking its blocks without decoding a pixel. */
export interface ImageLayout extends StoredSize {
  readonly format: ImageFormat;
  readonly orientation: Orientation;
  /** At least 1: images of an animation, announced or counted. */
  readonly frames: number;
  /** Where the first frame stands when it covers only a part of the canvas; the rest is transparent. */
  readonly partialFrame?: PixelArea;
  /** Whether pixels may be transparent. */
  readonly hasAlpha: boolean;
  /** Whether the first frame is compressed with loss. */
  readonly isLossy: boolean;
  /**
   * Why an endpoint could see other colours than the user, or nothing: absent for plain 8-bit sRGB.
   * `unusual` is a structure that decoders treat differently.
   */
  readonly needsConversion?: 'depth' | 'cmyk' | 'profile' | 'arithmetic' | 'unusual';
  /**
   * Of a PNG: what says how its samples are to be understood, when it says anything but sRGB; or
   * sRGB, where that overrules an embedded profile. A decoder applies the profile alone.
   */
  readonly colors?: 'profile' | ColorSpace;
  /**
   * Where the compressed pixels of the first frame stand, for PNG (the bodies of IDAT) and GIF (from
   * the code size on); empty for the others.
   */
  readonly pixelData: readonly ByteRange[];
  /** Of a PNG that has a palette. */
  readonly paletteEntries?: number;
  /**
   * What remains when everything is left out that is not needed to show the first frame:
   * metadata, other frames, bytes behind the end. In order, merged where adjacent.
   */
  readonly bareRanges: readonly ByteRange[];
  /** Whether something was left out of `bareRanges` besides frames. */
  readonly hasMetadata: boolean;
}

/** Why a picture is no whole picture. */
export interface LayoutFault {
  /** The bytes end before the file says so. */
  readonly truncated: boolean;
  /** Short, in English, without names of files. */
  readonly detail: string;
}

export type SizeResult = Result<StoredSize, LayoutFault>;
export type LayoutResult = Result<ImageLayout, LayoutFault>;

/** A fault of a file that ends too early. */
export function truncatedFault(detail: string): LayoutFault {
  return { truncated: true, detail };
}

/** A fault of a file that breaks its format. */
export function corruptFault(detail: string): LayoutFault {
  return { truncated: false, detail };
}

/** Collects the ranges of a bare copy; adjacent ones become one. */
export class RangeList {
  readonly ranges: ByteRange[] = [];

  add(start: number, end: number): void {
    const last = this.ranges.at(-1);
    if (last !== undefined && last.end === start) this.ranges[this.ranges.length - 1] = { start: last.start, end };
    else if (end > start) this.ranges.push({ start, end });
  }
}
