import { describe, expect, it } from 'vitest';
import { formatBytes, KIB, MIB } from './units.ts';

describe('formatBytes', () => {
  it('shows no or one decimal in steps of 1024', () => {
    const expected: readonly (readonly [number, string])[] = [
      [0, '0 B'],
      [1023, '1023 B'],
      [1.5 * KIB, '1.5 KB'],
      [250_880, '245 KB'],
      [5 * MIB, '5 MB'],
      [6.2 * MIB, '6.2 MB'],
      [300 * MIB, '300 MB'],
      [5 * 1024 * MIB, '5 GB'],
    ];
    for (const [sizeBytes, text] of expected) expect(formatBytes(sizeBytes)).toBe(text);
  });
});
