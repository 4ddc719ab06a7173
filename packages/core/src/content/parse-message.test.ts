import { describe, expect, it } from 'vitest';
import { deepFreeze, fakeDigest, makeImageRef, makeToolMessage, makeUserMessage } from '../testing/make-transcript.ts';
import { parseMessage } from './parse-message.ts';

const { imageInputs: _none, ...bare } = makeUserMessage('u1', 'what is this?');
const DATA_URI = 'data:image/png;base64,iVBORw0KGgo=';

describe('parseMessage', () => {
  it('reads the three kinds of ordered image inputs as they are', () => {
    const message = {
      ...bare,
      imageInputs: [
        { url: 'https://host/a.png' },
        { attachment: makeImageRef('b.png', fakeDigest('b')) },
        { file: { channel: 'lab', id: 'file-1' } },
      ],
    };
    expect(parseMessage(message)).toEqual({ ok: true, value: message });
  });

  it('reads legacy images in their order and leaves what it was given unchanged', () => {
    const stored = deepFreeze({ ...bare, images: [DATA_URI, 'https://host/a.png', 'file-api-abc'] });
    expect(parseMessage(stored)).toEqual({
      ok: true,
      value: {
        ...bare,
        imageInputs: [
          { dataUri: DATA_URI },
          { url: 'https://host/a.png' },
          { file: { channel: '', id: 'file-api-abc' } },
        ],
      },
    });
  });

  it('rejects a message that has both fields, also where one of them is empty', () => {
    for (const [images, imageInputs] of [
      [[DATA_URI], [{ url: 'https://host/a.png' }]],
      [[], [{ url: 'https://host/a.png' }]],
      [['https://host/a.png'], []],
    ]) {
      expect(parseMessage({ ...bare, images, imageInputs })).toEqual({ ok: false, error: 'BOTH_IMAGE_FIELDS' });
    }
  });

  it('refuses what only an old message may hold in the field of a new one', () => {
    for (const input of [{ dataUri: DATA_URI }, { url: DATA_URI }]) {
      expect(parseMessage({ ...bare, imageInputs: [input] })).toEqual({ ok: false, error: 'RECORD_INVALID' });
    }
  });

  it('refuses images that are no texts, and images of a message that no user wrote', () => {
    const { metadata: _metadata, ...tool } = makeToolMessage('c1', 'done');
    for (const value of [{ ...bare, images: [1] }, { ...bare, images: 'a.png' }, { ...tool, images: [] }, bare, null]) {
      expect(parseMessage(value)).toEqual({ ok: false, error: 'RECORD_INVALID' });
    }
  });
});
