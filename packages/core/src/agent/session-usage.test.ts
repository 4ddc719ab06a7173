import { describe, expect, it } from 'vitest';
import type { ModelPrice } from '../catalog/models.ts';
import { sampleAssistantMessage, sampleUserMessage } from '../testing/sample-records.ts';
import { sumSessionUsage } from './session-usage.ts';

const usage = (inputTokens: number, cachedTokens: number, outputTokens: number) => ({
  inputTokens,
  cachedTokens,
  outputTokens,
});

const prices: Readonly<Record<string, ModelPrice>> = {
  'lab/seer': { input: 1, cached: 0.1, output: 10, currency: 'USD' },
  'lab/other': { input: 0.1, cached: 0, output: 0.2, currency: 'USD' },
  'fern/kan': { input: 2, cached: 1, output: 8, currency: 'CNY' },
};

describe('sumSessionUsage', () => {
  it('sums the tokens of each model in the order of its first answer, and the costs of each currency', () => {
    const { usage: _, ...uncounted } = sampleAssistantMessage('msg_6', { model: 'lab/seer' });
    const transcript = [
      sampleUserMessage('msg_1'),
      sampleAssistantMessage('msg_2', { model: 'lab/seer', usage: usage(1000, 500, 10) }),
      sampleAssistantMessage('msg_3', { model: 'fern/kan', usage: usage(100, 0, 10) }),
      sampleAssistantMessage('msg_4', { model: 'lab/seer', usage: usage(2000, 1000, 20) }),
      sampleAssistantMessage('msg_5', { model: 'lab/other', usage: usage(1, 0, 1) }),
      uncounted,
    ];
    expect(sumSessionUsage(transcript, (model) => prices[model])).toEqual({
      models: [
        {
          model: 'lab/seer',
          answers: 2,
          ...usage(3000, 1500, 30),
          cost: { amount: 0.00195, currency: 'USD' },
        },
        { model: 'fern/kan', answers: 1, ...usage(100, 0, 10), cost: { amount: 0.00028, currency: 'CNY' } },
        { model: 'lab/other', answers: 1, ...usage(1, 0, 1), cost: { amount: 0.0000003, currency: 'USD' } },
      ],
      costs: [
        { amount: 0.0019503, currency: 'USD' },
        { amount: 0.00028, currency: 'CNY' },
      ],
    });
  });

  it('tells no cost where no price is known', () => {
    const transcript = [sampleAssistantMessage('msg_1', { model: 'lab/seer' })];
    const { models, costs } = sumSessionUsage(transcript, () => undefined);
    expect(models).toEqual([{ model: 'lab/seer', answers: 1, ...usage(10, 0, 5) }]);
    expect(costs).toEqual([]);
  });
});
