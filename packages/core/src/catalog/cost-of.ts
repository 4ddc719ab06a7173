import type { ModelPrice } from './models.ts';

/** Prices are for so many tokens. */
const TOKENS_OF_PRICE = 1_000_000;
/** Amounts are told to a billionth: what is smaller is the dust of binary fractions. */
const STEPS_OF_UNIT = 1_000_000_000;

/** Tokens as an endpoint counts them; `inputTokens` includes the cached ones. */
export interface BilledTokens {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/** What the tokens cost, in the currency of the price. An endpoint that counts more cached tokens than input is taken to mean all. */
export function costOf(
  { inputTokens, cachedTokens, outputTokens }: BilledTokens,
  price: ModelPrice,
): { readonly amount: number; readonly currency: ModelPrice['currency'] } {
  const cached = Math.min(cachedTokens, inputTokens);
  const sum = (inputTokens - cached) * price.input + cached * price.cached + outputTokens * price.output;
  return { amount: Math.round((sum / TOKENS_OF_PRICE) * STEPS_OF_UNIT) / STEPS_OF_UNIT, currency: price.currency };
}
