import { describe, expect, it } from 'vitest';
import { formatDataUri } from '../base/data-uri.ts';
import type { UserMessage } from '../content/messages.ts';
import { digestOf } from '../media/digest.ts';
import { createMemoryBlobs } from '../testing/create-memory-blobs.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { deepFreeze, makeAssistantMessage, makeUserMessage } from '../testing/make-transcript.ts';
import { admitLegacyPictures } from './admit-legacy-pictures.ts';

const limits = { maxBytes: 100_000, maxPixels: 100_000, maxFrames: 10 };
const png = makeTwoColorPng({ left: 'red', right: 'green' });
const good = formatDataUri({ mediaType: 'image/jpeg', bytes: png });
const cut = formatDataUri({ mediaType: 'image/png', bytes: png.subarray(0, 60) });

function old(imageInputs: UserMessage['imageInputs']): UserMessage {
  return deepFreeze({ ...makeUserMessage('u1', 'what is this?'), imageInputs });
}

describe('admitLegacyPictures', () => {
  it('makes an attachment of a good picture by its bytes, at its place, and leaves the message that it was given', async () => {
    const blobs = createMemoryBlobs();
    const message = old([{ url: 'https://host/a.png' }, { dataUri: good }]);
    const [admitted] = await admitLegacyPictures([message, makeAssistantMessage('a1', ['ok'])], { limits, blobs });
    expect(admitted).toEqual({
      ...message,
      imageInputs: [
        { url: 'https://host/a.png' },
        {
          attachment: {
            digest: digestOf(png),
            mediaType: 'image/png',
            sizeBytes: png.length,
            widthPx: 64,
            heightPx: 32,
            name: 'image-2',
          },
        },
      ],
    });
    expect(await blobs.get(digestOf(png))).toEqual(png);
    expect(message.imageInputs[1]).toEqual({ dataUri: good });
  });

  it('leaves a bad picture as it is, and takes the good one beside it', async () => {
    const [admitted] = await admitLegacyPictures([old([{ dataUri: cut }, { dataUri: good }])], {
      limits,
      blobs: createMemoryBlobs(),
    });
    expect(admitted).toMatchObject({ imageInputs: [{ dataUri: cut }, { attachment: { name: 'image-2' } }] });
  });

  it('reads nothing of a transcript without old pictures', async () => {
    const transcript = [makeUserMessage('u1', 'hello')];
    expect(await admitLegacyPictures(transcript, { limits, blobs: createMemoryBlobs() })).toBe(transcript);
  });
});
