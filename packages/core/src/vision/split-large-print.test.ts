import { describe, expect, it } from 'vitest';
import type { GrayRaster, PixelArea } from './prepare-raster.ts';
import { splitLargePrint } from './split-large-print.ts';

const size = { widthPx: 800, heightPx: 400 };

interface Paper {
  readonly ground: number;
  readonly ink: number;
}

const white: Paper = { ground: 255, ink: 20 };

function draw(areas: readonly PixelArea[], { ground, ink }: Paper = white): GrayRaster {
  const data = new Uint8Array(size.widthPx * size.heightPx).fill(ground);
  for (const area of areas) {
    for (let y = area.top; y <= area.bottom; y += 1) {
      data.fill(ink, y * size.widthPx + area.left, y * size.widthPx + area.right + 1);
    }
  }
  return { data, ...size };
}

/** Strokes like those of `lllll`: as far apart as they are wide. */
function strokes(letters: { left: number; top: number; heightPx: number; count: number }): readonly PixelArea[] {
  const widthPx = Math.round(letters.heightPx / 5);
  return Array.from({ length: letters.count }, (_, index) => {
    const left = letters.left + index * widthPx * 2;
    return { left, top: letters.top, right: left + widthPx - 1, bottom: letters.top + letters.heightPx - 1 };
  });
}

function valueAt(raster: GrayRaster | undefined, x: number, y: number): number | undefined {
  return raster?.data[y * raster.widthPx + x];
}

describe('splitLargePrint', () => {
  it('leaves print of ordinary size where it is', () => {
    const raster = draw(strokes({ left: 40, top: 40, heightPx: 20, count: 20 }));
    expect(splitLargePrint(raster)).toEqual({ layers: [], rest: raster });
    expect(splitLargePrint(raster).rest).toBe(raster);
  });

  it('moves each size of large print into one layer and leaves the small print', () => {
    const large = strokes({ left: 40, top: 20, heightPx: 160, count: 6 });
    const medium = strokes({ left: 40, top: 230, heightPx: 60, count: 8 });
    const small = strokes({ left: 40, top: 340, heightPx: 20, count: 10 });
    const { layers, rest } = splitLargePrint(draw([...large, ...medium, ...small]));
    expect(layers.map(({ factor }) => factor)).toEqual([8, 4]);
    expect(layers.map(({ raster }) => raster.widthPx)).toEqual([100, 200]);
    expect(rest).toEqual(draw(small));
    const [coarse, fine] = layers;
    // The middle of the first stroke of each, at the scale of its layer.
    expect(valueAt(coarse?.raster, 7, 12)).toBeLessThan(40);
    expect(valueAt(fine?.raster, 11, 65)).toBeLessThan(40);
    expect(valueAt(fine?.raster, 14, 20)).toBe(255);
  });

  it('makes large print on any ground black on white, and leaves the ground', () => {
    for (const paper of [
      { ground: 15, ink: 230 },
      { ground: 90, ink: 240 },
    ]) {
      const large = strokes({ left: 40, top: 20, heightPx: 160, count: 6 });
      const { layers, rest } = splitLargePrint(draw(large, paper));
      expect(layers).toHaveLength(1);
      expect(valueAt(layers[0]?.raster, 7, 12)).toBeLessThan(40);
      expect(valueAt(layers[0]?.raster, 90, 45)).toBe(255);
      expect(valueAt(layers[0]?.raster, 11, 12)).toBeGreaterThan(200);
      expect(rest).toEqual(draw([], paper));
    }
  });

  it('takes the dot and the full stop of its letters along', () => {
    const letters = strokes({ left: 40, top: 60, heightPx: 160, count: 4 });
    const dot = { left: 40, top: 24, right: 71, bottom: 46 };
    const stop = { left: 310, top: 190, right: 341, bottom: 219 };
    expect(splitLargePrint(draw([...letters, dot, stop])).rest).toEqual(draw([]));
  });

  it('takes no small print that runs together when it is scaled down', () => {
    // Half ink, half ground: a quarter of the size each block is a dark shape as tall as a letter.
    const rows = [0, 11, 22, 33, 44, 55, 66].flatMap((row) =>
      [0, 60, 120].flatMap((left) => strokes({ left: 40 + left, top: 40 + row, heightPx: 11, count: 8 })),
    );
    expect(splitLargePrint(draw(rows, { ground: 255, ink: 0 })).layers).toEqual([]);
  });

  it('takes neither bars nor frames nor what stands alone', () => {
    const bars = [40, 200, 360].map((left) => ({ left, top: 40, right: left + 119, bottom: 199 }));
    expect(splitLargePrint(draw(bars)).layers).toEqual([]);
    const frames = [40, 260].flatMap((left) => [
      { left, top: 230, right: left + 199, bottom: 231 },
      { left, top: 360, right: left + 199, bottom: 361 },
      { left, top: 230, right: left + 1, bottom: 361 },
      { left: left + 198, top: 230, right: left + 199, bottom: 361 },
    ]);
    expect(splitLargePrint(draw(frames)).layers).toEqual([]);
    expect(splitLargePrint(draw(strokes({ left: 40, top: 20, heightPx: 160, count: 1 }))).layers).toEqual([]);
  });

  it('handles pictures of a few pixels', () => {
    const raster = { data: new Uint8Array(3).fill(0), widthPx: 3, heightPx: 1 };
    expect(splitLargePrint(raster)).toEqual({ layers: [], rest: raster });
  });
});
