import { describe, expect, it } from 'vitest';
import { resolveRegion } from './region.ts';

const screen = { widthPx: 3840, heightPx: 2160 };

function resolve(x: number, y: number, width: number, height: number) {
  return resolveRegion({ x, y, width, height }, screen);
}

function regionOf(x: number, y: number, width: number, height: number, isClipped = false) {
  return { ok: true, value: { region: { x, y, width, height }, isClipped } };
}

describe('resolveRegion', () => {
  it('takes pixels as they are, from the first to the last', () => {
    expect(resolve(0, 0, 3840, 2160)).toEqual(regionOf(0, 0, 3840, 2160));
    expect(resolve(3839, 2159, 1, 1)).toEqual(regionOf(3839, 2159, 1, 1));
    expect(resolve(0, 1, 1, 1)).toEqual(regionOf(0, 1, 1, 1));
  });

  it('takes four values from 0 to 1 for fractions when one is not whole', () => {
    expect(resolve(0.5, 0.5, 0.5, 0.5)).toEqual(regionOf(1920, 1080, 1920, 1080));
    expect(resolve(0, 0, 1, 0.25)).toEqual(regionOf(0, 0, 3840, 540));
    expect(resolve(0, 0, 1, 1)).toEqual(regionOf(0, 0, 3840, 2160));
  });

  it('takes broken pixels whole, but none for a rounding error', () => {
    expect(resolve(10.5, 20, 30, 2.5)).toEqual(regionOf(10, 20, 31, 3));
    expect(resolve(0.1 + 0.2, 0, 0.1, 0.1)).toEqual(regionOf(1152, 0, 384, 216));
  });

  it('leaves out what lies outside, and tells', () => {
    expect(resolve(3800, 2100, 100, 100)).toEqual(regionOf(3800, 2100, 40, 60, true));
    expect(resolve(-20, -30, 50, 50)).toEqual(regionOf(0, 0, 30, 20, true));
    expect(resolve(0.75, 0, 0.5, 1)).toEqual(regionOf(2880, 0, 960, 2160, true));
  });

  it.each([
    ['EMPTY', 10, 10, 0, 5],
    ['EMPTY', 10, 10, 5, -5],
    ['OUTSIDE', 3840, 0, 10, 10],
    ['OUTSIDE', -10, 0, 10, 10],
    ['OUTSIDE', 0, 5000, 10, 10],
    ['NOT_FINITE', Number.NaN, 0, 10, 10],
    ['NOT_FINITE', 0, 0, Number.POSITIVE_INFINITY, 10],
  ] as const)('refuses as %s what starts at %d,%d and has %d x %d', (code, x, y, width, height) => {
    expect(resolve(x, y, width, height)).toEqual({
      ok: false,
      error: { code, request: { x, y, width, height }, ...screen },
    });
  });
});
