import type { LimitRow } from '../../catalog/limit-row.ts';
import { findLimitRow, unknownLimitRow } from '../../catalog/limits.ts';
import { describeAgentConformance } from '../../testing/agent-conformance.ts';
import { createOpenAiResponsesProvider } from './provider.ts';

const createProvider = () => createOpenAiResponsesProvider();

function rowOf(id: string, more: Partial<LimitRow> = {}): LimitRow {
  return { ...(findLimitRow(id) ?? unknownLimitRow), ...more };
}

describeAgentConformance({
  title: 'Responses, pictures behind the outputs',
  createProvider,
  personality: 'openai',
  limitRow: rowOf('openai-responses'),
});

describeAgentConformance({
  title: 'Responses, pictures inside of outputs',
  createProvider,
  personality: 'openai',
  limitRow: rowOf('openai-responses', { toolImages: 'inline' }),
});

describeAgentConformance({
  title: 'Responses in strict pairs, pictures behind the outputs',
  createProvider,
  personality: 'deepseek-vision',
  limitRow: rowOf('deepseek-responses'),
  endpoint: { strictPairs: true },
});

describeAgentConformance({
  title: 'Responses in strict pairs, pictures inside of outputs',
  createProvider,
  personality: 'deepseek-vision',
  limitRow: rowOf('deepseek-responses', { toolImages: 'inline' }),
  endpoint: { strictPairs: true },
});

describeAgentConformance({
  title: 'a clone of Responses whose outputs are words',
  createProvider,
  personality: 'responses-strings',
  limitRow: rowOf('xai'),
});
