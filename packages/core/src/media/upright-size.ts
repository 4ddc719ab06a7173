import { isTurned } from './exif-orientation.ts';
import type { ImageLayout } from './image-layout.ts';

/** Width and height as a person sees the picture: orientation applied. */
export function uprightSize(layout: ImageLayout): { readonly widthPx: number; readonly heightPx: number } {
  return isTurned(layout.orientation)
    ? { widthPx: layout.storedHeightPx, heightPx: layout.storedWidthPx }
    : { widthPx: layout.storedWidthPx, heightPx: layout.storedHeightPx };
}
