import { describe, expect, it } from 'vitest';
import { isAppError } from '../../base/app-error.ts';
import type { ProviderEvent } from '../provider.ts';
import { createChatAnswerReader } from './from-wire.ts';

const context = { channel: 'lab', secrets: [] };

function read(...values: readonly unknown[]): ProviderEvent[] {
  const reader = createChatAnswerReader(context);
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

const choice = (fields: object) => ({ choices: [{ index: 0, ...fields }] });
const delta = (fields: object) => choice({ delta: fields });
const end = choice({ delta: {}, finish_reason: 'stop' });

describe('createChatAnswerReader', () => {
  it('takes thinking from either name, and once when both say it', () => {
    const events = read(
      delta({ reasoning_content: 'a' }),
      delta({ reasoning: 'b' }),
      delta({ reasoning_content: 'c', reasoning: 'c' }),
      end,
    );
    expect(events.filter((event) => event.type === 'thinking-delta').map((event) => event.text)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('takes a refusal for words, and words in parts for words', () => {
    const events = read(
      delta({ refusal: 'No.' }),
      delta({ content: [{ type: 'text', text: 'Yes' }, { type: 'odd' }] }),
      end,
    );
    expect(events.filter((event) => event.type === 'text-delta').map((event) => event.text)).toEqual(['No.', 'Yes']);
  });

  it('ignores every choice but the first, and fields that are null', () => {
    const other = { choices: [{ index: 1, delta: { content: 'other' }, finish_reason: 'stop' }] };
    const empty = { choices: [{ index: 0, delta: null, finish_reason: null }], usage: null, error: null };
    expect(read(other, empty, delta({ content: 'x', tool_calls: null }), end).map((event) => event.type)).toEqual([
      'text-delta',
      'finish',
    ]);
  });

  it('knows the last usage, whoever counts the cached tokens and how', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
    const events = read(
      { ...delta({ content: 'x' }), usage: { ...usage, completion_tokens: 0 } },
      { ...end, usage: { ...usage, prompt_cache_hit_tokens: 7 } },
    );
    expect(events.at(-2)).toEqual({ type: 'usage', usage: { inputTokens: 9, cachedTokens: 7, outputTokens: 1 } });
    const odd = read({ ...end, usage: { prompt_tokens: 'many', completion_tokens: -1 } });
    expect(odd).toEqual([{ type: 'finish', reason: 'stop' }]);
  });

  it('is complete with an end mark alone', () => {
    expect(read(delta({ content: 'x' }), '[DONE]').at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('goes by the calls when the reason does not fit, and names odd reasons other', () => {
    const call = delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'read', arguments: '{}' } }] });
    const reasonOf = (...values: unknown[]) => read(...values).at(-1);
    expect(reasonOf(call, end)).toEqual({ type: 'finish', reason: 'tool-calls' });
    expect(reasonOf(choice({ finish_reason: 'tool_calls' }))).toEqual({ type: 'finish', reason: 'stop' });
    expect(reasonOf(choice({ finish_reason: 'sensitive' }))).toEqual({ type: 'finish', reason: 'other' });
    expect(reasonOf(call, choice({ finish_reason: 'length' }))).toEqual({ type: 'finish', reason: 'length' });
  });

  it('fails when the reason is an error', () => {
    expect(codeOf(() => read(choice({ finish_reason: 'error' })))).toBe('ENDPOINT_FAILED');
  });

  it('fails for an error in any form', () => {
    expect(codeOf(() => read({ error: 'Model does not support images.' }))).toBe('ENDPOINT_FAILED');
    expect(codeOf(() => read({ error: { code: 429, message: 'wait' } }))).toBe('ENDPOINT_RATE_LIMITED');
    expect(codeOf(() => read({ object: 'error', message: 'bad', code: 400 }))).toBe('ENDPOINT_REFUSED');
    const named = () =>
      createChatAnswerReader(context).readFrame({ name: 'error', data: 'overloaded', isUnterminated: false });
    expect(codeOf(named)).toBe('ENDPOINT_FAILED');
  });

  it('says that a chunk of an unknown form is not understood', () => {
    expect(codeOf(() => read({ choices: 'none' }))).toBe('STREAM_INVALID');
    expect(codeOf(() => read(delta({ tool_calls: [{ index: 'first' }] })))).toBe('STREAM_INVALID');
  });

  describe('tool calls', () => {
    const toolDelta = (...calls: readonly object[]) => delta({ tool_calls: calls });
    const callsOf = (...values: unknown[]) =>
      read(...values, end).flatMap((event) => (event.type === 'tool-call' ? [event.call] : []));

    it('come in the order of their indexes', () => {
      const calls = callsOf(
        toolDelta({ index: 1, id: 'b', function: { name: 'two', arguments: '{}' } }),
        toolDelta({ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } }),
      );
      expect(calls.map((call) => call.toolCallId)).toEqual(['a', 'b']);
    });

    it('are told apart by id when a gateway gives all the same index', () => {
      const calls = callsOf(
        toolDelta({ index: 0, id: 'a', function: { name: 'one', arguments: '{"x":1}' } }),
        toolDelta({ index: 0, id: 'b', function: { name: 'two', arguments: '{"y":' } }),
        toolDelta({ index: 0, function: { arguments: '2}' } }),
      );
      expect(calls.map((call) => [call.toolCallId, call.arguments])).toEqual([
        ['a', '{"x":1}'],
        ['b', '{"y":2}'],
      ]);
    });

    it('are one when a server repeats id and name with each fragment', () => {
      const calls = callsOf(
        toolDelta({ index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } }),
        toolDelta({ index: 0, id: 'a', function: { name: 'one', arguments: ':1}' } }),
      );
      expect(calls).toEqual([{ type: 'tool-call', toolCallId: 'a', name: 'one', arguments: '{"x":1}' }]);
    });

    it('need no index, and get an id when they have none', () => {
      const calls = callsOf(
        toolDelta({ function: { name: 'one', arguments: '{"x"' } }),
        toolDelta({ function: { arguments: ':1}' } }),
      );
      expect(calls).toHaveLength(1);
      expect(calls[0]).toMatchObject({ name: 'one', arguments: '{"x":1}' });
      expect(calls[0]?.toolCallId).toMatch(/^call_[0-9a-f]{24}$/);
    });

    it('may have arguments that are an object already, and empty ones are dropped', () => {
      const calls = callsOf(
        toolDelta(
          { index: 0, id: 'a', function: { name: 'one', arguments: { path: 'x' } } },
          { index: 1, function: { arguments: '' } },
        ),
      );
      expect(calls.map((call) => call.arguments)).toEqual(['{"path":"x"}']);
    });
  });

  describe('an answer that came whole', () => {
    const whole = (value: unknown) => {
      const reader = createChatAnswerReader(context);
      return [...reader.readWhole(JSON.stringify(value)), ...reader.end()];
    };

    it('is read like a stream', () => {
      const message = {
        role: 'assistant',
        content: 'x',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } }],
      };
      const usage = { prompt_tokens: 1, completion_tokens: 2 };
      expect(whole({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage })).toEqual([
        { type: 'text-delta', text: 'x' },
        { type: 'tool-call', call: { type: 'tool-call', toolCallId: 'c', name: 'read', arguments: '{}' } },
        { type: 'usage', usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 2 } },
        { type: 'finish', reason: 'tool-calls' },
      ]);
    });

    it('may be an error, or JSON of something else', () => {
      expect(codeOf(() => whole({ error: { message: 'bad', code: 400 } }))).toBe('ENDPOINT_REFUSED');
      expect(codeOf(() => whole({ status: 'ok' }))).toBe('ENDPOINT_NOT_AN_API');
      expect(codeOf(() => createChatAnswerReader(context).readWhole('{"choices":'))).toBe('STREAM_INVALID');
    });
  });
});
