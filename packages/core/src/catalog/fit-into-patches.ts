const PATCH_PX = 28;

/** Patches of 28 x 28 px that cover a picture, each side rounded up. */
export function countPatches28(widthPx: number, heightPx: number): number {
  return Math.ceil(widthPx / PATCH_PX) * Math.ceil(heightPx / PATCH_PX);
}

/**
 * The largest size with the picture's proportions whose sides, padded to multiples of 28 px, are
 * within `edgePx` and whose patches are within `maxPatches`; the size itself when it fits.
 *
 * The long side is searched; the short side follows, half rounded to even, at least 1 px.
 * Source: Claude docs "Vision" (2026), which give 2000 x 1500 -> 1270 x 952.
 */
export function fitIntoPatches(picture: {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly edgePx: number;
  readonly maxPatches: number;
}): { readonly widthPx: number; readonly heightPx: number } {
  const { widthPx, heightPx, edgePx, maxPatches } = picture;
  const isWide = widthPx >= heightPx;
  const longPx = isWide ? widthPx : heightPx;
  const ratio = (isWide ? heightPx : widthPx) / longPx;
  const sizeFor = (longSidePx: number) => {
    const shortSidePx = Math.max(1, roundHalfToEven(longSidePx * ratio));
    return isWide ? { widthPx: longSidePx, heightPx: shortSidePx } : { widthPx: shortSidePx, heightPx: longSidePx };
  };
  const fits = (longSidePx: number) => {
    const size = sizeFor(longSidePx);
    const paddedPx = Math.ceil(longSidePx / PATCH_PX) * PATCH_PX;
    return paddedPx <= edgePx && countPatches28(size.widthPx, size.heightPx) <= maxPatches;
  };
  if (fits(longPx)) return { widthPx, heightPx };
  // Both conditions only get harder with a longer side, so the longest that fits can be halved towards.
  let fittingPx = 1;
  let tooLongPx = longPx;
  while (tooLongPx - fittingPx > 1) {
    const middlePx = Math.floor((fittingPx + tooLongPx) / 2);
    if (fits(middlePx)) fittingPx = middlePx;
    else tooLongPx = middlePx;
  }
  return sizeFor(fittingPx);
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
