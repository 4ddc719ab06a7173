import { describe, expect, it } from 'vitest';
import { isForeignMedia, sniffContent } from './sniff.ts';

const text = (content: string) => new TextEncoder().encode(content);

describe('sniffContent', () => {
  it.each([
    ['plain words, with é and 漢字\n', 'text/plain'],
    ['{"a": [1, 2]}', 'application/json'],
    ['{ not json', 'text/plain'],
    ['<!DOCTYPE html><p>dead link', 'text/html'],
    ['<!-- saved --><html lang="en"><body>', 'text/html'],
    ['<?xml version="1.0"?>\n<!-- drawn --><svg xmlns="http://www.w3.org/2000/svg">', 'image/svg+xml'],
    ['<?xml version="1.0"?><note>', 'text/plain'],
    ['BM is how this sentence begins', 'text/plain'],
  ])('names the text %j %s', async (content, mediaType) => {
    expect(await sniffContent(text(content))).toEqual({ mediaType, isText: true });
  });

  it('takes a text for text although the sample cuts its last character', async () => {
    const long = text(`a${'漢'.repeat(40_000)}`);
    expect(await sniffContent(long)).toEqual({ mediaType: 'text/plain', isText: true });
  });

  it('knows UTF-16 with a byte order mark for text', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('hello', 'utf16le')]);
    expect(await sniffContent(bytes)).toEqual({ mediaType: 'text/plain', isText: true });
  });

  it('takes no bytes with control characters or broken UTF-8 for text', async () => {
    expect(await sniffContent(new Uint8Array([0x41, 0, 0x42]))).toEqual({ mediaType: undefined, isText: false });
    expect(await sniffContent(new Uint8Array([0xef, 0xbf, 0xbd, 0x01]))).toMatchObject({ isText: false });
    expect(await sniffContent(new Uint8Array([0xc3, 0x28, 0x41]))).toMatchObject({ isText: false });
  });

  it('sees a PDF although it is all ASCII', async () => {
    expect(await sniffContent(text('%PDF-1.4\n1 0 obj'))).toEqual({ mediaType: 'application/pdf', isText: false });
  });

  it('takes no picture of our own formats behind something else for one', async () => {
    const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
    expect(await sniffContent(new Uint8Array([0xef, 0xbb, 0xbf, ...png]))).toEqual({
      mediaType: undefined,
      isText: false,
    });
  });
});

describe('isForeignMedia', () => {
  it('tells what may have been meant as a picture from everything else', () => {
    const office = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    for (const type of ['image/heic', 'video/mp4', 'audio/wav', 'application/pdf', office]) {
      expect(isForeignMedia(type)).toBe(true);
    }
    for (const type of ['text/html', 'application/zip', undefined]) expect(isForeignMedia(type)).toBe(false);
  });
});
