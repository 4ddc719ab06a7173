import type { Sharp as SharpInstance } from 'sharp';
import type { ImageLayout, Orientation, PixelArea } from './image-layout.ts';
import type { Sharp } from './load-sharp.ts';
import { openConverted } from './open-converted.ts';
import type { PixelRegion } from './region.ts';

/**
 * A sharp pipeline that begins with the upright canvas of an admitted picture's first frame. The
 * orientation is the one that the layout read, not what the decoder would find: sizes that were
 * told and pixels that are shown must agree. With a region it begins with that part of it, at full
 * resolution.
 */
export async function openUpright(
  sharp: Sharp,
  bytes: Uint8Array,
  options: { readonly layout: ImageLayout; readonly region?: PixelRegion },
): Promise<SharpInstance> {
  const { layout, region } = options;
  const upright = applyOrientation(await openCanvas(sharp, bytes, layout), layout.orientation);
  return region === undefined ? upright : upright.extract(extractedArea(region, layout));
}

/**
 * Where a region has to be cut out: the decoder turns a picture before it cuts, but mirrors it
 * behind that when it is not turned as well.
 */
function extractedArea(region: PixelRegion, layout: ImageLayout): PixelArea {
  const { x, y, width, height } = region;
  const isFlopped = layout.orientation === 2;
  const isFlipped = layout.orientation === 4;
  return {
    left: isFlopped ? layout.storedWidthPx - x - width : x,
    top: isFlipped ? layout.storedHeightPx - y - height : y,
    width,
    height,
  };
}

async function openCanvas(sharp: Sharp, bytes: Uint8Array, layout: ImageLayout): Promise<SharpInstance> {
  const pipeline = await openConverted(sharp, bytes, layout);
  const area = layout.partialFrame;
  if (area === undefined) return pipeline;
  // What the frame leaves free is transparent, as browsers show it; the decoder fills it, or leaves
  // it out. A pipeline of its own, because one pipeline resizes before it extends.
  const { data, info } = await pipeline
    .extract(area)
    .ensureAlpha()
    .extend({
      left: area.left,
      top: area.top,
      right: layout.storedWidthPx - area.left - area.width,
      bottom: layout.storedHeightPx - area.top - area.height,
      background: { r: 0, g: 0, b: 0, alpha: 0 },
    })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } });
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
