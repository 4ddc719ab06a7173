import type { ImageRef } from '../content/attachment-ref.ts';
import type { ImageFacts } from '../media/verify.ts';

/** The reference of a picture that was verified. */
export function toReference(facts: ImageFacts, name: string): ImageRef {
  const { digest, mediaType, sizeBytes, widthPx, heightPx } = facts;
  return { digest, mediaType, sizeBytes, widthPx, heightPx, name };
}
