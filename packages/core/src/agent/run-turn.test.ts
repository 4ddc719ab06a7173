import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import type { FoveaEvent } from '../content/events.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { answerOf, createTurnHarness, outlineOf } from '../testing/create-turn-harness.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { makeCall } from '../testing/make-transcript.ts';
import { createScriptedProvider, type ScriptedCall } from '../testing/scripted-provider.ts';
import type { Tool, ToolOutcome } from '../tools/tool.ts';

const usage = { inputTokens: 5, cachedTokens: 1, outputTokens: 2 };

function says(text: string): readonly ProviderEvent[] {
  return [
    { type: 'text-delta', text },
    { type: 'usage', usage },
    { type: 'finish', reason: 'stop' },
  ];
}

function calls(...ids: readonly string[]): readonly ProviderEvent[] {
  return [
    ...ids.map((id): ProviderEvent => ({ type: 'tool-call', call: makeCall(id, 'look', `{"id":"${id}"}`) })),
    { type: 'usage', usage },
    { type: 'finish', reason: 'tool-calls' },
  ];
}

function fails(error: AppError): readonly ProviderEvent[] {
  return [{ type: 'error', error }];
}

function lookTool(run: Tool['run'] = async () => ({ isError: false, content: 'seen', attachments: [] })): Tool {
  return {
    name: 'look',
    effect: 'read',
    definition: () => ({ name: 'look', description: 'Looks.', parameters: { type: 'object' } }),
    activity: () => ({ kind: 'READ', target: 'a.png' }),
    run,
  };
}

function harnessWith(script: readonly ScriptedCall[], tools: readonly Tool[] = [lookTool()], maxSteps = 20) {
  const provider = createScriptedProvider(script);
  return { provider, ...createTurnHarness({ provider, tools, maxSteps }) };
}

const red = makeTwoColorPng({ left: 'red', right: 'red' });
const size = { widthPx: 64, heightPx: 32 };

function endOf(events: readonly FoveaEvent[]) {
  return events.at(-1);
}

