import type { Digest } from '../base/ids.ts';
import { isImageRef } from '../content/attachment-ref.ts';
import type { Message, Transcript } from '../content/messages.ts';

/** One stored picture of a transcript, by its original. */
export interface TranscriptPicture {
  readonly digest: Digest;
  /** As its first message names it. */
  readonly name: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Whether a message of the running turn holds it. */
  readonly isOfCurrentTurn: boolean;
}

/** Every stored picture of the transcript, once, in the order of its first appearance. */
export function collectPictures(transcript: Transcript, currentTurnId: string): ReadonlyMap<Digest, TranscriptPicture> {
  const pictures = new Map<Digest, TranscriptPicture>();
  for (const message of transcript) {
    const isOfCurrentTurn = message.turnId === currentTurnId;
    for (const picture of picturesOf(message)) {
      const known = pictures.get(picture.digest) ?? { ...picture, isOfCurrentTurn };
      pictures.set(picture.digest, { ...known, isOfCurrentTurn: known.isOfCurrentTurn || isOfCurrentTurn });
    }
  }
  return pictures;
}

function picturesOf(message: Message): readonly Omit<TranscriptPicture, 'isOfCurrentTurn'>[] {
  if (message.role === 'tool') {
    return message.metadata.attachments.map(({ digest, path, width, height }) => {
      return { digest, name: path, widthPx: width, heightPx: height };
    });
  }
  if (message.role !== 'user') return [];
  return message.imageInputs.flatMap((input) => {
    if (!('attachment' in input) || !isImageRef(input.attachment)) return [];
    const { digest, name, widthPx, heightPx } = input.attachment;
    return [{ digest, name, widthPx, heightPx }];
  });
}
