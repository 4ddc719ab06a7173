import { describe, expect, it } from 'vitest';
import { cliTexts } from './texts.ts';

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') return [String(value(['one'], ['two'], ['three']))];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return [];
}

describe('cliTexts', () => {
  it('punctuates Chinese in one style', () => {
    for (const text of textsIn(cliTexts('zh-CN'))) expect(text).not.toMatch(/[\uff01-\uff5e]/);
  });
});
