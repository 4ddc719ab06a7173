import { createHash } from 'node:crypto';
import type { Digest } from '../../base/ids.ts';
import type { Result } from '../../base/result.ts';
import { inspectPicture, type PictureFacts } from './pictures/inspect-picture.ts';
import { readPictureUrl } from './pictures/read-picture-url.ts';
import type { PictureSlot, RequestPicture } from './request-picture.ts';
import type { ReceivedPicture } from './strict-request.ts';

/** Looks at the pictures of a request; what was decoded once is remembered by its digest. */
export function createPictureInspector(): (slots: readonly PictureSlot[]) => Promise<readonly RequestPicture[]> {
  const known = new Map<Digest, Promise<Result<PictureFacts, string>>>();

  function inspectOnce(bytes: Uint8Array): Promise<Result<PictureFacts, string>> {
    const digest = digestOfBytes(bytes);
    const facts = known.get(digest) ?? inspectPicture(bytes);
    known.set(digest, facts);
    return facts;
  }

  return (slots) =>
    Promise.all(
      slots.map(async (slot) => {
        const source = slot.source ?? readPictureUrl(slot.value?.['url']);
        const bytes = source.kind === 'data' ? source.bytes : undefined;
        return { ...slot, source, facts: bytes === undefined ? undefined : await inspectOnce(bytes) };
      }),
    );
}

/** What is recorded of a picture: all but its bytes. */
export function recordPicture(picture: RequestPicture): ReceivedPicture {
  const { messageIndex, partIndex, role, label, value, source, facts } = picture;
  const bytes = source.kind === 'data' ? source.bytes : undefined;
  return {
    messageIndex,
    partIndex,
    role: role ?? '',
    ...(label === undefined ? {} : { label }),
    ...(value?.['detail'] === undefined ? {} : { detail: value['detail'] }),
    ...(source.kind === 'url' ? { url: source.url } : {}),
    ...(source.kind === 'data' ? { mediaType: source.mediaType } : {}),
    ...(bytes === undefined ? {} : { digest: digestOfBytes(bytes), sizeBytes: bytes.length }),
    ...(facts?.ok ? facts.value : {}),
    ...(facts?.ok === false ? { fault: facts.error } : {}),
  };
}

function digestOfBytes(bytes: Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
