import type { Usage } from '../../content/usage.ts';
import { type MessagesUsage, messagesUsageValidator } from './wire-schema.ts';

/** Puts together what an answer says of its tokens at its start and, cumulative, at its end. */
export interface UsageReader {
  readStart(usage: unknown): void;
  readEnd(usage: unknown): void;
  /** `undefined` unless the end was counted: until then the output is only begun. */
  result(): Usage | undefined;
}

export function createUsageReader(): UsageReader {
  let known: MessagesUsage = {};
  let outputTokens: number | undefined;

  function merge(usage: unknown): MessagesUsage | undefined {
    if (!messagesUsageValidator.Check(usage)) return undefined;
    const said = Object.entries(usage).filter(([, count]) => typeof count === 'number');
    known = { ...known, ...Object.fromEntries(said) };
    return usage;
  }

  return {
    readStart(usage) {
      merge(usage);
    },
    readEnd(usage) {
      outputTokens = merge(usage)?.output_tokens ?? outputTokens;
    },
    result() {
      const { input_tokens: fresh, cache_creation_input_tokens: written, cache_read_input_tokens: read } = known;
      if (outputTokens === undefined || typeof fresh !== 'number') return undefined;
      // The wire counts cached tokens apart.
      return { inputTokens: fresh + (written ?? 0) + (read ?? 0), cachedTokens: read ?? 0, outputTokens };
    },
  };
}
