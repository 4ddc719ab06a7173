import type { ResponseError, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { type AppError, isAppError } from '../../base/app-error.ts';
import { silentLogger } from '../../base/logger.ts';
import { createRecordingLogger } from '../../testing/conformance/harness.ts';
import type { ProviderEvent } from '../provider.ts';
import { createResponsesAnswerReader } from './from-wire.ts';

const context = { channel: 'lab', secrets: [] };

type EventType = ResponseStreamEvent['type'];

/** An event of the official union; fields that do not matter here are left out. */
const event = (type: EventType, fields: object = {}) => ({ type, sequence_number: 1, ...fields });

function read(...values: readonly unknown[]): ProviderEvent[] {
  const reader = createResponsesAnswerReader(context, silentLogger);
  const events: ProviderEvent[] = [];
  for (const value of values) {
    const data = typeof value === 'string' ? value : JSON.stringify(value);
    events.push(...reader.readFrame({ data, isUnterminated: false }));
  }
  return [...events, ...reader.end()];
}

function errorOf(attempt: () => unknown): AppError | undefined {
  try {
    attempt();
  } catch (error) {
    if (isAppError(error)) return error;
  }
  return undefined;
}

const codeOf = (attempt: () => unknown): string => errorOf(attempt)?.code ?? 'no error';

const wordsOf = (events: readonly ProviderEvent[], type: 'text-delta' | 'thinking-delta') =>
  events.flatMap((found) => (found.type === type && found.text !== '' ? [found.text] : []));
const callsOf = (events: readonly ProviderEvent[]) =>
  events.flatMap((found) => (found.type === 'tool-call' ? [found.call] : []));
const outlineOf = (events: readonly ProviderEvent[]) =>
  events.map((found) => {
    if (found.type === 'tool-call') return `call ${found.call.toolCallId}`;
    if (found.type === 'thinking-delta' && found.opaque !== undefined) return `opaque ${found.opaque}`;
    return 'text' in found ? `${found.type} ${found.text}` : found.type;
  });

const completed = (fields: object = {}) =>
  event('response.completed', { response: { status: 'completed', output: [], error: null, ...fields } });
const incomplete = (reason: string | null, fields: object = {}) =>
  event('response.incomplete', {
    response: { status: 'incomplete', output: [], incomplete_details: reason && { reason }, ...fields },
  });
const place = (index: number, id: string) => ({ output_index: index, item_id: id });
const text = (delta: string, at: object = place(0, 'msg_1')) =>
  event('response.output_text.delta', { ...at, content_index: 0, delta });
const item = (type: 'added' | 'done', index: number, given: object) =>
  event(`response.output_item.${type}`, { output_index: index, item: given });
const callItem = (id: string, more: object = {}) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'read',
  arguments: '',
  ...more,
});
const thought = (id: string, more: object = {}) => ({
  type: 'reasoning',
  id,
  summary: [],
  encrypted_content: 'x',
  ...more,
});
const message = (id: string, words: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: words, annotations: [] }],
});

