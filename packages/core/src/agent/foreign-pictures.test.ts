import { describe, expect, it } from 'vitest';
import type { RequestImage, RequestMessage } from '../content/request.ts';
import { holdsForeignPicture } from './foreign-pictures.ts';

const digest = `sha256:${'a'.repeat(64)}` as const;
const image: RequestImage = {
  type: 'image',
  digest,
  originalDigest: digest,
  name: 'a.png',
  mediaType: 'image/png',
  sizeBytes: 1,
  widthPx: 1,
  heightPx: 1,
};
const tool = { role: 'tool', toolCallId: 'c1', toolName: 'look', isError: false, text: 'seen' } as const;

describe('holdsForeignPicture', () => {
  it('is false for words, and for what the user attached', () => {
    const messages: readonly RequestMessage[] = [
      { role: 'system', text: 'You see.' },
      { role: 'user', origin: 'user', parts: [image, { type: 'text', text: 'What is it?' }] },
      { role: 'user', origin: 'user', parts: [{ type: 'image-link', link: { fileId: 'file-1' } }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Red.' }] },
      { ...tool, images: [] },
      { role: 'user', origin: 'synthetic', parts: [{ type: 'text', text: 'no picture' }] },
    ];
    expect(holdsForeignPicture(messages)).toBe(false);
  });

  it('is true for pictures of tools, in their messages or behind their group, and for a URL', () => {
    const foreign: readonly RequestMessage[] = [
      { ...tool, images: [image] },
      { role: 'user', origin: 'synthetic', parts: [{ type: 'text', text: 'Attached:' }, image] },
      { role: 'user', origin: 'user', parts: [{ type: 'image-link', link: { url: 'https://a.example/b.png' } }] },
    ];
    expect(foreign.map((message) => holdsForeignPicture([message]))).toEqual([true, true, true]);
  });
});
