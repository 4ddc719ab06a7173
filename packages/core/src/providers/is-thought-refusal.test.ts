import { describe, expect, it } from 'vitest';
import { createEndpointError } from './endpoint-error.ts';
import { isThoughtRefusal } from './is-thought-refusal.ts';

const context = { channel: 'lab', secrets: [] };

function judge(
  words: string,
  { code, status = 400 }: { readonly code?: string; readonly status?: number } = {},
): boolean {
  return isThoughtRefusal(createEndpointError({ words, ...(code !== undefined && { code }) }, context, { status }));
}

describe('isThoughtRefusal', () => {
  it('knows the words of every wire', () => {
    const refusals = [
      'messages.1.content.0: Invalid `signature` in `thinking` block',
      'messages.29.content.5: Invalid `data` in `redacted_thinking` block',
      'Invalid signature in thinking block',
      'messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
      'The encrypted content gAAA...DQ== could not be verified.',
      `The encrypted content for item rs_${'0'.repeat(48)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
      "Item with id 'rs_68c1' not found. Items are not persisted when `store` is set to false.",
    ];
    for (const words of refusals) expect([words, judge(words)]).toEqual([words, true]);
    expect(judge('no', { code: 'invalid_encrypted_content' })).toBe(true);
    // A gateway makes it a failure of its own.
    expect(judge('upstream: Invalid `signature` in `thinking` block', { status: 502 })).toBe(true);
  });

  it('takes no other refusal for one', () => {
    const others = [
      'messages.1: The final block in an assistant message cannot be `thinking`.',
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.',
      'Invalid request signature',
      'thinking.budget_tokens: Input should be greater than or equal to 1024',
      "Item with id 'msg_1' not found.",
      'The image data you provided does not represent a valid image',
    ];
    for (const words of others) expect([words, judge(words)]).toEqual([words, false]);
    expect(judge('Invalid `signature` in `thinking` block', { status: 401 })).toBe(false);
    expect(judge('Invalid `signature` in `thinking` block', { status: 429 })).toBe(false);
  });
});
