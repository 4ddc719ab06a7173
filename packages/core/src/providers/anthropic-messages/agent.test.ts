import { findLimitRow, unknownLimitRow } from '../../catalog/limits.ts';
import { describeAgentConformance } from '../../testing/agent-conformance.ts';
import { createAnthropicMessagesProvider } from './provider.ts';

const createProvider = () => createAnthropicMessagesProvider();

describeAgentConformance({
  title: 'Messages, pictures inside of results, cache marks',
  createProvider,
  personality: 'anthropic-now',
  limitRow: findLimitRow('anthropic') ?? unknownLimitRow,
  endpoint: { cacheMarks: true, apiVersion: '2026-10-21' },
});

describeAgentConformance({
  title: 'Messages, pictures behind the results',
  createProvider,
  personality: 'deepseek-messages',
  limitRow: findLimitRow('deepseek-messages') ?? unknownLimitRow,
  endpoint: { keyHeader: 'x-api-key' },
});
