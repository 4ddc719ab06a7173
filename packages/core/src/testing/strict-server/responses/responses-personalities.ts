import type { LimitRow } from '../../../catalog/limit-row.ts';
import type { Personality } from '../personality.ts';

// The server's own copy of the limits: a mistake in the product's catalogue must not hide itself.
const cloneLimits: LimitRow = {
  id: 'responses-strings',
  formats: ['png', 'jpeg', 'webp'],
  url: true,
  fileId: false,
  toolImages: 'after-group',
  maxRaw: null,
  maxB64: null,
  maxImages: null,
  maxSide: null,
  manyImages: null,
  body: null,
  detail: ['low', 'high', 'auto'],
  confidence: 'M',
};

/** Kinds of endpoints that speak Responses alone. */
export const responsesPersonalities = {
  /** A clone that takes words as outputs, and no lists. */
  'responses-strings': {
    limits: cloneLimits,
    responses: { stringOutputsOnly: true },
    extraKeys: { body: [], message: [] },
    oversizeBody: 'json',
  },
} as const satisfies Readonly<Record<string, Personality>>;
