import { GifReader, GifWriter } from 'omggif';
import { describe, expect, it } from 'vitest';
import { countGifPixels } from './count-gif-pixels.ts';

const palette = Array.from({ length: 256 }, (_, index) => index * 0x010101);

function makeGif(widthPx: number, heightPx: number, pixelAt: (index: number) => number): Uint8Array {
  const buffer = new Uint8Array(widthPx * heightPx * 2 + 2000);
  const writer = new GifWriter(buffer, widthPx, heightPx, { palette });
  writer.addFrame(
    0,
    0,
    widthPx,
    heightPx,
    Uint8Array.from({ length: widthPx * heightPx }, (_, index) => pixelAt(index)),
  );
  return buffer.slice(0, writer.end());
}

function dataOffsetOf(gif: Uint8Array): number {
  return new GifReader(gif).frameInfo(0).data_offset;
}

describe('countGifPixels', () => {
  it.each([
    ['one colour, in codes that get ever longer', () => 7],
    ['a pattern', (index: number) => (index % 13) * 3],
    [
      'noise that fills the table of codes several times',
      (index: number) => (index * 7919 + ((index * index) >> 3)) & 255,
    ],
  ])('counts every pixel of %s', (_, pixelAt) => {
    const gif = makeGif(300, 200, pixelAt);
    expect(countGifPixels(gif, dataOffsetOf(gif))).toBe(300 * 200);
  });

  it('counts fewer where data is missing', () => {
    const gif = makeGif(300, 200, () => 7);
    const offset = dataOffsetOf(gif);
    const firstBlockBytes = gif[offset + 1] ?? 0;
    // The first block of data becomes shorter and the last: what follows it is never reached.
    gif[offset + 1] = firstBlockBytes - 20;
    gif[offset + 2 + firstBlockBytes - 20] = 0;
    expect(countGifPixels(gif, offset)).toBeLessThan(300 * 200);
  });

  it('says -1 for a code that the table cannot have', () => {
    // Codes of three bits: clear (4), then 7, which is beyond the first free code (6).
    const bits = 4 | (7 << 3);
    expect(countGifPixels(new Uint8Array([2, 1, bits, 0]), 0)).toBe(-1);
  });
});
