import { describe, expect, it } from 'vitest';
import { countPatches28 } from '../catalog/fit-into-patches.ts';
import { fitSize } from './fit-size.ts';

const free = { maxSide: null };

describe('fitSize', () => {
  it('leaves alone what fits, up to exactly 1568 px', () => {
    expect(fitSize({ widthPx: 1568, heightPx: 1000 }, free)).toEqual({
      widthPx: 1568,
      heightPx: 1000,
      canvasWidthPx: 1568,
      canvasHeightPx: 1000,
    });
  });

  it('scales by one factor, and rounds slivers up to one pixel', () => {
    expect(fitSize({ widthPx: 4000, heightPx: 3000 }, free)).toMatchObject({ widthPx: 1568, heightPx: 1176 });
    expect(fitSize({ widthPx: 20_000, heightPx: 1 }, free)).toMatchObject({ widthPx: 1568, heightPx: 1 });
  });

  it("takes the row's edge instead of 1568 px, and stays clearly below its largest side", () => {
    const large = { widthPx: 9000, heightPx: 9000 };
    expect(fitSize(large, { edge: 4096, maxSide: null })).toMatchObject({ widthPx: 4096 });
    expect(fitSize(large, { edge: 4096, maxSide: 4096 }).widthPx).toBeLessThan(4000);
    expect(fitSize(large, { maxSide: 1000 }).widthPx).toBeLessThan(960);
    expect(fitSize(large, { maxSide: 2000 }).widthPx).toBe(1568);
  });

  it('obeys budgets of pixels and of patches', () => {
    const pixels = fitSize({ widthPx: 1500, heightPx: 1000 }, { ...free, maxPixels: 500_000 });
    expect(pixels.widthPx * pixels.heightPx).toBeLessThan(480_000);
    expect(pixels.widthPx / pixels.heightPx).toBeCloseTo(1.5, 2);
    const patches = fitSize({ widthPx: 1568, heightPx: 1568 }, { ...free, maxPatches28: 1568 });
    expect(countPatches28(patches.widthPx, patches.heightPx)).toBeLessThanOrEqual(1568);
    expect(patches.widthPx).toBeGreaterThan(1050);
  });

  it('gives a canvas to what is too small or too narrow, and never enlarges the picture', () => {
    expect(fitSize({ widthPx: 4, heightPx: 30 }, { ...free, minSide: 11 })).toEqual({
      widthPx: 4,
      heightPx: 30,
      canvasWidthPx: 11,
      canvasHeightPx: 30,
    });
    const narrow = fitSize({ widthPx: 1500, heightPx: 2 }, { ...free, maxRatio: 200 });
    expect(narrow).toMatchObject({ widthPx: 1500, heightPx: 2, canvasWidthPx: 1500 });
    expect(1500 / narrow.canvasHeightPx).toBeLessThan(200);
  });
});
