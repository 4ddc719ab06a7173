import { describe, expect, it } from 'vitest';
import { formatDataUri } from '../base/data-uri.ts';
import type { UserMessage } from '../content/messages.ts';
import { digestOf } from '../media/digest.ts';
import { createMemoryBlobs } from '../testing/create-memory-blobs.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { deepFreeze, makeAssistantMessage, makeToolMessage, makeUserMessage } from '../testing/make-transcript.ts';
import { admitLegacyPictures, type KeptLegacyPicture } from './admit-legacy-pictures.ts';

const limits = { maxBytes: 100_000, maxPixels: 100_000, maxFrames: 10 };
const png = makeTwoColorPng({ left: 'red', right: 'green' });
const good = formatDataUri({ mediaType: 'image/jpeg', bytes: png });
const cut = formatDataUri({ mediaType: 'image/png', bytes: png.subarray(0, 60) });

function old(imageInputs: UserMessage['imageInputs']): UserMessage {
  return deepFreeze({ ...makeUserMessage('u1', 'what is this?'), imageInputs });
}

function createKeeper() {
  const kept: KeptLegacyPicture[] = [];
  return { kept, keep: async (pictures: readonly KeptLegacyPicture[]) => void kept.push(...pictures) };
}

describe('admitLegacyPictures', () => {
  it('makes an attachment of a good picture by its bytes, at its place, and leaves the message that it was given', async () => {
    const blobs = createMemoryBlobs();
    const message = old([{ url: 'https://host/a.png' }, { dataUri: good }]);
    const { kept, keep } = createKeeper();
    const given = [message, makeAssistantMessage('a1', ['ok'])];
    const [admitted] = await admitLegacyPictures(given, { limits, blobs, keep });
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
    expect(kept).toEqual([{ messageId: 'u1', digest: digestOf(png) }]);
  });

  it('leaves a bad picture as it is, and takes the good one beside it', async () => {
    const [admitted] = await admitLegacyPictures([old([{ dataUri: cut }, { dataUri: good }])], {
      limits,
      blobs: createMemoryBlobs(),
      keep: createKeeper().keep,
    });
    expect(admitted).toMatchObject({ imageInputs: [{ dataUri: cut }, { attachment: { name: 'image-2' } }] });
  });

  it("makes attachments of a tool's pictures, with facts of their bytes, and leaves a bad one as it is", async () => {
    const blobs = createMemoryBlobs();
    const { kept, keep } = createKeeper();
    const pictures = [cut, good].map((dataUri, index) => ({ mime: 'image/jpeg', path: `${index}.jpg`, dataUri }));
    const result = makeToolMessage('call_1', 'read');
    const old = deepFreeze({ ...result, metadata: { attachments: [], legacyPictures: pictures } });
    const facts = { digest: digestOf(png), width: 64, height: 32, size_bytes: png.length };
    expect(await admitLegacyPictures([old], { limits, blobs, keep })).toEqual([
      {
        ...result,
        metadata: {
          attachments: [{ mime: 'image/png', path: '1.jpg', ...facts }],
          legacyPictures: [pictures[0]],
        },
      },
    ]);
    expect(await blobs.get(digestOf(png))).toEqual(png);
    expect(kept).toEqual([{ messageId: result.id, digest: digestOf(png) }]);
  });

  it('keeps nothing where no old message holds a good picture', async () => {
    const { kept, keep } = createKeeper();
    for (const transcript of [[makeUserMessage('u1', 'hello')], [old([{ dataUri: cut }])]]) {
      expect(await admitLegacyPictures(transcript, { limits, blobs: createMemoryBlobs(), keep })).toBe(transcript);
    }
    expect(kept).toEqual([]);
  });
});
