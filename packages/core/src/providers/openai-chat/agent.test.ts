import { limitRowFor } from '../../catalog/limits.ts';
import { describeAgentConformance } from '../../testing/agent-conformance.ts';
import { createOpenAiChatProvider } from './provider.ts';

describeAgentConformance({
  title: 'Chat Completions',
  createProvider: () => createOpenAiChatProvider(),
  personality: 'openai',
  limitRow: limitRowFor('openai', 'openai-chat'),
});
