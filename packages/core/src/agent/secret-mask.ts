import { isRecord } from '../base/parse-json.ts';
import type { Secret } from '../base/secret.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { hideKeys, maskNeedles } from '../providers/secret-filter.ts';

/** A shorter value may be a word that any text holds. */
const MIN_SECRET_CHARACTERS = 8;

/** The last filter before anything of a turn is stored or told (requirement R206). */
export interface SecretMask {
  text(text: string): string;
  /** Every text inside a value of plain data; the same value where nothing had to go. */
  value<Value>(value: Value): Value;
  /** The events of an answer, also where a secret lies over several of them. */
  answer(events: AsyncIterable<ProviderEvent>): AsyncIterable<ProviderEvent>;
}

/** Replaces the literal values of `secrets`, as they are and as JSON writes them, by `[secret]`. */
export function createSecretMask(secrets: readonly Secret[]): SecretMask {
  const values = secrets.map((secret) => secret.reveal()).filter((value) => value.length >= MIN_SECRET_CHARACTERS);
  const needles = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))];
  needles.sort((one, other) => other.length - one.length);
  const mask = (text: string): string => maskNeedles(text, needles);
  return {
    text: mask,
    // Plain data stays plain data of the same shape: only texts inside it change.
    value: (value) => (needles.length === 0 ? value : (maskTexts(value, mask) as typeof value)),
    answer: (events) => hideKeys(events, values),
  };
}

function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const masked = items.map((item) => maskTexts(item, mask));
    return masked.every((item, index) => item === items[index]) ? value : masked;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const masked = entries.map(([key, item]): [string, unknown] => [key, maskTexts(item, mask)]);
  return masked.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(masked);
}
