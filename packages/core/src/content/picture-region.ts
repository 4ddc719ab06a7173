import Type from 'typebox';
import type { Digest } from '../base/ids.ts';

/** A part of an upright original in whole pixels, inside of it. Source: requirement R199. */
export const PictureRegion = Type.Object({
  x: Type.Integer({ minimum: 0 }),
  y: Type.Integer({ minimum: 0 }),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
});
export type PictureRegion = Type.Static<typeof PictureRegion>;

/** A stored picture as a message shows it: the whole, or one region of it. */
export interface ShownPicture {
  /** Of the original. */
  readonly digest: Digest;
  readonly region?: PictureRegion;
}

/**
 * Names what a request sends for a picture: the original's digest, and behind it the region if it
 * is only one. Facts about variants are kept under it.
 */
export function pictureKey({ digest, region }: ShownPicture): string {
  return region === undefined ? digest : `${digest} ${region.x},${region.y},${region.width},${region.height}`;
}
