import { describe, expect, it } from 'vitest';
import {
  fakeDigest,
  makeAssistantMessage,
  makeImageRef,
  makeToolAttachment,
  makeToolMessage,
  makeUserMessage,
} from '../testing/make-transcript.ts';
import { collectPictures } from './collect-pictures.ts';

describe('collectPictures', () => {
  it('gives every picture of users and tools once, under its first name', () => {
    const pictures = collectPictures(
      [
        makeUserMessage('u1', 'look', { images: [makeImageRef('a.png', fakeDigest('a'))] }),
        makeAssistantMessage('a1', ['ok']),
        makeToolMessage('c1', makeToolAttachment('shots/a.png', fakeDigest('a'))),
        makeToolMessage('c2', makeToolAttachment('shots/b.png', fakeDigest('b'))),
      ],
      'turn_9',
    );
    expect([...pictures.values()].map(({ name, widthPx, heightPx }) => [name, widthPx, heightPx])).toEqual([
      ['a.png', 64, 48],
      ['shots/b.png', 64, 48],
    ]);
  });

  it('counts a picture to the current turn when any message of it holds the picture', () => {
    const image = makeImageRef('a.png', fakeDigest('a'));
    const now = makeUserMessage('u1', 'now', { images: [image], turnId: 'turn_1' });
    const other = makeUserMessage('u2', 'other', { images: [image], turnId: 'turn_2' });
    for (const transcript of [
      [now, other],
      [other, now],
    ]) {
      expect(collectPictures(transcript, 'turn_1').get(image.digest)?.isOfCurrentTurn).toBe(true);
    }
    expect(collectPictures([other], 'turn_1').get(image.digest)?.isOfCurrentTurn).toBe(false);
  });

  it('tells a region of a picture from the whole, and regions from each other', () => {
    const whole = makeToolAttachment('a.png', fakeDigest('a'));
    const one = { ...whole, region: { x: 0, y: 0, width: 10, height: 10 } };
    const other = { ...whole, region: { x: 1, y: 0, width: 10, height: 10 } };
    const messages = [whole, one, other, one].map((picture, index) => makeToolMessage(`c${index}`, picture));
    const pictures = [...collectPictures(messages, 'turn_1').values()];
    expect(pictures.map(({ region }) => region)).toEqual([undefined, one.region, other.region]);
  });

  it('passes over what is no stored picture', () => {
    const { widthPx: _, heightPx: __, ...file } = makeImageRef('notes.pdf', fakeDigest('a'));
    const message = {
      ...makeUserMessage('u1', 'read'),
      imageInputs: [{ attachment: file }, { url: 'https://example.org/a.png' }],
    };
    expect(collectPictures([message], 'turn_1').size).toBe(0);
  });
});
