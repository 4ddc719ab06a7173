import type { Check, CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import { checkReasoning, checkUserAfterTool } from './check-manners.ts';
import { checkC1, checkC2, checkC3, checkC4, checkC5, checkC6 } from './check-messages.ts';
import { checkC7, checkC8, checkC9, checkC10, checkC11, checkC12 } from './check-pictures.ts';
import { checkInnerKeys, checkShape, checkUnknownKeys } from './check-shape.ts';
import { checkC13, checkC14 } from './check-tools.ts';

/** The checks of the Chat Completions wire, in their order; the first that refuses answers. */
export const chatChecks: readonly Check[] = [
  { id: 'unknown-key', run: checkUnknownKeys },
  { id: 'blind', run: (input) => checkBlind(input, 'parse') },
  { id: 'shape', run: checkShape },
  { id: 'c1', run: checkC1 },
  { id: 'c2', run: checkC2 },
  { id: 'c3', run: checkC3 },
  { id: 'blind', run: (input) => checkBlind(input, 'content') },
  { id: 'c4', run: checkC4 },
  { id: 'c5', run: checkC5 },
  { id: 'order', run: checkUserAfterTool },
  { id: 'c6', run: checkC6 },
  { id: 'reasoning', run: checkReasoning },
  { id: 'inner-key', run: checkInnerKeys },
  { id: 'c7', run: checkC7 },
  { id: 'c8', run: checkC8 },
  { id: 'c9', run: checkC9 },
  { id: 'c10', run: checkC10 },
  { id: 'c11', run: checkC11 },
  { id: 'c12', run: checkC12 },
  { id: 'c13', run: checkC13 },
  { id: 'c14', run: checkC14 },
];

function checkBlind(input: CheckInput, at: 'parse' | 'content'): CheckRefusal | undefined {
  const { blind } = input.personality;
  const [picture] = input.pictures;
  return blind?.at === at && picture !== undefined ? blind.refuse(picture, input.rawText) : undefined;
}
