import { MIB } from '../base/units.ts';
import { chatLimitRows } from './chat-limit-rows.ts';
import { cloneLimitRows } from './clone-limit-rows.ts';
import { defineLimitRow } from './define-limit-row.ts';
import type { LimitRow } from './limit-row.ts';
import { messagesLimitRows } from './messages-limit-rows.ts';
import { responsesLimitRows } from './responses-limit-rows.ts';
import { findSupplier } from './suppliers.ts';
import type { WireApi } from './wire-api.ts';

/**
 * What is assumed of an endpoint that no row describes: safe on every row except for the number of
 * pictures of `vllm` (on every wire), `mistral` and `azure-openai` and for the body of `dashscope-messages`.
 */
export const unknownLimitRow: LimitRow = defineLimitRow({
  id: 'unknown',
  formats: ['png', 'jpeg'],
  url: false,
  fileId: false,
  toolImages: null,
  maxRaw: 3.75 * MIB,
  maxB64: 5 * MIB,
  maxImages: 20,
  maxSide: 2000,
  body: 20 * MIB,
  confidence: 'M',
  source: 'the strictest of the other rows',
});

const offlineLimitRow: LimitRow = defineLimitRow({
  id: 'offline',
  formats: ['png', 'jpeg', 'webp', 'gif-first-frame'],
  url: false,
  fileId: false,
  toolImages: 'inline',
  edge: 4096,
  maxImages: 20,
  confidence: 'H',
  source: 'the built-in reader itself',
  note: 'originals up to 4096 px are read as they are, because small text is lost at 1568 px',
});

/** Every limit row, of all wire APIs. */
export const limitRows: readonly LimitRow[] = [
  ...chatLimitRows,
  ...responsesLimitRows,
  ...messagesLimitRows,
  ...cloneLimitRows,
  offlineLimitRow,
  unknownLimitRow,
];

/** The row with this id; `undefined` when there is none. */
export function findLimitRow(id: string): LimitRow | undefined {
  return limitRows.find((row) => row.id === id);
}

/** The row of a supplier's endpoint; {@link unknownLimitRow} when the catalogue has none for it. */
export function limitRowFor(supplierId: string, wireApi: WireApi): LimitRow {
  const endpoint = findSupplier(supplierId)?.endpoints.find((candidate) => candidate.wireApi === wireApi);
  return (endpoint && findLimitRow(endpoint.limitRow)) ?? unknownLimitRow;
}

/**
 * The value of `detail` to send on a region, which was asked for because its pixels matter: `original`
 * where the row lists it; else `undefined`, and {@link imageDetailFor} holds.
 */
export function regionDetailFor(row: LimitRow): string | undefined {
  return row.detail?.find((value) => value === 'original');
}

/**
 * The value of `detail` to send on each picture, never left to the endpoint's own choice: `high`
 * where the row lists it, else its first value; `undefined` where the field is not sent.
 */
export function imageDetailFor(row: LimitRow): string | undefined {
  if (row.detail === null) return undefined;
  return row.detail.includes('high') ? 'high' : row.detail[0];
}
