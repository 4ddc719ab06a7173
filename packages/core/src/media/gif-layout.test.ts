import { describe, expect, it } from 'vitest';
import { readGifLayout } from './gif-layout.ts';

const trailer = 0x3b;

function gif(...blocks: readonly (readonly number[])[]): Uint8Array {
  const header = [...Buffer.from('GIF89a', 'latin1'), 4, 0, 3, 0, 0x80, 0, 0];
  const colorTable = [0, 0, 0, 255, 255, 255];
  return Uint8Array.from([...header, ...colorTable, ...blocks.flat()]);
}

function image(area: { left?: number; top?: number; width?: number; height?: number } = {}): number[] {
  const { left = 0, top = 0, width = 4, height = 3 } = area;
  return [0x2c, left, 0, top, 0, width, 0, height, 0, 0, 2, 2, 0x44, 0x01, 0];
}

const transparentControl = [0x21, 0xf9, 4, 1, 0, 0, 0, 0];
const comment = [0x21, 0xfe, 2, 0x68, 0x69, 0];

describe('readGifLayout', () => {
  it('counts images, and keeps only the first and its control block', () => {
    const bytes = gif(comment, transparentControl, image(), image(), image(), [trailer]);
    const result = readGifLayout(bytes);
    if (!result.ok) throw new Error(result.error.detail);
    expect(result.value).toMatchObject({ frames: 3, hasAlpha: true, hasMetadata: true });
    const kept = result.value.bareRanges.flatMap(({ start, end }) => [...bytes.subarray(start, end)]);
    expect(kept).toEqual([...gif(transparentControl, image(), [trailer])]);
  });

  it('skips a superfluous terminator between blocks', () => {
    expect(readGifLayout(gif([0], image(), [0, trailer]))).toMatchObject({ ok: true });
  });

  it('says which frame reaches over the canvas, and where it stands', () => {
    const detailOf = (...blocks: readonly (readonly number[])[]) => {
      const result = readGifLayout(gif(...blocks, [trailer]));
      return result.ok ? undefined : result.error.detail;
    };
    expect(detailOf(image({ left: 1 }))).toBe('frame 1, 4×3 at (1, 0), reaches over the canvas of 4×3');
    expect(detailOf(image(), image({ top: 2, height: 2 }))).toBe(
      'frame 2, 4×2 at (0, 2), reaches over the canvas of 4×3',
    );
    expect(detailOf(image(), image({ left: 3, top: 2, width: 1, height: 1 }))).toBeUndefined();
    expect(detailOf(image({ width: 0 }))).toBe('frame 1 has a side of 0 px');
  });

  it('refuses a frame that reaches over the canvas, is empty, or is missing', () => {
    for (const blocks of [image({ left: 1 }), image({ height: 4 }), image({ width: 0 }), []]) {
      expect(readGifLayout(gif(blocks, [trailer]))).toMatchObject({ ok: false, error: { truncated: false } });
    }
  });

  it('calls a file without trailer or with a cut block truncated', () => {
    const whole = gif(image(), [trailer]);
    for (let length = 19; length < whole.length; length += 1) {
      expect(readGifLayout(whole.subarray(0, length))).toMatchObject({ ok: false, error: { truncated: true } });
    }
  });
});
