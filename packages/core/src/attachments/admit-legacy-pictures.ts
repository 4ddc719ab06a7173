import type { Digest } from '../base/ids.ts';
import type { LegacyToolPicture, Message, ToolMessage, Transcript, UserMessage } from '../content/messages.ts';
import type { ImageLimits } from '../media/image-limits.ts';
import { admitDataUri } from './admit-bytes.ts';
import type { BlobSink } from './blob-sink.ts';

/** Stored bytes, and the old message that held them. */
export interface KeptLegacyPicture {
  readonly messageId: string;
  readonly digest: Digest;
}

export interface AdmitLegacyPicturesOptions {
  readonly limits: ImageLimits;
  readonly blobs: BlobSink;
  /**
   * Makes the session hold the bytes from then on, so that they are not collected as garbage. Called
   * once with all of them, which may be held already. Throws `STORE_UNAVAILABLE`.
   */
  readonly keep: (pictures: readonly KeptLegacyPicture[]) => Promise<void>;
  readonly signal?: AbortSignal;
}

/**
 * A transcript in which the pictures that old messages hold themselves are attachments, like those
 * of new ones: read, decoded whole and stored under their digest. One that is not good stays as it
 * is, and the context puts words for it. The rows of old messages stay as they were written
 * (requirement R133, decision X8). Throws `STORE_UNAVAILABLE`.
 */
export async function admitLegacyPictures(
  transcript: Transcript,
  options: AdmitLegacyPicturesOptions,
): Promise<Transcript> {
  const messages: Message[] = [];
  const kept: KeptLegacyPicture[] = [];
  // One after the other: each may be as large as an attachment may be.
  for (const message of transcript) {
    const admitted = await admitMessage(message, options);
    messages.push(admitted.message);
    kept.push(...admitted.digests.map((digest) => ({ messageId: message.id, digest })));
  }
  if (kept.length === 0) return transcript;
  await options.keep(kept);
  return messages;
}

interface AdmittedMessage {
  readonly message: Message;
  readonly digests: readonly Digest[];
}

async function admitMessage(message: Message, options: AdmitLegacyPicturesOptions): Promise<AdmittedMessage> {
  if (message.role === 'user') return admitUserPictures(message, options);
  if (message.role === 'tool') return admitToolPictures(message, options);
  return { message, digests: [] };
}

async function admitUserPictures(message: UserMessage, options: AdmitLegacyPicturesOptions): Promise<AdmittedMessage> {
  const digests: Digest[] = [];
  const imageInputs: UserMessage['imageInputs'] = [];
  for (const [index, input] of message.imageInputs.entries()) {
    const name = `image-${index + 1}`;
    const admitted = 'dataUri' in input ? await admitDataUri(input.dataUri, { ...options, name }) : undefined;
    if (admitted?.ok === true) digests.push(admitted.value.reference.digest);
    imageInputs.push(admitted?.ok === true ? { attachment: admitted.value.reference } : input);
  }
  return { message: { ...message, imageInputs }, digests };
}

async function admitToolPictures(message: ToolMessage, options: AdmitLegacyPicturesOptions): Promise<AdmittedMessage> {
  const { legacyPictures = [], ...metadata } = message.metadata;
  const attachments = [...metadata.attachments];
  const left: LegacyToolPicture[] = [];
  const digests: Digest[] = [];
  for (const picture of legacyPictures) {
    const admitted = await admitDataUri(picture.dataUri, { ...options, name: picture.path });
    if (!admitted.ok) {
      left.push(picture);
      continue;
    }
    const { digest, mediaType, widthPx, heightPx, sizeBytes } = admitted.value.reference;
    digests.push(digest);
    const facts = { digest, width: widthPx, height: heightPx, size_bytes: sizeBytes };
    attachments.push({ mime: mediaType, path: picture.path, ...facts });
  }
  const rest = left.length === 0 ? {} : { legacyPictures: left };
  return { message: { ...message, metadata: { ...metadata, attachments, ...rest } }, digests };
}
