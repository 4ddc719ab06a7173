import type { RequestImage, RequestImageLink } from '../content/request.ts';
import type { Endpoint } from './provider.ts';

/** What an endpoint's taste says of `detail`. */
export type ImageDetailTaste = Pick<Endpoint, 'imageDetail' | 'regionDetail'>;

/**
 * The value of `detail` for one picture, never left to the endpoint's own choice; `undefined` where
 * the field is not sent. A region was asked for because its pixels matter (wire-facts rule 24).
 */
export function detailOf(
  picture: RequestImage | RequestImageLink,
  { imageDetail, regionDetail }: ImageDetailTaste,
): string | undefined {
  const isRegion = picture.type === 'image' && picture.region !== undefined;
  return isRegion ? (regionDetail ?? imageDetail) : imageDetail;
}
