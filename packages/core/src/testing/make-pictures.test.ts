import { describe, expect, it } from 'vitest';
import {
  makeFourColorPng,
  makeSolidPng,
  makeTwoColorJpeg,
  makeTwoColorPng,
  type PictureColor,
  pictureColors,
} from './make-pictures.ts';
import { inspectPicture } from './strict-server/pictures/inspect-picture.ts';

const size = { widthPx: 50, heightPx: 30 };

describe('test pictures', () => {
  it('have the colours that the oracle names', async () => {
    for (const color of Object.keys(pictureColors) as PictureColor[]) {
      const facts = await inspectPicture(makeSolidPng(color));
      expect(facts.ok && facts.value.colors.left).toBe(color);
    }
  });

  it('have two halves, as PNG and as JPEG', async () => {
    const colors = { left: 'blue', right: 'yellow' } as const;
    for (const bytes of [makeTwoColorPng(colors, size), makeTwoColorJpeg(colors, size)]) {
      const facts = await inspectPicture(bytes);
      expect(facts.ok && facts.value).toMatchObject({ ...size, colors });
    }
  });

  it('have four quadrants', async () => {
    const colors = { topLeft: 'red', topRight: 'green', bottomLeft: 'black', bottomRight: 'white' } as const;
    const facts = await inspectPicture(makeFourColorPng(colors, size));
    expect(facts.ok && facts.value).toMatchObject({ ...size, colors });
  });

  it('are the same bytes every time', () => {
    expect(makeSolidPng('red')).toEqual(makeSolidPng('red'));
  });
});
