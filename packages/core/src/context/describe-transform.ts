import type { Locale } from '../base/locale.ts';
import type { RequestImage } from '../content/request.ts';
import type { PictureTransform } from './picture-transform.ts';
import { contextTexts } from './texts.ts';

/**
 * What a model has to know to speak of places in a picture: that it was scaled and by which factor,
 * that it is a region, the first frame of an animation, or padded. Nothing for a picture that is
 * shown as it is, whatever its encoding.
 */
export function describeTransform(image: RequestImage, locale: Locale): string | undefined {
  const transform = transformOf(image);
  return transform === undefined ? undefined : contextTexts[locale].pictureTransform(transform);
}

function transformOf(image: RequestImage): PictureTransform | undefined {
  const { widthPx, heightPx, originalWidthPx, originalHeightPx, region, changes = [] } = image;
  if (originalWidthPx === undefined || originalHeightPx === undefined) return undefined;
  const isResized = changes.includes('resized');
  const isFirstFrame = changes.includes('first-frame');
  const isPadded = changes.includes('padded');
  if (!isResized && !isFirstFrame && !isPadded && region === undefined) return undefined;
  const shown = region ?? { width: originalWidthPx, height: originalHeightPx };
  // Padding is added at the short side: the long one tells the factor.
  const factor = isResized ? Math.max(widthPx, heightPx) / Math.max(shown.width, shown.height) : 1;
  return {
    ...{ originalWidthPx, originalHeightPx, widthPx, heightPx, factor, isFirstFrame, isPadded },
    ...(region && { region }),
  };
}
