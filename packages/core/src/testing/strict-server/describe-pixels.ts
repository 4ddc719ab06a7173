import type { ReceivedPicture } from './strict-request.ts';

/**
 * The answer of the scripted model that sees: one line a picture, in their order, from the pixels
 * that arrived: `image 1 (64x32, after 'call_1 view_image shot.png'): left red, right green`.
 */
export function describePixels(pictures: readonly ReceivedPicture[]): string {
  if (pictures.length === 0) return 'I see no image.';
  return pictures.map((picture, index) => describePicture(picture, index + 1)).join('\n');
}

function describePicture(picture: ReceivedPicture, number: number): string {
  const { widthPx, heightPx, label, colors, url } = picture;
  if (colors === undefined) return `image ${number} (${url ?? picture.fault ?? 'no bytes'}): not seen`;
  const after = label === undefined || label === '' ? '' : `, after '${label}'`;
  const isSideBySide = colors.topLeft === colors.bottomLeft && colors.topRight === colors.bottomRight;
  const words = isSideBySide
    ? `left ${colors.left}, right ${colors.right}`
    : `top left ${colors.topLeft}, top right ${colors.topRight}, ` +
      `bottom left ${colors.bottomLeft}, bottom right ${colors.bottomRight}`;
  return `image ${number} (${widthPx}x${heightPx}${after}): ${words}`;
}
