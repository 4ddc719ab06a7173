import type { GrayRaster, PixelArea } from './prepare-raster.ts';

/** Dark pixels that touch each other: a letter, a part of one, an icon, a frame. */
export interface Component extends PixelArea {
  readonly inkPixels: number;
}

/**
 * The components of dark pixels (below `inkBelow`) of a raster, neighbours over corners included,
 * or undefined when there are more than `most`: such a picture is a texture and not print.
 */
export function findComponents(
  raster: GrayRaster,
  { inkBelow, most }: { readonly inkBelow: number; readonly most: number },
): readonly Component[] | undefined {
  const isOpen = new Uint8Array(raster.data.length);
  for (let index = 0; index < isOpen.length; index += 1) isOpen[index] = (raster.data[index] ?? 255) < inkBelow ? 1 : 0;
  const components: Component[] = [];
  for (let start = isOpen.indexOf(1); start >= 0; start = isOpen.indexOf(1, start + 1)) {
    if (components.length >= most) return undefined;
    components.push(takeComponent(raster, isOpen, start));
  }
  return components;
}

/** Clears the pixels of the component that begins at `start`. */
function takeComponent({ widthPx, heightPx }: GrayRaster, isOpen: Uint8Array, start: number): Component {
  const area = { left: widthPx, top: heightPx, right: 0, bottom: 0, inkPixels: 0 };
  const stack = [start];
  isOpen[start] = 0;
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    const x = index % widthPx;
    const y = (index - x) / widthPx;
    area.left = Math.min(area.left, x);
    area.right = Math.max(area.right, x);
    area.top = Math.min(area.top, y);
    area.bottom = Math.max(area.bottom, y);
    area.inkPixels += 1;
    for (let nextY = Math.max(0, y - 1); nextY <= Math.min(heightPx - 1, y + 1); nextY += 1) {
      for (let nextX = Math.max(0, x - 1); nextX <= Math.min(widthPx - 1, x + 1); nextX += 1) {
        const next = nextY * widthPx + nextX;
        if (isOpen[next] !== 1) continue;
        isOpen[next] = 0;
        stack.push(next);
      }
    }
  }
  return area;
}
