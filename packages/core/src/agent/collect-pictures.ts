import { isImageRef } from '../content/attachment-ref.ts';
import type { Message, Transcript } from '../content/messages.ts';
import { pictureKey, type ShownPicture } from '../content/picture-region.ts';

/** One stored picture of a transcript, or one region of it, by its original. */
export interface TranscriptPicture extends ShownPicture {
  /** As its first message names it. */
  readonly name: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Whether a message of the running turn holds it. */
  readonly isOfCurrentTurn: boolean;
}

/**
 * Every stored picture of the transcript, and every region of one that is shown, once, in the
 * order of its first appearance, by its {@link pictureKey}.
 */
export function collectPictures(transcript: Transcript, currentTurnId: string): ReadonlyMap<string, TranscriptPicture> {
  const pictures = new Map<string, TranscriptPicture>();
  for (const message of transcript) {
    const isOfCurrentTurn = message.turnId === currentTurnId;
    for (const picture of picturesOf(message)) {
      const key = pictureKey(picture);
      const known = pictures.get(key) ?? { ...picture, isOfCurrentTurn };
      pictures.set(key, { ...known, isOfCurrentTurn: known.isOfCurrentTurn || isOfCurrentTurn });
    }
  }
  return pictures;
}

function picturesOf(message: Message): readonly Omit<TranscriptPicture, 'isOfCurrentTurn'>[] {
  if (message.role === 'tool') {
    return message.metadata.attachments.map(({ digest, path, width, height, region }) => {
      return { digest, name: path, widthPx: width, heightPx: height, ...(region && { region }) };
    });
  }
  if (message.role !== 'user') return [];
  return message.imageInputs.flatMap((input) => {
    if (!('attachment' in input) || !isImageRef(input.attachment)) return [];
    const { digest, name, widthPx, heightPx } = input.attachment;
    return [{ digest, name, widthPx, heightPx }];
  });
}
