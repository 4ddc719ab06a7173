import { describeProviderConformance } from '../../testing/provider-conformance.ts';
import { createAnthropicMessagesProvider } from './provider.ts';

const event = (value: { readonly type: string; readonly [key: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

const delta = (index: number, value: object) => event({ type: 'content_block_delta', index, delta: value });

const reasons = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
  other: 'pause_turn',
};

/** Behind those of thinking and text. */
const CALL_INDEX = 2;

describeProviderConformance({
  wireApi: 'anthropic-messages',
  basePath: '',
  callPath: '/v1/messages',
  createProvider: (options) => createAnthropicMessagesProvider(options),
  start: event({
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'seer', content: [], stop_reason: null },
  }),
  text: (text) => delta(1, { type: 'text_delta', text }),
  thinking: (thinking) => delta(0, { type: 'thinking_delta', thinking }),
  toolCallStart: ({ index, id, name }) =>
    event({
      type: 'content_block_start',
      index: index + CALL_INDEX,
      content_block: { type: 'tool_use', id, name, input: {} },
    }),
  toolCallArguments: ({ index, text }) => delta(index + CALL_INDEX, { type: 'input_json_delta', partial_json: text }),
  finish: (reason) => event({ type: 'message_delta', delta: { stop_reason: reasons[reason], stop_sequence: null } }),
  usage: event({
    type: 'message_delta',
    delta: {},
    usage: { input_tokens: 5, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 },
  }),
  endMark: event({ type: 'message_stop' }),
  endsWithFinish: false,
  textWithUnknownFields: (text) =>
    event({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'text_delta', text, mood: { good: true } },
      obfuscation: 'aB3xYz',
    }),
  noise: [
    event({ type: 'ping' }),
    'event: note\ndata: {"choices":null}\n\n',
    event({ type: 'content_block_start', index: 9, content_block: { type: 'web_search_tool_result', text: 7 } }),
    event({ type: 'content_block_delta', index: 9, delta: { type: 'citations_delta', citation: {} } }),
    event({ type: 'content_block_stop', index: 9 }),
    'id: 7\nretry: 10\n\n',
  ],
  streamError: ({ message, code }) => event({ type: 'error', error: { type: code, message }, request_id: 'req_1' }),
  refusalBody: ({ message, code }) =>
    JSON.stringify({ type: 'error', error: { type: code, message }, request_id: 'req_1' }),
});
