import type { Message, Transcript, UserMessage } from '../content/messages.ts';
import type { ImageLimits } from '../media/image-limits.ts';
import { admitDataUri } from './admit-bytes.ts';
import type { BlobSink } from './blob-sink.ts';

/**
 * A transcript in which the pictures that old messages hold themselves are attachments, like those
 * of new ones: read, decoded whole and stored under their digest. One that is not good stays as it
 * is, and the context puts words for it. Changes nothing that is stored: the rows of old messages
 * stay as they were written (requirement R133, decision X8). Throws `STORE_UNAVAILABLE`.
 */
export async function admitLegacyPictures(
  transcript: Transcript,
  options: { readonly limits: ImageLimits; readonly blobs: BlobSink; readonly signal?: AbortSignal },
): Promise<Transcript> {
  if (!transcript.some(holdsLegacyPicture)) return transcript;
  const messages: Message[] = [];
  // One after the other: each may be as large as an attachment may be.
  for (const message of transcript)
    messages.push(holdsLegacyPicture(message) ? await admit(message, options) : message);
  return messages;
}

function holdsLegacyPicture(message: Message): message is UserMessage {
  return message.role === 'user' && message.imageInputs.some((input) => 'dataUri' in input);
}

async function admit(message: UserMessage, options: Parameters<typeof admitLegacyPictures>[1]): Promise<UserMessage> {
  const imageInputs: UserMessage['imageInputs'] = [];
  for (const [index, input] of message.imageInputs.entries()) {
    const name = `image-${index + 1}`;
    const admitted = 'dataUri' in input ? await admitDataUri(input.dataUri, { ...options, name }) : undefined;
    imageInputs.push(admitted?.ok === true ? { attachment: admitted.value.reference } : input);
  }
  return { ...message, imageInputs };
}
