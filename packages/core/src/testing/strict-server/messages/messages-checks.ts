import type { Check } from '../check.ts';
import { checkA8, checkA9, checkA10, checkA11, checkA12, checkA13, checkA14, checkA15 } from './check-pictures.ts';
import { checkA1, checkA2, checkUnknownKeys } from './check-shape.ts';
import { checkA16 } from './check-thoughts.ts';
import { checkA3, checkA4, checkA5, checkA6, checkA7, checkA17, checkA18 } from './check-turns.ts';

/**
 * The checks of the Messages wire, in their order; the first that refuses answers. a19, the size of
 * the body, is `body-limit`, before the body is read.
 */
export const messagesChecks: readonly Check[] = [
  { id: 'a1', run: checkA1 },
  { id: 'unknown-key', run: checkUnknownKeys },
  { id: 'a2', run: checkA2 },
  { id: 'a3', run: checkA3 },
  {
    id: 'blind',
    run: ({ personality, pictures: [picture], rawText }) =>
      picture === undefined ? undefined : personality.blind?.refuse(picture, rawText),
  },
  { id: 'a4', run: checkA4 },
  { id: 'a5', run: checkA5 },
  { id: 'a6', run: checkA6 },
  { id: 'a7', run: checkA7 },
  { id: 'a8', run: checkA8 },
  { id: 'a9', run: checkA9 },
  { id: 'a10', run: checkA10 },
  { id: 'a11', run: checkA11 },
  { id: 'a12', run: checkA12 },
  { id: 'a13', run: checkA13 },
  { id: 'a14', run: checkA14 },
  { id: 'a15', run: checkA15 },
  { id: 'a16', run: checkA16 },
  { id: 'a17', run: checkA17 },
  { id: 'a18', run: checkA18 },
];
