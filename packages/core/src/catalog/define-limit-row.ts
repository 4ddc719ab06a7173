import type { LimitRow } from './limit-row.ts';

/** What a row must state; every limit that it leaves out is `null`, "not documented". */
export type LimitRowFacts = Pick<LimitRow, 'id' | 'formats' | 'url' | 'fileId' | 'toolImages' | 'confidence'> &
  Partial<LimitRow> & { readonly source: string };

/** A whole {@link LimitRow} of the facts that are known. */
export function defineLimitRow(facts: LimitRowFacts): LimitRow {
  return {
    maxRaw: null,
    maxB64: null,
    maxImages: null,
    maxSide: null,
    manyImages: null,
    body: null,
    detail: null,
    ...facts,
  };
}
