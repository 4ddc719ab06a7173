import { checkC7, checkC8, checkC9, checkC10, checkC11, checkC12 } from '../chat/check-pictures.ts';
import type { Check, CheckInput } from '../check.ts';
import { type CheckFailure, type CheckRefusal, toFailure } from '../check-failure.ts';
import type { Personality } from '../personality.ts';
import { checkR1, checkR2, checkR3, checkR4, checkR5, checkR6, checkTools } from './check-items.ts';
import { checkR8, checkR9 } from './check-memory.ts';
import { checkInnerKeys, checkR10, checkShape, checkUnknownKeys } from './check-shape.ts';

/** The checks of the Responses wire, in their order; the first that refuses answers. */
export const responsesChecks: readonly Check[] = [
  { id: 'unknown-key', run: checkUnknownKeys },
  { id: 'shape', run: checkShape },
  { id: 'r10', run: checkR10 },
  { id: 'r1', run: checkR1 },
  { id: 'r2', run: checkR2 },
  { id: 'blind', run: checkBlind },
  { id: 'r3', run: checkR3 },
  { id: 'r4', run: checkR4 },
  { id: 'r5', run: checkR5 },
  { id: 'r6', run: checkR6 },
  { id: 'inner-key', run: checkInnerKeys },
  { id: 'r8', run: checkR8 },
  { id: 'r7', run: checkPictures },
  { id: 'r9', run: checkR9 },
  { id: 'tools', run: checkTools },
];

function checkBlind({ pictures, personality, rawText }: CheckInput): CheckRefusal | undefined {
  const [picture] = pictures;
  if (personality.blind === undefined || picture === undefined) return undefined;
  return { ...personality.blind.refuse(picture, rawText), param: picture.param.replace(/\.image_url$/, '') };
}

const pictureChecks: readonly Check[] = [
  { id: 'c7', run: checkC7 },
  { id: 'c8', run: checkC8 },
  { id: 'c9', run: checkC9 },
  { id: 'c10', run: checkC10 },
  { id: 'c11', run: checkC11 },
  { id: 'c12', run: checkC12 },
];

/** As on Chat, in the words of the personality. Files are judged by r8, but count. */
function checkPictures(input: CheckInput): CheckRefusal | undefined {
  const { limits, responses } = input.personality;
  const personality = { ...input.personality, limits: { ...limits, ...responses?.limits } };
  const shown = input.pictures.filter(({ source }) => source.kind !== 'file');
  for (const { id, run } of pictureChecks) {
    const refusal = run({ ...input, personality, pictures: id === 'c11' ? input.pictures : shown });
    if (refusal === undefined) continue;
    const { message, param, code, status, type } = sayAs(personality, toFailure(id, refusal));
    return {
      ...{ message, status, type },
      ...(param !== null && { param: param === 'messages' ? 'input' : param }),
      ...(code !== null && { code }),
    };
  }
  return undefined;
}

function sayAs({ reword }: Personality, failure: CheckFailure): CheckFailure {
  return reword?.(failure) ?? failure;
}
