import { costOf } from '../catalog/cost-of.ts';
import type { ModelPrice } from '../catalog/models.ts';
import type { Cost } from '../content/events.ts';
import type { Transcript } from '../content/messages.ts';
import type { Usage } from '../content/usage.ts';

/** What one model used in a session, as the endpoint counted it. */
export interface ModelUsage extends Readonly<Usage> {
  /** `channel/model`. */
  readonly model: string;
  /** Stored answers that came with a count. */
  readonly answers: number;
  /** By the price that is known now; absent where none is. */
  readonly cost?: Cost;
}

export interface SessionUsage {
  /** In the order in which they first answered. */
  readonly models: readonly ModelUsage[];
  /** The sum of the known costs, one for each currency. */
  readonly costs: readonly Cost[];
}

/**
 * What the stored answers of a session used. Pure. Calls of which nothing was stored (a failure
 * before the first word) are not in it.
 *
 * @param priceOf the price of `channel/model`, where one is known.
 */
export function sumSessionUsage(
  transcript: Transcript,
  priceOf: (model: string) => ModelPrice | undefined,
): SessionUsage {
  const sums = new Map<string, Usage & { answers: number }>();
  for (const message of transcript) {
    if (message.role !== 'assistant' || message.usage === undefined) continue;
    const sum = sums.get(message.model) ?? { inputTokens: 0, cachedTokens: 0, outputTokens: 0, answers: 0 };
    sums.set(message.model, {
      inputTokens: sum.inputTokens + message.usage.inputTokens,
      cachedTokens: sum.cachedTokens + message.usage.cachedTokens,
      outputTokens: sum.outputTokens + message.usage.outputTokens,
      answers: sum.answers + 1,
    });
  }
  const models = [...sums].map(([model, sum]): ModelUsage => {
    const price = priceOf(model);
    return { model, ...sum, ...(price && { cost: costOf(sum, price) }) };
  });
  return { models, costs: sumCosts(models.flatMap(({ cost }) => (cost === undefined ? [] : [cost]))) };
}

function sumCosts(costs: readonly Cost[]): readonly Cost[] {
  return (['USD', 'CNY'] as const).flatMap((currency) => {
    const amounts = costs.filter((cost) => cost.currency === currency).map(({ amount }) => amount);
    if (amounts.length === 0) return [];
    // Each amount is a whole number of billionths: so is their sum.
    const billionths = amounts.reduce((sum, amount) => sum + Math.round(amount * 1e9), 0);
    return [{ amount: billionths / 1e9, currency }];
  });
}
