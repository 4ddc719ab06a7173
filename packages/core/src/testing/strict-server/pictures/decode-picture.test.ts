import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { decodePicture } from './decode-picture.ts';
import { inspectPicture } from './inspect-picture.ts';

const folder = new URL('../../../../../../fixtures/cases/files/', import.meta.url);

function readFixture(name: string): Promise<Uint8Array> {
  return readFile(new URL(name, folder));
}

const fourColors = [
  [8, 8, [220, 30, 30]],
  [56, 8, [30, 180, 60]],
  [8, 24, [40, 60, 210]],
  [56, 24, [230, 210, 40]],
] as const;

describe('decodePicture', () => {
  it.each([
    'ext-png-noextension',
    'png-rgb16.png',
    'png-many-idat.png',
    'ok-jpeg-444.jpg',
    'jpeg-progressive.jpg',
    'jpeg-411.jpg',
    'jpeg-fill-bytes.jpg',
    'ok-gif.gif',
    'gif-87a.gif',
    'gif-interlaced.gif',
    'gif-trailing-garbage.gif',
    'ok-webp-lossless.webp',
  ])('gives the pixels of %s', async (name) => {
    const decoded = await decodePicture(await readFixture(name));
    expect(decoded.ok && [decoded.value.widthPx, decoded.value.heightPx]).toEqual([64, 32]);
    if (!decoded.ok) return;
    for (const [x, y, rgb] of fourColors) {
      const at = (y * 64 + x) * 4;
      const found = [...decoded.value.pixels.slice(at, at + 3)];
      for (const [channel, value] of rgb.entries()) {
        expect(Math.abs((found[channel] ?? -1) - value)).toBeLessThanOrEqual(30);
      }
    }
  });

  it.each([
    'png-bad-adler.png',
    'png-bad-crc-ihdr.png',
    'png-trunc-last-20-bytes.png',
    'png-no-iend.png',
    'png-header-only.png',
    'png-bomb-2147483647-square.png',
    'jpeg-trunc-mid-scan.jpg',
    'jpeg-progressive-trunc-half.jpg',
    'jpeg-trunc-before-sof.jpg',
    'jpeg-trunc-3-bytes.jpg',
    'jpeg-zero-height.jpg',
    'jpeg-12bit.jpg',
    'gif-trunc-mid-lzw.gif',
    'gif-animated-trunc-frame-2.gif',
    'gif-bad-lzw-min-code.gif',
    'gif-zero-canvas.gif',
    'gif-canvas-65535-frame-1x1.gif',
    'gif-header-only.gif',
    'webp-trunc-half-lossless.webp',
    'webp-bitflip-lossy.webp',
    'webp-header-only.webp',
    'html-error-page-named.jpg',
    'zero-bytes.png',
  ])('refuses %s', async (name) => {
    expect((await decodePicture(await readFixture(name))).ok).toBe(false);
  });

  it('counts the frames of a GIF', async () => {
    const decoded = await decodePicture(await readFixture('gif-animated-3.gif'));
    expect(decoded.ok && decoded.value.frames).toBe(3);
  });
});

describe('inspectPicture', () => {
  it.each(['ext-png-noextension', 'ok-jpeg-444.jpg', 'ok-gif.gif', 'ok-webp-lossless.webp'])(
    'names the colours of the parts of %s',
    async (name) => {
      const facts = await inspectPicture(await readFixture(name));
      expect(facts.ok && facts.value.colors).toMatchObject({
        topLeft: 'red',
        topRight: 'green',
        bottomLeft: 'blue',
        bottomRight: 'yellow',
      });
    },
  );

  it('gives every part of a picture of one pixel its colour', async () => {
    const facts = await inspectPicture(await readFixture('webp-1x1.webp'));
    expect(facts.ok && new Set(Object.values(facts.value.colors))).toEqual(new Set(['green']));
  });
});
