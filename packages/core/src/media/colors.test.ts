import { describe, expect, it } from 'vitest';
import { makeFourColorPng, makeTwoColorPng } from '../testing/make-pictures.ts';
import { dominantColors } from './colors.ts';
import { loadSharp } from './load-sharp.ts';
import { makeThumbnail } from './thumbnail.ts';

describe('dominantColors', () => {
  it('names the colours with their shares, the largest first', async () => {
    const colors = await dominantColors(makeTwoColorPng({ left: 'red', right: 'blue' }), 3);
    expect(colors).toEqual([
      { hex: expect.any(String), share: 0.5, name: expect.stringMatching(/red|blue/) },
      { hex: expect.any(String), share: 0.5, name: expect.stringMatching(/red|blue/) },
    ]);
    expect(colors.map((color) => color.hex).sort()).toEqual(['#283cd2', '#dc1e1e']);
  });

  it('gives no more than asked for', async () => {
    const picture = makeFourColorPng({ topLeft: 'red', topRight: 'green', bottomLeft: 'black', bottomRight: 'yellow' });
    expect(await dominantColors(picture, 2)).toHaveLength(2);
    const names = (await dominantColors(picture, 4)).map((color) => color.name).sort();
    expect(names).toEqual(['black', 'green', 'red', 'yellow']);
  });

  it('takes transparency for white', async () => {
    const sharp = await loadSharp();
    const clear = await sharp({
      create: { width: 10, height: 10, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    expect(await dominantColors(clear, 1)).toEqual([{ hex: '#ffffff', share: 1, name: 'white' }]);
  });
});

describe('makeThumbnail', () => {
  it('is small, upright and in proportion, and never enlarges', async () => {
    const sharp = await loadSharp();
    const turned = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#102030' } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const thumbnail = await sharp(await makeThumbnail(turned, 100)).metadata();
    expect(thumbnail).toMatchObject({ format: 'webp', width: 50, height: 100 });
    expect(thumbnail.exif).toBeUndefined();
    const same = await sharp(await makeThumbnail(turned, 9000)).metadata();
    expect(same).toMatchObject({ width: 200, height: 400 });
  });
});
