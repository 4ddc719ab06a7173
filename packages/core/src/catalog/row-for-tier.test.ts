import { describe, expect, it } from 'vitest';
import { findLimitRow } from './limits.ts';
import { isHighTier, rowForTier } from './row-for-tier.ts';

const anthropic = findLimitRow('anthropic');
const unknown = findLimitRow('unknown');
if (anthropic === undefined || unknown === undefined) throw new Error('a row is gone');

describe('rowForTier', () => {
  it('gives a model of the high tier its edge and patch budget, and leaves everything else', () => {
    expect(rowForTier(anthropic, true)).toEqual({ ...anthropic, edge: 2576, maxPatches28: 4784 });
    expect(rowForTier(anthropic, false)).toBe(anthropic);
    expect(rowForTier(unknown, true)).toBe(unknown);
  });

  it('knows the high tier by the family that counts its pictures', () => {
    expect(isHighTier('anthropic-high')).toBe(true);
    expect(isHighTier('anthropic-standard')).toBe(false);
  });
});
