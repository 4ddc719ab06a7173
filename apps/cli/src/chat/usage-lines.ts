import type { Locale } from '@fovea/core/base';
import type { Cost } from '@fovea/core/content';
import type { SessionUsage } from '@fovea/server';
import { chatTexts } from './chat-texts.ts';

/** What a conversation has used: a line for each model, then the sum where there is one. */
export function usageLines({ models, costs }: SessionUsage, locale: Locale): readonly string[] {
  const texts = chatTexts(locale);
  if (models.length === 0) return [texts.nothingUsed];
  const lines = models.map(({ model, answers, inputTokens, cachedTokens, outputTokens, cost }) =>
    texts.usage({
      model,
      answers,
      input: inputTokens.toLocaleString('en'),
      cached: cachedTokens.toLocaleString('en'),
      output: outputTokens.toLocaleString('en'),
      cost: cost === undefined ? texts.costUnknown : formatCost(cost),
    }),
  );
  return costs.length === 0 || models.length === 1 ? lines : [...lines, texts.total(costs.map(formatCost).join(' + '))];
}

/** Small sums keep digits that say something: $0.0042, $1.37. */
export function formatCost({ amount, currency }: Cost): string {
  const sign = currency === 'USD' ? '$' : '¥';
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(amount))));
  return `${sign}${amount.toFixed(digits)}`;
}
