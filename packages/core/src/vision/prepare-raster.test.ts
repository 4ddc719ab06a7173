import { describe, expect, it } from 'vitest';
import { chooseReadingScale, eraseAreas, type GrayRaster, type PixelArea, prepareRaster } from './prepare-raster.ts';

function makeRaster(
  size: { readonly widthPx: number; readonly heightPx: number },
  ground: number,
  areas: readonly (PixelArea & { readonly value: number })[] = [],
): GrayRaster {
  const data = new Uint8Array(size.widthPx * size.heightPx).fill(ground);
  for (const area of areas) {
    for (let y = area.top; y <= area.bottom; y += 1) {
      data.fill(area.value, y * size.widthPx + area.left, y * size.widthPx + area.right + 1);
    }
  }
  return { data, ...size };
}

function at(raster: GrayRaster | undefined, x: number, y: number): number | undefined {
  return raster?.data[y * raster.widthPx + x];
}

const size = { widthPx: 240, heightPx: 120 };

describe('prepareRaster', () => {
  it('leaves dark text on a light ground as it is', () => {
    const raster = makeRaster(size, 240, [{ left: 10, top: 10, right: 40, bottom: 14, value: 20 }]);
    const prepared = prepareRaster(raster);
    expect(prepared.main).toBe(raster);
    expect(prepared.opposite).toBeUndefined();
  });

  it('inverts light text on a dark ground', () => {
    const raster = makeRaster(size, 15, [{ left: 10, top: 10, right: 40, bottom: 14, value: 230 }]);
    const { main } = prepareRaster(raster);
    expect(at(main, 100, 100)).toBe(240);
    expect(at(main, 20, 12)).toBe(25);
  });

  it('gives a coloured button with light text a pass of its own, stretched to black on white', () => {
    const raster = makeRaster(size, 250, [
      { left: 96, top: 48, right: 191, bottom: 95, value: 102 },
      { left: 110, top: 60, right: 150, bottom: 64, value: 255 },
      { left: 10, top: 10, right: 40, bottom: 14, value: 20 },
    ]);
    const prepared = prepareRaster(raster);
    expect(at(prepared.opposite, 130, 62)).toBe(0);
    expect(at(prepared.opposite, 160, 80)).toBe(255);
    expect(at(prepared.opposite, 20, 12)).toBe(255);
    expect(prepared.isOpposite(130, 62)).toBe(true);
    expect(prepared.isOpposite(20, 12)).toBe(false);
  });

  it('handles sizes that are no multiple of a block', () => {
    const prepared = prepareRaster(makeRaster({ widthPx: 25, heightPx: 1 }, 0));
    expect([...prepared.main.data]).toEqual(new Array(25).fill(255));
  });
});

describe('eraseAreas', () => {
  it('paints areas and a margin white, inside the picture only', () => {
    const raster = makeRaster(size, 0);
    const erased = eraseAreas(raster, [{ left: 0, top: 0, right: 99, bottom: 39 }]);
    expect(at(erased, 0, 0)).toBe(255);
    expect(at(erased, 103, 43)).toBe(255);
    expect(at(erased, 120, 20)).toBe(0);
    expect(at(erased, 20, 60)).toBe(0);
    expect(at(raster, 0, 0)).toBe(0);
  });

  it('is the same raster when there is nothing to erase', () => {
    const raster = makeRaster(size, 0);
    expect(eraseAreas(raster, [])).toBe(raster);
  });
});

describe('chooseReadingScale', () => {
  it('doubles small pictures and leaves large ones', () => {
    expect(chooseReadingScale(1920, 1080)).toBe(2);
    expect(chooseReadingScale(3840, 2160)).toBe(1);
  });
});
