import type { Transcript } from '../content/messages.ts';
import type { PictureReferences } from '../tools/tool.ts';
import { collectPictures } from './collect-pictures.ts';
import type { TurnServices } from './turn-services.ts';

/**
 * The pictures of one session for its tools: found through the content graph, so that no digest of
 * another session is, and called by the name that the transcript knows them by first.
 */
export function createPictureReferences(
  { sessionId, transcript }: { readonly sessionId: string; readonly transcript: Transcript },
  { contentGraph, blobs }: Pick<TurnServices, 'contentGraph' | 'blobs'>,
): PictureReferences {
  return {
    async resolve(hexPrefix) {
      const target = await contentGraph.resolveReference(sessionId, hexPrefix);
      if (target.kind !== 'found') return target;
      const pictures = [...collectPictures(transcript, '').values()];
      const name = pictures.find(({ digest }) => digest === target.digest)?.name;
      return name === undefined ? target : { ...target, name };
    },
    read: (digest) => blobs.get(digest),
  };
}
