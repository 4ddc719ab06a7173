import type { Locale } from '../base/locale.ts';
import type { Refusal } from '../base/refusal.ts';
import type { RefusedItem } from './events.ts';
import { refusalText } from './refusal-texts.ts';

/** A refusal of the turn's item number `index`, counted from 0, in the user's words. */
export function toRefusedItem(index: number, refusal: Refusal, locale: Locale): RefusedItem {
  const { code, name, actual, limit, trueType, truncated } = refusal;
  return {
    index,
    name,
    code,
    message: refusalText(refusal, locale),
    ...(actual !== undefined && { actual }),
    ...(limit !== undefined && { limit }),
    ...(trueType !== undefined && { trueType }),
    ...(truncated !== undefined && { truncated }),
  };
}