describe('runTurn', () => {
  it('tells of a turn with a tool in this order', async () => {
    const { submit } = harnessWith([
      [{ type: 'thinking-delta', text: 'hm' }, { type: 'text-delta', text: 'I look.' }, ...calls('c1')],
      says('It is red.'),
    ]);
    const events = await submit('what is it?');
    expect(outlineOf(events)).toEqual([
      'turn-accepted',
      'step-start',
      'request',
      'thinking-delta',
      'text-delta',
      'request-end',
      'tool-call',
      'tool-result',
      'usage',
      'step-end',
      'step-start',
      'request',
      'text-delta',
      'request-end',
      'usage',
      'step-end',
      'turn-end',
    ]);
    expect(events[0]).toEqual({
      type: 'turn-accepted',
      sessionId: 'ses_1',
      turnId: 'turn_1',
      submissionId: 'sub_1',
    });
    expect(events[1]).toEqual({ type: 'step-start', step: 1, model: 'lab/seer' });
    expect(events.find(({ type }) => type === 'tool-call')).toEqual({
      type: 'tool-call',
      toolCallId: 'c1',
      name: 'look',
      arguments: '{"id":"c1"}',
      activity: { kind: 'READ', target: 'a.png' },
    });
    expect(events.filter(({ type }) => type === 'request')).toMatchObject([
      { request: 1, step: 1 },
      { request: 2, step: 2 },
    ]);
    expect(events.find(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      step: 1,
      model: 'lab/seer',
      ...usage,
    });
    expect(endOf(events)).toEqual({ type: 'turn-end', status: 'completed' });
  });

  it('stores the message exactly as typed, every answer and every result, and nothing synthetic', async () => {
    const { submit, attach, transcript, records } = harnessWith([calls('c1', 'c2'), says('Both are red.')]);
    const picture = await attach('a.png', red, size);
    const typed = ' see  @b.png\n';
    await submit(typed, { images: [picture] });
    const messages = await transcript();
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
    expect(messages[0]).toMatchObject({ content: typed, imageInputs: [{ attachment: picture }] });
    expect(messages[1]).toMatchObject({ model: 'lab/seer', status: 'completed', usage });
    expect(messages[2]).toMatchObject({ toolCallId: 'c1', toolName: 'look', content: 'seen', isError: false });
    expect(messages[4]).toMatchObject({ parts: [{ type: 'text', text: 'Both are red.' }] });
    expect(records.turns()).toMatchObject([{ id: 'turn_1', submissionId: 'sub_1', status: 'completed' }]);
  });

  it('asks the model with the head of the session, its tools, and what the channel sets', async () => {
    const { submit, session, provider } = harnessWith([says('hello')]);
    await submit('hello');
    expect(provider.requests[0]).toMatchObject({
      model: 'seer',
      messages: [{ role: 'system', text: 'You look at pictures.' }, { role: 'user' }],
      tools: session.promptHead.tools,
    });
  });

  it('tells of a picture once, and again only in a session or variant that is new to the endpoint', async () => {
    const { submit, attach } = harnessWith([calls('c1'), says('red'), says('still red')]);
    const first = await submit('what?', { images: [await attach('a.png', red, size)] });
    const second = await submit('sure?');
    const changed = [...first, ...second].flatMap((event) => {
      return event.type === 'request' ? [[event.imagesTotal, event.imagesChanged.length]] : [];
    });
    expect(changed).toEqual([
      [1, 1],
      [1, 0],
      [1, 0],
    ]);
  });

  it('keeps the message of a turn that the endpoint failed, stores no answer, and the next turn works', async () => {
    const failure = new AppError('ENDPOINT_FAILED', 'overloaded');
    const { submit, transcript, records } = harnessWith([fails(failure), says('hello')]);
    const events = await submit('first');
    expect(outlineOf(events)).toEqual([
      'turn-accepted',
      'step-start',
      'request',
      'request-end',
      'step-end',
      'turn-end',
    ]);
    expect(endOf(events)).toEqual({
      type: 'turn-end',
      status: 'failed',
      error: { code: 'ENDPOINT_FAILED', message: 'overloaded' },
    });
    expect((await transcript()).map(({ role }) => role)).toEqual(['user']);
    expect(records.turns()).toMatchObject([{ status: 'failed', error: { code: 'ENDPOINT_FAILED' } }]);
    expect(endOf(await submit('second'))).toMatchObject({ status: 'completed' });
    expect((await transcript()).map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });

  it('stores nothing of a stream that was cut', async () => {
    const { submit, transcript } = harnessWith([
      [{ type: 'text-delta', text: 'It i' }, ...fails(new AppError('STREAM_CUT', 'cut'))],
      says('It is red.'),
    ]);
    const events = await submit('first');
    expect(events.find(({ type }) => type === 'request-end')).toMatchObject({ accepted: true, code: 'STREAM_CUT' });
    expect(endOf(events)).toMatchObject({ status: 'failed', error: { code: 'STREAM_CUT' } });
    expect(await transcript()).toHaveLength(1);
    expect(answerOf(await submit('second'))).toBe('It is red.');
  });

  it('answers broken arguments and unknown tools with results that the model can correct', async () => {
    const broken: readonly ProviderEvent[] = [
      { type: 'tool-call', call: makeCall('c1', 'look', '{"id":') },
      { type: 'tool-call', call: makeCall('c2', 'see', '{}') },
      { type: 'finish', reason: 'tool-calls' },
    ];
    const { submit, provider } = harnessWith([broken, says('sorry')]);
    const events = await submit('first');
    const results = events.filter(({ type }) => type === 'tool-result');
    expect(results).toMatchObject([
      { toolCallId: 'c1', isError: true, result: expect.stringContaining('not valid JSON') },
      { toolCallId: 'c2', isError: true, result: expect.stringContaining('The tools are: look.') },
    ]);
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain('invalid_arguments');
  });

  it('gives repeated call ids of an endpoint names of their own', async () => {
    const { submit, transcript } = harnessWith([calls('call_0', 'call_0'), calls('call_0'), says('ok')]);
    const events = await submit('first');
    const ids = events.flatMap((event) => (event.type === 'tool-result' ? [event.toolCallId] : []));
    expect(ids).toEqual(['call_0', 'call_0_2', 'call_0_3']);
    const stored = (await transcript()).flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
    expect(stored).toEqual(ids);
  });

  it('ends after the last allowed step and says so', async () => {
    const { submit, transcript } = harnessWith([calls('c1'), calls('c2'), says('done')], [lookTool()], 2);
    expect(endOf(await submit('first'))).toMatchObject({
      status: 'failed',
      error: { code: 'STEP_LIMIT', message: expect.stringContaining('2 steps') },
    });
    expect((await transcript()).at(-1)).toMatchObject({ role: 'tool', toolCallId: 'c2' });
    expect(answerOf(await submit('go on'))).toBe('done');
  });

  it('keeps a cut answer and says that the output limit was reached', async () => {
    const { submit, transcript } = harnessWith([
      [
        { type: 'text-delta', text: 'It is' },
        { type: 'finish', reason: 'length' },
      ],
    ]);
    expect(endOf(await submit('first'))).toMatchObject({ status: 'failed', error: { code: 'OUTPUT_LIMIT' } });
    expect((await transcript()).at(-1)).toMatchObject({ role: 'assistant', parts: [{ text: 'It is' }] });
  });

  it('fails a turn whose records cannot be written, and says which fault it was', async () => {
    const { submit, records } = harnessWith([calls('c1')]);
    const append = records.appendMessages.bind(records);
    records.appendMessages = async (sessionId, messages) => {
      if (messages.some(({ role }) => role === 'tool')) throw new AppError('STORE_UNAVAILABLE', 'disk full');
      await append(sessionId, messages);
    };
    expect(endOf(await submit('first'))).toMatchObject({ status: 'failed', error: { code: 'STORE_UNAVAILABLE' } });
    expect(records.turns()).toMatchObject([{ status: 'failed' }]);
  });

  it('throws when the turn itself cannot be stored', async () => {
    const { submit, records } = harnessWith([says('never')]);
    records.startTurn = () => Promise.reject(new AppError('STORE_UNAVAILABLE', 'disk full'));
    await expect(submit('first')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe('runTurn, stopped', () => {
  it('sends nothing when the stop was there first', async () => {
    const { submit, provider, records } = harnessWith([says('never')]);
    const events = await submit('first', { signal: AbortSignal.abort() });
    expect(endOf(events)).toEqual({ type: 'turn-end', status: 'stopped' });
    expect(provider.requests).toHaveLength(0);
    expect(records.turns()).toMatchObject([{ status: 'stopped' }]);
  });

  it('keeps the words that were said, marked as a part, and no call', async () => {
    const controller = new AbortController();
    const { submit, transcript } = harnessWith([
      [{ type: 'text-delta', text: 'It is' }, ...calls('c1')],
      says('It is red.'),
    ]);
    const events = await submit('first', {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'text-delta') controller.abort();
      },
    });
    expect(endOf(events)).toEqual({ type: 'turn-end', status: 'stopped' });
    expect((await transcript()).slice(1)).toMatchObject([
      { role: 'assistant', status: 'interrupted', parts: [{ type: 'text', text: 'It is' }] },
    ]);
    expect(endOf(await submit('second'))).toMatchObject({ status: 'completed' });
  });

  it('does not keep a call that had arrived before the stop', async () => {
    const controller = new AbortController();
    const { submit, transcript } = harnessWith([
      function* () {
        yield { type: 'text-delta', text: 'I look.' };
        yield { type: 'tool-call', call: makeCall('c1', 'look') };
        controller.abort();
        yield { type: 'finish', reason: 'tool-calls' };
      },
    ]);
    expect(endOf(await submit('first', { signal: controller.signal }))).toMatchObject({ status: 'stopped' });
    expect((await transcript()).at(-1)).toMatchObject({ parts: [{ type: 'text', text: 'I look.' }] });
  });

  it('is stopped, not failed, when the stop comes while pictures are prepared', async () => {
    const controller = new AbortController();
    const { submit, attach, blobs, provider } = harnessWith([says('never')]);
    const picture = await attach('a.png', red, size);
    blobs.get = async () => {
      controller.abort();
      throw new AppError('STORE_UNAVAILABLE', 'closed because of the stop');
    };
    expect(endOf(await submit('first', { images: [picture], signal: controller.signal }))).toEqual({
      type: 'turn-end',
      status: 'stopped',
    });
    expect(provider.requests).toHaveLength(0);
  });

  it('tells the usage of a step once when the stop comes between two steps', async () => {
    const controller = new AbortController();
    const { submit } = harnessWith([calls('c1'), says('never')]);
    const events = await submit('first', {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'step-start' && event.step === 2) controller.abort();
      },
    });
    expect(events.filter(({ type }) => type === 'usage')).toMatchObject([{ step: 1 }]);
    expect(outlineOf(events).slice(-3)).toEqual(['step-start', 'step-end', 'turn-end']);
  });

  it('answers the calls that have no result as cancelled, so that the next turn is valid', async () => {
    const controller = new AbortController();
    const run = (toolArguments: unknown): Promise<ToolOutcome> =>
      JSON.stringify(toolArguments).includes('c1')
        ? Promise.resolve({ isError: false, content: 'seen', attachments: [] })
        : new Promise(() => {});
    const { submit, transcript, provider } = harnessWith([calls('c1', 'c2', 'c3'), says('ok')], [lookTool(run)]);
    const events = await submit('first', {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'tool-result') controller.abort();
      },
    });
    expect(endOf(events)).toEqual({ type: 'turn-end', status: 'stopped' });
    expect((await transcript()).slice(2)).toMatchObject([
      { toolCallId: 'c1', content: 'seen' },
      { toolCallId: 'c2', content: expect.stringMatching(/^Cancelled/) },
      { toolCallId: 'c3', content: expect.stringMatching(/^Cancelled/) },
    ]);
    expect(endOf(await submit('second'))).toMatchObject({ status: 'completed' });
    expect(provider.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'user',
    ]);
  });

  it('ends the turn as interrupted when nobody reads its events any more', async () => {
    const signals: AbortSignal[] = [];
    const { start, records } = harnessWith([
      (_, { signal }) => {
        signals.push(signal);
        return says('It is red.');
      },
    ]);
    for await (const event of start('first')) {
      if (event.type === 'text-delta') break;
    }
    expect(records.turns()).toMatchObject([{ status: 'interrupted' }]);
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe('runTurn, with an answer that holds nothing', () => {
  const empties: readonly (readonly [string, readonly ProviderEvent[]])[] = [
    ['no event at all', []],
    ['blanks alone', [{ type: 'text-delta', text: ' \n' }]],
    ['thinking alone', [{ type: 'thinking-delta', text: 'Hm.' }]],
  ];
  for (const [name, events] of empties) {
    it(`fails, stores no answer, and the next turn works: ${name}`, async () => {
      const { submit, transcript } = harnessWith([[...events, { type: 'finish', reason: 'stop' }], says('hello')]);
      expect(endOf(await submit('first'))).toMatchObject({
        status: 'failed',
        error: { code: 'ANSWER_EMPTY', message: 'The model answered nothing.' },
      });
      expect((await transcript()).map(({ role }) => role)).toEqual(['user']);
      expect(endOf(await submit('second'))).toMatchObject({ status: 'completed' });
      expect((await transcript()).map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
    });
  }
});

describe('runTurn, with pictures whose bytes are gone', () => {
  it('goes on without an old picture, tells the model and the user, and sends the others', async () => {
    const { submit, attach, blobs, provider } = harnessWith([
      says('red'),
      says('never sent: a picture could not be read'),
      says('blue'),
      says('never sent: a picture could not be read'),
      says('blue still'),
    ]);
    const old = await attach('old.png', red, size);
    await submit('first', { images: [old] });
    for (const digest of blobs.digests()) blobs.remove(digest);
    const blue = await attach('new.png', makeTwoColorPng({ left: 'blue', right: 'blue' }), size);
    const events = await submit('second', { images: [blue] });
    expect(events.filter(({ type }) => type === 'image-notice')).toEqual([
      expect.objectContaining({ kind: 'missing', digest: old.digest, name: 'old.png', code: 'BLOB_MISSING' }),
    ]);
    expect(endOf(events)).toMatchObject({ status: 'completed' });
    expect(provider.blobsRead.at(-1)).toHaveLength(1);
    expect(JSON.stringify(provider.requests.at(-1)?.messages)).toContain('[Picture missing: old.png');
    expect(endOf(await submit('third'))).toMatchObject({ status: 'completed' });
  });

  it('says that the bytes of an old picture are damaged, not gone', async () => {
    const { submit, attach, blobs } = harnessWith([says('red'), says('lost'), says('lost'), says('words')]);
    const old = await attach('old.png', red, size);
    await submit('first', { images: [old] });
    blobs.damage(old.digest);
    const notices = (await submit('second')).filter(({ type }) => type === 'image-notice');
    expect(notices).toMatchObject([
      { kind: 'missing', code: 'BLOB_DAMAGED', message: expect.stringContaining('old.png are damaged') },
    ]);
  });

  it('makes a damaged variant anew from its original', async () => {
    const { submit, attach, blobs, records, provider } = harnessWith([says('red'), says('lost'), says('red again')]);
    const large = makeTwoColorPng({ left: 'red', right: 'red' }, { widthPx: 1600, heightPx: 16 });
    await submit('first', { images: [await attach('large.png', large, { widthPx: 1600, heightPx: 16 })] });
    const variant = records.variants()[0];
    expect(variant?.digest).not.toBe(variant?.originalDigest);
    if (variant !== undefined) blobs.remove(variant.digest);
    const events = await submit('second');
    expect(endOf(events)).toMatchObject({ status: 'completed' });
    expect(events.some(({ type }) => type === 'image-notice')).toBe(false);
    expect(provider.blobsRead.at(-1)).toEqual([variant?.digest]);
  });

  it('fails a turn whose own picture is gone, and the next turn works', async () => {
    const { submit, attach, blobs } = harnessWith([says('hello')]);
    const picture = await attach('a.png', red, size);
    blobs.remove(picture.digest);
    expect(endOf(await submit('first', { images: [picture] }))).toMatchObject({
      status: 'failed',
      error: { code: 'BLOB_MISSING', message: expect.stringContaining('a.png') },
    });
    expect(endOf(await submit('second'))).toMatchObject({ status: 'completed' });
  });
});

describe('runTurn, with a model that takes no pictures', () => {
  it('tells the fate of old pictures when the model is switched, once, and reads no bytes', async () => {
    const { submit, attach, provider } = harnessWith([says('red'), says('blind'), says('blind still'), says('red')]);
    await submit('first', { images: [await attach('a.png', red, size)] });
    const blindUrl = 'http://127.0.0.1:9/blind/v1';
    const switched = await submit('second', { imageInput: 'no', baseUrl: blindUrl });
    expect(switched.filter(({ type }) => type === 'image-notice')).toMatchObject([
      { kind: 'replaced-by-notice', name: 'a.png', code: 'MODEL_CANNOT_SEE' },
    ]);
    const again = await submit('third', { imageInput: 'no', baseUrl: blindUrl });
    expect(again.some(({ type }) => type === 'image-notice')).toBe(false);
    await submit('fourth');
    expect(provider.blobsRead.map((read) => read.length)).toEqual([1, 0, 0, 1]);
  });

  it('tells the fate of a picture once, however many steps the turn has', async () => {
    const { submit, attach } = harnessWith([calls('c1'), calls('c2'), says('blind')]);
    const picture = await attach('a.png', red, size);
    const events = await submit('first', { images: [picture], imageInput: 'no' });
    expect(events.filter(({ type }) => type === 'image-notice')).toHaveLength(1);
    expect(outlineOf(events).slice(0, 3)).toEqual(['turn-accepted', 'step-start', 'image-notice']);
  });
});
