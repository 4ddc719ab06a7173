import type { Sharp as SharpInstance } from 'sharp';
import { isTurned } from './exif-orientation.ts';
import type { PixelSize } from './fit-size.ts';
import type { ImageLayout, Orientation, PixelArea } from './image-layout.ts';
import type { Sharp } from './load-sharp.ts';
import { openStored, type Resizing } from './open-stored.ts';
import type { PixelRegion } from './region.ts';
import { uprightSize } from './upright-size.ts';

/** What {@link openUpright} shows of a picture, and how large. */
export interface UprightOptions {
  readonly layout: ImageLayout;
  /** A part of the upright picture; absent: all of it. */
  readonly region?: PixelRegion;
  /** Of the upright result; absent: as large as what is shown. */
  readonly size?: PixelSize;
  /** Absent: the decoder's best. */
  readonly kernel?: Resizing['kernel'];
}

/**
 * A sharp pipeline that begins with an admitted picture's first frame, upright, in the size that is
 * asked for. The orientation is the one that the layout read, not what the decoder would find: sizes
 * that were told and pixels that are shown must agree.
 *
 * A picture is cut and made smaller as it is stored and turned at last: turning needs all its pixels
 * in memory. Do not resize what comes out: the decoder would turn first.
 */
export async function openUpright(sharp: Sharp, bytes: Uint8Array, options: UprightOptions): Promise<SharpInstance> {
  const { layout, region, kernel } = options;
  const area = storedArea(region ?? wholeRegion(layout), layout);
  const size = options.size === undefined ? undefined : turnedBack(options.size, layout.orientation);
  const resizing = { size: size ?? { widthPx: area.width, heightPx: area.height }, ...(kernel && { kernel }) };
  return applyOrientation(await openStored(sharp, bytes, { layout, area, resizing }), layout.orientation);
}

function wholeRegion(layout: ImageLayout): PixelRegion {
  const { widthPx, heightPx } = uprightSize(layout);
  return { x: 0, y: 0, width: widthPx, height: heightPx };
}

/** Where a region of the upright picture is stored. */
function storedArea({ x, y, width, height }: PixelRegion, layout: ImageLayout): PixelArea {
  const { orientation } = layout;
  const { widthPx, heightPx } = uprightSize(layout);
  const isMirrored = orientation === 2 || orientation === 3 || orientation === 6 || orientation === 7;
  const isFlipped = orientation === 3 || orientation === 4 || orientation === 7 || orientation === 8;
  const left = isMirrored ? widthPx - x - width : x;
  const top = isFlipped ? heightPx - y - height : y;
  return isTurned(orientation) ? { left: top, top: left, width: height, height: width } : { left, top, width, height };
}

function turnedBack(size: PixelSize, orientation: Orientation): PixelSize {
  return isTurned(orientation) ? { widthPx: size.heightPx, heightPx: size.widthPx } : size;
}

/** Mirrors first, then turns: the order in which sharp applies them, whatever the order of the calls. */
function applyOrientation(pipeline: SharpInstance, orientation: Orientation): SharpInstance {
  switch (orientation) {
    case 1:
      return pipeline;
    case 2:
      return pipeline.flop();
    case 3:
      return pipeline.rotate(180);
    case 4:
      return pipeline.flip();
    case 5:
      return pipeline.flip().rotate(90);
    case 6:
      return pipeline.rotate(90);
    case 7:
      return pipeline.flip().rotate(270);
    case 8:
      return pipeline.rotate(270);
  }
}
