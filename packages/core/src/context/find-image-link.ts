import type { LimitRow } from '../catalog/limit-row.ts';
import type { ImageLink } from '../content/image-input.ts';
import type { RequestImageLink } from '../content/request.ts';

/** Which pictures an endpoint takes by name: fields of its limit row, and the channel whose files it has. */
export interface LinkAllowance extends Pick<LimitRow, 'url' | 'urlMaxLen' | 'fileId'> {
  readonly channel: string;
}

/**
 * What a request holds for a picture that the endpoint fetches itself: the URL, where its limit row
 * takes one of this length; the file's id, where it takes ids and the file belongs to this very
 * channel (requirement R049). `undefined`: words have to stand for it. `any` lets everything through.
 */
export function findImageLink(
  link: ImageLink,
  allowance: LinkAllowance | 'any' | undefined,
): RequestImageLink | undefined {
  const requestLink = 'url' in link ? { url: link.url } : { fileId: link.file.id };
  return isAllowed(link, allowance) ? { type: 'image-link', link: requestLink } : undefined;
}

function isAllowed(link: ImageLink, allowance: LinkAllowance | 'any' | undefined): boolean {
  if (allowance === 'any') return true;
  if (allowance === undefined) return false;
  if ('file' in link) return allowance.fileId && link.file.channel === allowance.channel;
  return allowance.url && link.url.length <= (allowance.urlMaxLen ?? Number.POSITIVE_INFINITY);
}
