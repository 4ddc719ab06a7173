import { describeProviderConformance } from '../../testing/provider-conformance.ts';
import { createOpenAiChatProvider } from './provider.ts';

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

const chunk = (choice: object, more: object = {}) =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'seer',
    choices: [{ index: 0, finish_reason: null, ...choice }],
    usage: null,
    ...more,
  });

const toolDelta = (delta: object) => chunk({ delta: { tool_calls: [delta] } });

const reasons = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  other: 'odd',
};

describeProviderConformance({
  wireApi: 'openai-chat',
  basePath: '/v1',
  callPath: '/v1/chat/completions',
  createProvider: (options) => createOpenAiChatProvider(options),
  start: chunk({ delta: { role: 'assistant', content: '' } }),
  text: (text) => chunk({ delta: { content: text } }),
  thinking: (text) => chunk({ delta: { reasoning_content: text, content: null } }),
  toolCallStart: ({ index, id, name }) => toolDelta({ index, id, type: 'function', function: { name, arguments: '' } }),
  toolCallArguments: ({ index, text }) => toolDelta({ index, function: { arguments: text } }),
  finish: (reason) => chunk({ delta: {}, finish_reason: reasons[reason] }),
  usage: event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17, prompt_tokens_details: { cached_tokens: 4 } },
  }),
  endMark: 'data: [DONE]\n\n',
  endsWithFinish: true,
  textWithUnknownFields: (text) =>
    chunk(
      { delta: { content: text, mood: { good: true } }, logprobs: null, matched_stop: 3 },
      { obfuscation: 'aB3xYz', service_tier: 'default', system_fingerprint: null },
    ),
  noise: ['event: ping\ndata: {"type":"ping"}\n\n', 'event: note\ndata: {"choices":null}\n\n', 'id: 7\nretry: 10\n\n'],
  streamError: ({ message, code }) => event({ error: { message, type: code, param: null, code } }),
  refusalBody: ({ message, code }) =>
    JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } }),
});
