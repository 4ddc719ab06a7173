import { describe, expect, it } from 'vitest';
import { isAppError } from '../../base/app-error.ts';
import type { ProviderEvent } from '../provider.ts';
import { createMessagesAnswerReader } from './from-wire.ts';

const context = { channel: 'lab', secrets: [] };

function read(...values: readonly unknown[]): ProviderEvent[] {
  const reader = createMessagesAnswerReader(context);
  const events: ProviderEvent[] = [];
  for (const value of values) {
    const data = typeof value === 'string' ? value : JSON.stringify(value);
    events.push(...reader.readFrame({ data, isUnterminated: false }));
  }
  return [...events, ...reader.end()];
}

function codeOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (isAppError(error)) return error.code;
  }
  return 'no error';
}

const blockStart = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block });
const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value });
const blockStop = (index: number) => ({ type: 'content_block_stop', index });
const start = (usage?: object) => ({ type: 'message_start', message: { role: 'assistant', content: [], usage } });
const reason = (stopReason: string | null, usage?: object) => ({
  type: 'message_delta',
  delta: { stop_reason: stopReason },
  ...(usage && { usage }),
});
const stop = { type: 'message_stop' };
const thought = (index: number, thinking: string, signature?: string) => [
  blockStart(index, { type: 'thinking', thinking: '', signature: '' }),
  delta(index, { type: 'thinking_delta', thinking }),
  ...(signature === undefined ? [] : [delta(index, { type: 'signature_delta', signature })]),
  blockStop(index),
];
const toolUse = (index: number, id: string, ...pieces: readonly string[]) => [
  blockStart(index, { type: 'tool_use', id, name: 'view_image', input: {} }),
  ...pieces.map((piece) => delta(index, { type: 'input_json_delta', partial_json: piece })),
  blockStop(index),
];
const text = (index: number, words: string) => [
  blockStart(index, { type: 'text', text: '' }),
  delta(index, { type: 'text_delta', text: words }),
  blockStop(index),
];

