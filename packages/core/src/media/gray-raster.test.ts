import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readGrayRaster } from './gray-raster.ts';

describe('readGrayRaster', () => {
  it('gives one byte a pixel, with white behind transparent pixels', async () => {
    const pixels = Uint8Array.from([0, 0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 0]);
    const png = await sharp(pixels, { raw: { width: 3, height: 1, channels: 4 } })
      .png()
      .toBuffer();
    const raster = await readGrayRaster(png);
    expect(raster).toMatchObject({ widthPx: 3, heightPx: 1 });
    expect([...raster.data]).toEqual([0, 255, 255]);
  });

  it('turns the picture upright and enlarges it as asked for its upright size', async () => {
    const pixels = Uint8Array.from({ length: 8 * 4 * 3 }, (_, index) => (Math.floor(index / 3) % 8 < 4 ? 0 : 255));
    const jpeg = await sharp(pixels, { raw: { width: 8, height: 4, channels: 3 } })
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100 })
      .toBuffer();
    const asked: number[][] = [];
    const raster = await readGrayRaster(jpeg, (widthPx, heightPx) => {
      asked.push([widthPx, heightPx]);
      return 2;
    });
    expect(asked).toEqual([[4, 8]]);
    expect(raster).toMatchObject({ widthPx: 8, heightPx: 16 });
    expect(raster.data).toHaveLength(8 * 16);
    expect(raster.data[0]).toBeLessThan(64);
    expect(raster.data.at(-1)).toBeGreaterThan(192);
  });
});
