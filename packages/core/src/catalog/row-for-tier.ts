import type { LimitRow } from './limit-row.ts';
import type { TokenFamily } from './token-family.ts';

/** Whether a model of this token family takes the larger pictures of a row's `highTier`. */
export function isHighTier(family: TokenFamily): boolean {
  return family === 'anthropic-high';
}

/**
 * The row as it holds for one model: with the larger edge and patch budget of its `highTier` for a
 * model marked so, else as it is. The id stays, because it is still that endpoint's row; the key of a
 * variant tells them apart by the figures.
 *
 * A request with so many pictures that `manyImages` binds needs the row without it: that longest
 * side may be below the edge of the high tier.
 *
 * Source: wire-facts, rule 20 and section 10 (`highTier`).
 */
export function rowForTier(row: LimitRow, isHigh: boolean): LimitRow {
  return isHigh && row.highTier !== undefined ? { ...row, ...row.highTier } : row;
}
