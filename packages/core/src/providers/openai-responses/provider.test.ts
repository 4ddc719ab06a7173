import { describeProviderConformance } from '../../testing/provider-conformance.ts';
import type { FinishReason } from '../provider.ts';
import { createOpenAiResponsesProvider } from './provider.ts';

const event = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 1, ...fields })}\n\n`;

const response = (fields: object) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'seer',
  output: [],
  error: null,
  incomplete_details: null,
  usage: null,
  ...fields,
});

const incompleteReasons = { length: 'max_output_tokens', 'content-filter': 'content_filter', other: 'max_messages' };

const usage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 17,
};

function finish(reason: FinishReason, { withUsage = false } = {}): string {
  const counted = withUsage ? { usage } : {};
  if (reason === 'stop' || reason === 'tool-calls') {
    return event('response.completed', { response: response({ status: 'completed', ...counted }) });
  }
  const details = { incomplete_details: { reason: incompleteReasons[reason] } };
  return event('response.incomplete', { response: response({ status: 'incomplete', ...details, ...counted }) });
}

const textDelta = { item_id: 'msg_1', output_index: 1, content_index: 0, logprobs: [] };
const callPlace = (index: number) => ({ item_id: `fc_${index}`, output_index: 2 + index });

describeProviderConformance({
  wireApi: 'openai-responses',
  basePath: '/v1',
  callPath: '/v1/responses',
  createProvider: (options) => createOpenAiResponsesProvider(options),
  start:
    event('response.created', { response: response({ status: 'in_progress' }) }) +
    event('response.in_progress', { response: response({ status: 'in_progress' }) }),
  text: (delta) => event('response.output_text.delta', { ...textDelta, delta }),
  thinking: (delta) =>
    event('response.reasoning_summary_text.delta', { item_id: 'rs_1', output_index: 0, summary_index: 0, delta }),
  toolCallStart: ({ index, id, name }) =>
    event('response.output_item.added', {
      output_index: 2 + index,
      item: { type: 'function_call', id: `fc_${index}`, call_id: id, name, arguments: '', status: 'in_progress' },
    }),
  toolCallArguments: ({ index, text }) =>
    event('response.function_call_arguments.delta', { ...callPlace(index), delta: text }),
  finish,
  usage: '',
  endMark: '',
  endsWithFinish: true,
  textWithUnknownFields: (delta) =>
    event('response.output_text.delta', { ...textDelta, delta, obfuscation: 'aB3xYz', mood: { good: true } }),
  noise: [
    'event: keepalive\ndata: {"type":"keepalive","sequence_number":3}\n\n',
    event('response.content_part.added', { ...textDelta, part: { type: 'output_text', text: '', annotations: [] } }),
    event('response.web_search_call.searching', { item_id: 'ws_1', output_index: 9 }),
    event('response.output_item.added', { output_index: 9, item: { type: 'odd', content: 'odd' } }),
    'id: 7\nretry: 10\n\n',
  ],
  streamError: ({ message, code }) => event('error', { code, message, param: null }),
  refusalBody: ({ message, code }) =>
    JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } }),
});