describe('createMessagesAnswerReader', () => {
  it('reads a whole answer as it is documented', () => {
    const events = read(
      start({ input_tokens: 7, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 1 }),
      { type: 'ping' },
      ...thought(0, 'Hm.', 'sig=='),
      ...text(1, 'I look.'),
      ...toolUse(2, 'toolu_1', '', '{"path":', '"a.png"}'),
      reason('tool_use', { output_tokens: 9 }),
      stop,
    );
    expect(events).toEqual([
      { type: 'thinking-delta', text: 'Hm.' },
      { type: 'thinking-delta', text: '', signature: 'sig==' },
      { type: 'text-delta', text: 'I look.' },
      {
        type: 'tool-call',
        call: { type: 'tool-call', toolCallId: 'toolu_1', name: 'view_image', arguments: '{"path":"a.png"}' },
      },
      { type: 'usage', usage: { inputTokens: 12, cachedTokens: 3, outputTokens: 9 } },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it('has no end without its mark, whatever reason was given', () => {
    expect(codeOf(() => read(start(), ...text(0, 'x'), reason('end_turn')))).toBe('STREAM_CUT');
    expect(read(start(), ...text(0, 'x'), stop).at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('names every reason', () => {
    const reasonOf = (name: string | null, ...blocks: object[]) => read(...blocks, reason(name), stop).at(-1);
    const reasons = {
      end_turn: 'stop',
      stop_sequence: 'stop',
      tool_use: 'stop',
      max_tokens: 'length',
      model_context_window_exceeded: 'length',
      refusal: 'content-filter',
      pause_turn: 'other',
      something_new: 'other',
    };
    for (const [name, expected] of Object.entries(reasons)) {
      expect(reasonOf(name), name).toEqual({ type: 'finish', reason: expected });
    }
    expect(reasonOf('end_turn', ...toolUse(0, 'a'))).toEqual({ type: 'finish', reason: 'tool-calls' });
    expect(reasonOf('max_tokens', ...toolUse(0, 'a'))).toEqual({ type: 'finish', reason: 'length' });
    expect(reasonOf('refusal', ...toolUse(0, 'a'))).toEqual({ type: 'finish', reason: 'content-filter' });
    expect(reasonOf(null)).toEqual({ type: 'finish', reason: 'stop' });
  });

  describe('usage', () => {
    const usageOf = (...values: unknown[]) => read(...values, stop).filter((event) => event.type === 'usage');

    it('of the end comes before that of the start, field by field', () => {
      const said = { input_tokens: 5, cache_read_input_tokens: 4, cache_creation_input_tokens: null, output_tokens: 6 };
      expect(
        usageOf(start({ input_tokens: 1, cache_creation_input_tokens: 2, output_tokens: 1 }), reason('end_turn', said)),
      ).toEqual([{ type: 'usage', usage: { inputTokens: 11, cachedTokens: 4, outputTokens: 6 } }]);
    });

    it('is not told when the end does not say it: the start has only begun to count', () => {
      expect(usageOf(start({ input_tokens: 5, output_tokens: 1 }), reason('end_turn'))).toEqual([]);
      expect(usageOf(start({ input_tokens: 5, output_tokens: 1 }), reason('end_turn', { output_tokens: -1 }))).toEqual(
        [],
      );
      expect(usageOf(start({ input_tokens: 'many' }), reason('end_turn', { output_tokens: 3 }))).toEqual([]);
    });
  });

  describe('thoughts', () => {
    const thoughtsOf = (...values: unknown[]) =>
      read(...values, reason('end_turn'), stop).filter((event) => event.type === 'thinking-delta');

    it('may be redacted, or be nothing but their proof', () => {
      expect(
        thoughtsOf(
          blockStart(0, { type: 'redacted_thinking', data: 'abc==' }),
          ...thought(1, '', 'sig=='),
          blockStart(2, { type: 'redacted_thinking' }),
        ),
      ).toEqual([
        { type: 'thinking-delta', text: '', opaque: 'abc==' },
        { type: 'thinking-delta', text: '', signature: 'sig==' },
      ]);
    });

    it('whose proof is missing never take that of the next', () => {
      expect(thoughtsOf(...thought(0, 'one'), ...thought(1, 'two', 'sig=='))).toEqual([
        { type: 'thinking-delta', text: 'one' },
        { type: 'thinking-delta', text: '', signature: '' },
        { type: 'thinking-delta', text: 'two' },
        { type: 'thinking-delta', text: '', signature: 'sig==' },
      ]);
      expect(thoughtsOf(...thought(0, 'one'), blockStart(1, { type: 'redacted_thinking', data: 'abc==' }))).toEqual([
        { type: 'thinking-delta', text: 'one' },
        { type: 'thinking-delta', text: '', signature: '' },
        { type: 'thinking-delta', text: '', opaque: 'abc==' },
      ]);
    });

    it('and words that follow a call keep their place behind it', () => {
      const events = read(
        ...thought(0, 'one', 'sig-1'),
        ...toolUse(1, 'toolu_1', '{}'),
        ...thought(2, 'two', 'sig-2'),
        ...text(3, 'And.'),
        ...toolUse(4, 'toolu_2', '{}'),
        reason('tool_use'),
        stop,
      );
      const order = events.map((event) => {
        if (event.type === 'tool-call') return event.call.toolCallId;
        return 'text' in event ? event.text || (event.type === 'thinking-delta' && event.signature) : event.type;
      });
      expect(order).toEqual(['one', 'sig-1', 'toolu_1', 'two', 'sig-2', 'And.', 'toolu_2', 'finish']);
    });
  });

  describe('tool calls', () => {
    const callsOf = (...values: unknown[]) =>
      read(...values, reason('tool_use'), stop).flatMap((event) => (event.type === 'tool-call' ? [event.call] : []));

    it('may begin with their whole input where a server streams none', () => {
      const whole = blockStart(0, { type: 'tool_use', id: 'a', name: 'n', input: { path: 'x' } });
      expect(callsOf(whole)[0]?.arguments).toBe('{"path":"x"}');
      expect(callsOf(whole, delta(0, { type: 'input_json_delta', partial_json: '{"path":"y"}' }))[0]?.arguments).toBe(
        '{"path":"y"}',
      );
    });

    it('get an id when they have none', () => {
      const [call] = callsOf(blockStart(0, { type: 'tool_use', name: 'n', input: {} }));
      expect(call).toMatchObject({ name: 'n', arguments: '' });
      expect(call?.toolCallId).toMatch(/^toolu_[0-9a-f]{24}$/);
    });
  });

  it('reads over blocks, deltas and events that are not known, whatever their form', () => {
    const events = read(
      blockStart(0, { type: 'web_search_tool_result', text: 7, data: [] }),
      delta(0, { type: 'citations_delta', citation: { text: 'x' } }),
      { type: 'message_limit', remaining: 3 },
      { object: 'keepalive' },
      '7',
      '[DONE]',
      ...text(1, 'seen'),
      stop,
    );
    expect(events.map((event) => event.type)).toEqual(['text-delta', 'finish']);
  });

  it('says that an event of its own is not understood', () => {
    for (const value of [
      blockStart(-1, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 7 }),
      { type: 'content_block_delta', index: 0 },
      { type: 'message_delta', delta: 'stop' },
      { type: 'message_start' },
    ]) {
      expect(
        codeOf(() => read(value)),
        JSON.stringify(value),
      ).toBe('STREAM_INVALID');
    }
  });

  describe('a failure', () => {
    it('is told in any form', () => {
      const error = (type: string) => ({ type: 'error', error: { type, message: 'no' } });
      expect(codeOf(() => read(error('overloaded_error')))).toBe('ENDPOINT_FAILED');
      expect(codeOf(() => read(error('rate_limit_error')))).toBe('ENDPOINT_RATE_LIMITED');
      expect(codeOf(() => read(error('authentication_error')))).toBe('ENDPOINT_UNAUTHORIZED');
      expect(codeOf(() => read(error('not_found_error')))).toBe('ENDPOINT_NOT_FOUND');
      expect(codeOf(() => read(error('invalid_request_error')))).toBe('ENDPOINT_REFUSED');
      expect(codeOf(() => read({ error: { message: 'bad', code: 400 } }))).toBe('ENDPOINT_REFUSED');
      expect(codeOf(() => read({ error: 'Model does not support images.' }))).toBe('ENDPOINT_FAILED');
      expect(codeOf(() => read({ type: 'error' }))).toBe('ENDPOINT_FAILED');
      for (const data of ['overloaded', '{"message":"no"}', '"no"']) {
        const frame = { name: 'error', data, isUnterminated: false };
        expect(
          codeOf(() => createMessagesAnswerReader(context).readFrame(frame)),
          data,
        ).toBe('ENDPOINT_FAILED');
      }
    });
  });

  describe('an answer that came whole', () => {
    const whole = (value: unknown) => {
      const reader = createMessagesAnswerReader(context);
      return [...reader.readWhole(JSON.stringify(value)), ...reader.end()];
    };

    it('is read like a stream', () => {
      const content = [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig==' },
        { type: 'redacted_thinking', data: 'abc==' },
        { type: 'odd', text: 7 },
        { type: 'text', text: 'x' },
        { type: 'tool_use', id: 'a', name: 'n', input: { path: 'y' } },
      ];
      const usage = { input_tokens: 1, cache_read_input_tokens: 4, output_tokens: 2 };
      expect(whole({ type: 'message', content, stop_reason: 'tool_use', usage })).toEqual([
        { type: 'thinking-delta', text: 'Hm.', signature: 'sig==' },
        { type: 'thinking-delta', text: '', opaque: 'abc==' },
        { type: 'text-delta', text: 'x' },
        { type: 'tool-call', call: { type: 'tool-call', toolCallId: 'a', name: 'n', arguments: '{"path":"y"}' } },
        { type: 'usage', usage: { inputTokens: 5, cachedTokens: 4, outputTokens: 2 } },
        { type: 'finish', reason: 'tool-calls' },
      ]);
    });

    it('may be an error, or JSON of something else', () => {
      expect(codeOf(() => whole({ type: 'error', error: { type: 'invalid_request_error', message: 'bad' } }))).toBe(
        'ENDPOINT_REFUSED',
      );
      expect(codeOf(() => whole({ status: 'ok' }))).toBe('ENDPOINT_NOT_AN_API');
      expect(codeOf(() => whole({ choices: [] }))).toBe('ENDPOINT_NOT_AN_API');
      expect(codeOf(() => createMessagesAnswerReader(context).readWhole('{"content":'))).toBe('STREAM_INVALID');
    });
  });
});