describe('createResponsesAnswerReader', () => {
  it('takes refusals for words, and thoughts from summaries and texts, with a blank line between paragraphs', () => {
    const events = read(
      event('response.reasoning_summary_text.delta', { ...place(0, 'rs'), summary_index: 0, delta: 'a' }),
      event('response.reasoning_summary_text.delta', { ...place(0, 'rs'), summary_index: 1, delta: 'b' }),
      event('response.reasoning_text.delta', { ...place(1, 'rt'), content_index: 0, delta: 'c' }),
      event('response.refusal.delta', { ...place(2, 'msg'), content_index: 0, delta: 'No.' }),
      completed(),
    );
    expect(wordsOf(events, 'thinking-delta')).toEqual(['a', '\n\nb', 'c']);
    expect(wordsOf(events, 'text-delta')).toEqual(['No.']);
  });

  it('sets messages of one answer apart', () => {
    const events = read(
      text('I look.'),
      text('Red.', place(1, 'msg_2')),
      text(' Sure.', place(1, 'msg_2')),
      completed(),
    );
    expect(wordsOf(events, 'text-delta')).toEqual(['I look.', '\n\nRed.', ' Sure.']);
  });

  it('tells what deltas left out, once', () => {
    const events = read(
      text('Re'),
      event('response.output_text.done', { ...place(0, 'msg_1'), content_index: 0, text: 'Red' }),
      item('done', 0, message('msg_1', 'Red.')),
      completed({ output: [message('msg_1', 'Red.')] }),
    );
    expect(wordsOf(events, 'text-delta')).toEqual(['Re', 'd', '.']);
  });

  it('tells nothing twice when ids change from event to event', () => {
    const events = read(
      item('added', 0, { ...message('msg_a', ''), content: [] }),
      text('Red.', place(0, 'msg_b')),
      item('done', 0, message('msg_c', 'Red.')),
      item('added', 1, callItem('c', { id: 'fc_a' })),
      event('response.function_call_arguments.delta', { ...place(1, 'fc_b'), delta: '{}' }),
      item('done', 1, callItem('c', { id: 'fc_c', arguments: '{}' })),
      completed({ output: [message('msg_d', 'Red.'), callItem('c', { id: 'fc_d', arguments: '{}' })] }),
    );
    expect(outlineOf(events)).toEqual(['text-delta Red.', 'call c', 'finish']);
  });

  it('tells nothing twice when the whole answer at the end counts otherwise', () => {
    const events = read(
      item('done', 3, thought('rs_a')),
      text('Red.', place(4, 'msg_a')),
      item('added', 5, callItem('c', { id: 'fc_a' })),
      event('response.output_item.done', { item: callItem('c', { id: 'fc_b', arguments: '{"a":1}' }) }),
      completed({
        output: [thought('rs_b'), message('msg_b', 'Red.'), callItem('c', { id: 'fc_c', arguments: '{}' })],
      }),
    );
    expect(outlineOf(events)).toEqual([
      `opaque ${JSON.stringify(thought('rs_a'))}`,
      'text-delta Red.',
      'call c',
      'finish',
    ]);
    expect(callsOf(events).map((call) => call.arguments)).toEqual(['{"a":1}']);
  });

  it('finds items by their ids alone, and by nothing at all', () => {
    const byId = read(
      ...['a', 'b'].map((id) => event('response.output_item.added', { item: callItem(id) })),
      ...['a', 'b'].map((id) =>
        event('response.function_call_arguments.delta', { item_id: `fc_${id}`, delta: `"${id}"` }),
      ),
      completed(),
    );
    expect(callsOf(byId).map((call) => [call.toolCallId, call.arguments])).toEqual([
      ['a', '"a"'],
      ['b', '"b"'],
    ]);
    const byNothing = read(text('a', {}), text('b', {}), completed());
    expect(wordsOf(byNothing, 'text-delta')).toEqual(['a', 'b']);
  });

  it('takes an item that ends twice once', () => {
    const done = item('done', 0, thought('rs'));
    expect(outlineOf(read(done, done, completed()))).toEqual([`opaque ${JSON.stringify(thought('rs'))}`, 'finish']);
  });

  it('tells items apart when a server gives all the same place', () => {
    const events = read(
      item('added', 0, thought('rs')),
      item('done', 0, thought('rs')),
      item('done', 0, message('msg', 'Two.')),
      ...['a', 'b'].flatMap((id) => [
        item('added', 0, callItem(id)),
        event('response.function_call_arguments.delta', { ...place(0, `fc_${id}`), delta: `{"x":"${id}"}` }),
      ]),
      completed(),
    );
    expect(wordsOf(events, 'text-delta')).toEqual(['Two.']);
    expect(callsOf(events).map((call) => [call.toolCallId, call.arguments])).toEqual([
      ['a', '{"x":"a"}'],
      ['b', '{"x":"b"}'],
    ]);
  });

  it('takes from the end what the stream did not tell at all', () => {
    const rs = thought('rs', { summary: [{ type: 'summary_text', text: 'Hm.' }] });
    const output = [rs, message('msg', 'Red.'), callItem('c', { arguments: '{"a":1}' })];
    const events = read(event('response.created', { response: { output: [] } }), completed({ output }));
    expect(outlineOf(events)).toEqual([
      'thinking-delta Hm.',
      `opaque ${JSON.stringify(rs)}`,
      'text-delta Red.',
      'call c',
      'finish',
    ]);
  });

  it('keeps a thought whole from the event that ends it, and not from the one that begins it', () => {
    const done = thought('rs', { encrypted_content: 'gAAA+/==', status: 'completed', odd: { kept: [1] } });
    const events = read(
      item('added', 0, thought('rs', { encrypted_content: 'half' })),
      event('response.reasoning_summary_text.delta', { ...place(0, 'rs'), summary_index: 0, delta: 'Hm.' }),
      item('done', 0, done),
      text('Red.', place(1, 'msg')),
      completed({ output: [done] }),
    );
    expect(outlineOf(events)).toEqual([
      'thinking-delta Hm.',
      `opaque ${JSON.stringify(done)}`,
      'text-delta Red.',
      'finish',
    ]);
  });

  it('keeps the order of thoughts and calls', () => {
    const events = read(
      item('done', 0, thought('rs_1')),
      item('done', 1, callItem('c1', { arguments: '{}' })),
      item('done', 2, thought('rs_2')),
      item('done', 3, callItem('c2', { arguments: '{}' })),
      completed(),
    );
    expect(outlineOf(events)).toEqual([
      `opaque ${JSON.stringify(thought('rs_1'))}`,
      'call c1',
      `opaque ${JSON.stringify(thought('rs_2'))}`,
      'call c2',
      'finish',
    ]);
  });

  it('joins the arguments of calls that come interleaved, and believes the whole ones', () => {
    const piece = (index: number, delta: string) =>
      event('response.function_call_arguments.delta', { ...place(index, `fc_${index}`), delta });
    const events = read(
      item('added', 0, callItem('0')),
      item('added', 1, callItem('1')),
      piece(0, '{"a":'),
      piece(1, '{"b":'),
      piece(0, '1'),
      piece(1, 'lost'),
      event('response.function_call_arguments.done', { ...place(0, 'fc_0'), arguments: '{"a":1}' }),
      item('done', 1, callItem('1', { arguments: '{"b":2}' })),
      completed(),
    );
    expect(callsOf(events).map((call) => call.arguments)).toEqual(['{"a":1}', '{"b":2}']);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
  });

  it('gives calls in the order of the answer, whichever began first', () => {
    const events = read(item('added', 1, callItem('b')), item('added', 0, callItem('a')), completed());
    expect(callsOf(events).map((call) => call.toolCallId)).toEqual(['a', 'b']);
  });

  it('gives a call without an id one, and takes arguments that are an object', () => {
    const events = read(
      item('done', 0, { type: 'function_call', name: 'read', arguments: { path: 'x' } }),
      completed(),
    );
    expect(callsOf(events)).toMatchObject([{ name: 'read', arguments: '{"path":"x"}' }]);
    expect(callsOf(events)[0]?.toolCallId).toMatch(/^call_[0-9a-f]{24}$/);
  });

  it('says why an answer was broken off, and tells of no call that never came whole', () => {
    const half = [
      item('added', 0, callItem('c')),
      item('done', 0, callItem('c', { status: 'incomplete', arguments: '{"p' })),
    ];
    expect(outlineOf(read(...half, incomplete('max_output_tokens')))).toEqual(['finish']);
    const whole = item('done', 1, callItem('d', { status: 'completed', arguments: '{}' }));
    const events = read(...half, whole, incomplete('max_output_tokens'));
    expect(outlineOf(events)).toEqual(['call d', 'finish']);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'length' });
    expect(read(incomplete('content_filter')).at(-1)).toEqual({ type: 'finish', reason: 'content-filter' });
    expect(read(incomplete('steered')).at(-1)).toEqual({ type: 'finish', reason: 'other' });
    expect(read(incomplete(null)).at(-1)).toEqual({ type: 'finish', reason: 'other' });
  });

  it('keeps no thought that was broken off', () => {
    const events = read(item('done', 0, thought('rs', { status: 'incomplete' })), incomplete('max_output_tokens'));
    expect(outlineOf(events)).toEqual(['finish']);
  });

  it('counts tokens, the cached ones among them, and needs none', () => {
    const usage = { input_tokens: 9, output_tokens: 1, input_tokens_details: { cached_tokens: 7 } };
    expect(read(completed({ usage })).at(-2)).toEqual({
      type: 'usage',
      usage: { inputTokens: 9, cachedTokens: 7, outputTokens: 1 },
    });
    expect(read(completed({ usage: { ...usage, input_tokens_details: null } })).at(-2)).toMatchObject({
      usage: { cachedTokens: 0 },
    });
    for (const odd of [null, { input_tokens: 'many', output_tokens: -1 }]) {
      expect(read(completed({ usage: odd }))).toEqual([{ type: 'finish', reason: 'stop' }]);
    }
  });

  const imageCodes: readonly ResponseError['code'][] = [
    'invalid_image',
    'invalid_image_format',
    'invalid_base64_image',
    'invalid_image_url',
    'image_too_large',
    'image_too_small',
    'image_parse_error',
    'image_content_policy_violation',
    'invalid_image_mode',
    'image_file_too_large',
    'unsupported_image_media_type',
    'empty_image_file',
    'failed_to_download_image',
    'image_file_not_found',
  ];

  it.each(imageCodes)('keeps the code of a response that failed: %s', (code) => {
    const error = { code, message: 'The picture is bad.' };
    const failed = errorOf(() =>
      read(text('half'), event('response.failed', { response: { status: 'failed', error } })),
    );
    expect(failed?.code).toBe('ENDPOINT_REFUSED');
    expect(failed?.data).toEqual({ endpointCode: code, endpointMessage: 'The picture is bad.' });
  });

  it('fails for an error in any form', () => {
    const error = { code: 'rate_limit_exceeded', message: 'wait', param: 'input' };
    for (const value of [
      event('error', error),
      event('error', { error }),
      { error },
      event('response.failed', { response: { error } }),
      completed({ status: 'failed', error }),
    ]) {
      const failed = errorOf(() => read(value));
      expect(failed?.code).toBe('ENDPOINT_RATE_LIMITED');
      expect(failed?.data).toMatchObject({
        endpointCode: 'rate_limit_exceeded',
        endpointMessage: 'wait',
        param: 'input',
      });
    }
    expect(codeOf(() => read(event('response.failed', { response: { error: null, output: [] } })))).toBe(
      'ENDPOINT_FAILED',
    );
    const named = (data: string) => () =>
      createResponsesAnswerReader(context, silentLogger).readFrame({ name: 'error', data, isUnterminated: false });
    expect(codeOf(named('overloaded'))).toBe('ENDPOINT_FAILED');
    expect(codeOf(named('{"type":"rate_limit_error","message":"x"}'))).toBe('ENDPOINT_RATE_LIMITED');
  });

  it('is cut without its end, whatever a gateway puts there', () => {
    expect(codeOf(() => read(text('half'), item('done', 0, message('msg_1', 'half'))))).toBe('STREAM_CUT');
    expect(codeOf(() => read(text('half'), '[DONE]'))).toBe('STREAM_CUT');
    expect(read(text('x'), '[DONE]', completed()).at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('says that a known event of an unknown form is not understood', () => {
    for (const value of [
      event('response.output_text.delta', { delta: 7 }),
      event('response.output_item.done', { item: 'x' }),
      item('done', 0, callItem('c', { call_id: 7 })),
      event('response.function_call_arguments.delta', { delta: {} }),
      event('response.completed'),
    ]) {
      expect(codeOf(() => read(value, completed()))).toBe('STREAM_INVALID');
    }
  });

  it('ignores events and items that it does not know', () => {
    const events = read(
      event('response.web_search_call.completed', { item_id: 'ws' }),
      item('added', 0, { type: 'web_search_call', content: 'odd' }),
      item('done', 0, { type: 'web_search_call', content: 'odd' }),
      { type: 'response.new_thing.delta', delta: 'x' },
      { note: 1 },
      '7',
      completed({ output: [{ type: 'web_search_call', content: 'odd' }, null] }),
    );
    expect(events).toEqual([{ type: 'finish', reason: 'stop' }]);
  });

  it('logs what the endpoint left out of the request', () => {
    const { logger, lines } = createRecordingLogger();
    const reader = createResponsesAnswerReader(context, logger);
    const left = [{ type: 'reasoning_removed', reason: 'prefix_mismatch' }, {}];
    const data = JSON.stringify(completed({ input_transformations: left }));
    reader.readFrame({ data, isUnterminated: false });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { event: 'endpoint-changed-input', channel: 'lab', count: 2, reason: 'prefix_mismatch' },
    ]);
  });

  describe('an answer that came whole', () => {
    const whole = (value: unknown) => {
      const reader = createResponsesAnswerReader(context, silentLogger);
      return [...reader.readWhole(JSON.stringify(value)), ...reader.end()];
    };

    it('is read like a stream', () => {
      const usage = { input_tokens: 1, output_tokens: 2 };
      const output = [message('msg', 'x'), callItem('c', { arguments: '{}' })];
      expect(whole({ object: 'response', status: 'completed', error: null, output, usage })).toEqual([
        { type: 'text-delta', text: 'x' },
        { type: 'tool-call', call: { type: 'tool-call', toolCallId: 'c', name: 'read', arguments: '{}' } },
        { type: 'usage', usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 2 } },
        { type: 'finish', reason: 'tool-calls' },
      ]);
    });

    it('may be an error, unfinished, or JSON of something else', () => {
      expect(codeOf(() => whole({ error: { message: 'bad', code: 'invalid_image' } }))).toBe('ENDPOINT_REFUSED');
      const error = { code: 'server_error', message: 'x' };
      expect(codeOf(() => whole({ status: 'failed', output: [], error }))).toBe('ENDPOINT_FAILED');
      expect(codeOf(() => whole({ status: 'in_progress', output: [] }))).toBe('STREAM_CUT');
      expect(codeOf(() => whole({ status: 'ok' }))).toBe('ENDPOINT_NOT_AN_API');
      expect(codeOf(() => createResponsesAnswerReader(context, silentLogger).readWhole('{"output":'))).toBe(
        'STREAM_INVALID',
      );
    });
  });
});
