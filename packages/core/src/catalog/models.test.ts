import { describe, expect, it } from 'vitest';
import { findModel, models, tokenFamilyFor } from './models.ts';
import { findSupplier } from './suppliers.ts';

describe('models', () => {
  it('has one row for each model, of a supplier that exists', () => {
    const names = models.map((model) => `${model.supplier}/${model.id}`);
    expect(new Set(names).size).toBe(names.length);
    expect(models.filter((model) => findSupplier(model.supplier) === undefined)).toEqual([]);
  });

  it('knows who sees', () => {
    expect(findModel('deepseek', 'deepseek-flash')).toMatchObject({ imageInput: 'yes', tokenFamily: 'deepseek' });
    expect(findModel('openai', 'gpt-4o')).toMatchObject({ imageInput: 'yes', tokenFamily: 'openai-gpt-4o' });
    expect(findModel('offline', 'reader')).toMatchObject({ imageInput: 'yes', tokenFamily: 'offline' });
  });

  it('knows who does not see', () => {
    expect(findModel('deepseek', 'deepseek-v4-pro')?.imageInput).toBe('no');
    expect(findModel('zhipu', 'glm-5.3')?.imageInput).toBe('no');
  });

  it('states prices with their currency, cached input no dearer than other, and none where none is known', () => {
    expect(findModel('openai', 'gpt-6.2-sol')?.price).toEqual({ input: 2, cached: 0.1, output: 10, currency: 'USD' });
    expect(findModel('dashscope', 'qwen3.8-flash')?.price).toMatchObject({ input: 0.8, currency: 'CNY' });
    expect(findModel('anthropic', 'claude-haiku-5-5')?.price).toBeUndefined();
    expect(findModel('openai', 'gpt-5.6-sol')?.price).toBeUndefined();
    for (const { id, price } of models) {
      if (price === undefined) continue;
      expect(price.cached, id).toBeGreaterThan(0);
      expect(price.cached, id).toBeLessThanOrEqual(price.input);
      expect(price.output, id).toBeGreaterThan(price.input);
    }
  });

  it('says nothing of a model that it does not know, whatever its name promises', () => {
    expect(findModel('openai', 'gpt-4-vision-preview')).toBeUndefined();
    expect(findModel('custom', 'gpt-4o')).toBeUndefined();
    expect(findModel('openai', 'GPT-4o')).toBeUndefined();
  });
});

describe('tokenFamilyFor', () => {
  it('takes the model, else the supplier, else unknown', () => {
    expect(tokenFamilyFor('anthropic', 'claude-sonnet-4-5')).toBe('anthropic-standard');
    expect(tokenFamilyFor('anthropic', 'claude-of-tomorrow')).toBe('anthropic-high');
    expect(tokenFamilyFor('ollama', 'qwen3-vl')).toBe('ollama');
    expect(tokenFamilyFor('nobody', 'x')).toBe('unknown');
  });
});
