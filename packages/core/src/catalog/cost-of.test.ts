import { describe, expect, it } from 'vitest';
import { costOf } from './cost-of.ts';

const price = { input: 3, cached: 0.3, output: 15, currency: 'USD' } as const;

describe('costOf', () => {
  it('counts cached input at its own price, and the rest of the input at the full one', () => {
    expect(costOf({ inputTokens: 1_000_000, cachedTokens: 400_000, outputTokens: 100_000 }, price)).toEqual({
      amount: 0.6 * 3 + 0.4 * 0.3 + 0.1 * 15,
      currency: 'USD',
    });
  });

  it('tells an amount without the dust of binary fractions, in the currency of the price', () => {
    const yuan = { input: 0.1, cached: 0.02, output: 0.7, currency: 'CNY' } as const;
    expect(costOf({ inputTokens: 3, cachedTokens: 0, outputTokens: 0 }, yuan)).toEqual({
      amount: 0.0000003,
      currency: 'CNY',
    });
  });

  it('takes no more of the input as cached than there is', () => {
    expect(costOf({ inputTokens: 1_000_000, cachedTokens: 2_000_000, outputTokens: 0 }, price).amount).toBe(0.3);
  });

  it('costs nothing where nothing was used', () => {
    expect(costOf({ inputTokens: 0, cachedTokens: 0, outputTokens: 0 }, price).amount).toBe(0);
  });
});
