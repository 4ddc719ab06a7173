import type { PictureRegion } from '../content/picture-region.ts';

/** How the picture that is sent relates to the original, as far as a model should know it. */
export interface PictureTransform {
  readonly originalWidthPx: number;
  readonly originalHeightPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Sent pixels for one of the original (of the region, where there is one); 1 when nothing was scaled. */
  readonly factor: number;
  readonly region?: PictureRegion;
  readonly isFirstFrame: boolean;
  readonly isPadded: boolean;
}
