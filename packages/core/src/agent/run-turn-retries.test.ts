import { afterEach, describe, expect, it } from 'vitest';
import type { FoveaEvent } from '../content/events.ts';
import { createOpenAiChatProvider } from '../providers/openai-chat/provider.ts';
import { answerOf, createTurnHarness, outlineOf, type TurnHarness } from '../testing/create-turn-harness.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { expectClean } from '../testing/strict-server/expect-clean.ts';
import { hang, oracle, type Reply, replyError, replyText } from '../testing/strict-server/reply.ts';
import { type StrictServer, startStrictServer } from '../testing/strict-server/start-strict-server.ts';

const servers: StrictServer[] = [];

async function openWorld(script: readonly Reply[]): Promise<{ server: StrictServer; harness: TurnHarness }> {
  const server = await startStrictServer({ script });
  servers.push(server);
  const harness = createTurnHarness({ provider: createOpenAiChatProvider(), baseUrl: server.baseUrl });
  return { server, harness };
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const busy = (headers: Readonly<Record<string, string>> = {}) =>
  replyError(503, { error: { message: 'overloaded' } }, headers);

function retriesOf(events: readonly FoveaEvent[]): readonly FoveaEvent[] {
  return events.filter(({ type }) => type === 'retry');
}

describe('runTurn, when the endpoint is busy', () => {
  it('sends the same bytes once more after the pause that the endpoint asks for', async () => {
    const limited = replyError(429, { error: { message: 'slow down' } }, { 'retry-after-ms': '1234' });
    const { server, harness } = await openWorld([limited, oracle()]);
    const picture = makeTwoColorPng({ left: 'red', right: 'green' });
    const events = await harness.submit('What is it?', {
      images: [await harness.attach('a.png', picture, { widthPx: 64, heightPx: 32 })],
    });
    expect(outlineOf(events)).toEqual([
      'turn-accepted',
      'step-start',
      'request',
      'request-end',
      'retry',
      'request',
      'text-delta',
      'request-end',
      'usage',
      'step-end',
      'turn-end',
    ]);
    expect(retriesOf(events)).toEqual([
      { type: 'retry', step: 1, attempt: 1, delayMs: 1234, code: 'ENDPOINT_RATE_LIMITED' },
    ]);
    expect(harness.clock.sleepsMs).toContain(1234);
    expect(answerOf(events)).toContain('left red, right green');
    const [first, second] = server.requests;
    expect(JSON.stringify(second?.body)).toBe(JSON.stringify(first?.body));
    expect(second?.bodyBytes).toBe(first?.bodyBytes);
    expect((await harness.transcript()).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expectClean(server);
  });

  it('comes back by itself from an overload, with a pause of its own', async () => {
    const { server, harness } = await openWorld([busy(), busy({ 'x-should-retry': 'true' }), replyText('Here.')]);
    const events = await harness.submit('Hello.');
    expect(answerOf(events)).toBe('Here.');
    expect(retriesOf(events)).toMatchObject([
      { attempt: 1, delayMs: 438, code: 'ENDPOINT_FAILED' },
      { attempt: 2, delayMs: 875, code: 'ENDPOINT_FAILED' },
    ]);
    expect(events.at(-1)).toEqual({ type: 'turn-end', status: 'completed' });
    expectClean(server);
  });

  it('gives up after four attempts, says so, and the next turn works', async () => {
    const { server, harness } = await openWorld([busy(), busy(), busy(), busy(), replyText('Here.')]);
    const events = await harness.submit('Hello.');
    expect(server.requests).toHaveLength(4);
    expect(events.at(-1)).toMatchObject({
      status: 'failed',
      error: { code: 'ENDPOINT_FAILED', message: expect.stringMatching(/overloaded\. It was tried 4 times\.$/) },
    });
    expect((await harness.transcript()).map(({ role }) => role)).toEqual(['user']);
    expect(answerOf(await harness.submit('Again.'))).toBe('Here.');
    expectClean(server);
  });

  it('says when to come back instead of waiting for more than a minute', async () => {
    const { server, harness } = await openWorld([busy({ 'retry-after': '180' })]);
    const events = await harness.submit('Hello.');
    expect(server.requests).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      error: { message: expect.stringContaining('asks to wait 3 minutes') },
    });
  });

  const deterministic: Readonly<Record<string, Reply>> = {
    'a refusal of the request': replyError(400, { error: { message: 'no', param: null, code: null } }),
    'a wrong key': replyError(401, { error: { message: 'no' } }),
    'a picture that a server without eyes reports with status 500': replyError(500, {
      error: {
        code: 500,
        message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
        type: 'server_error',
      },
    }),
    'an overload that the endpoint asks not to repeat': busy({ 'x-should-retry': 'false' }),
  };
  for (const [name, reply] of Object.entries(deterministic)) {
    it(`never repeats ${name}`, async () => {
      const { server, harness } = await openWorld([reply]);
      const events = await harness.submit('Hello.');
      expect(retriesOf(events)).toEqual([]);
      expect(server.requests).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: 'turn-end', status: 'failed' });
      expectClean(server);
    });
  }

  it('repeats nothing of which words were seen, and sends on where none were', async () => {
    const error = { code: 'server_error', message: 'overloaded', type: 'server_error' };
    const failing = (afterFrames: number) =>
      replyText('It is red.', { faults: [{ kind: 'error-frame', afterFrames, error }] });
    const { server, harness } = await openWorld([failing(3), failing(1), replyText('It is red.')]);
    const seen = await harness.submit('First.');
    expect(answerOf(seen)).not.toBe('');
    expect(retriesOf(seen)).toEqual([]);
    expect(seen.at(-1)).toMatchObject({ status: 'failed' });
    const unseen = await harness.submit('Second.');
    expect(retriesOf(unseen)).toHaveLength(1);
    expect(answerOf(unseen)).toBe('It is red.');
    expect(server.requests).toHaveLength(3);
  });

  it('ends at once when the user stops during the pause, and sends nothing more', async () => {
    const controller = new AbortController();
    const { server, harness } = await openWorld([busy(), hang()]);
    const outline: string[] = [];
    for await (const event of harness.start('Hello.', { signal: controller.signal })) {
      outline.push(event.type);
      // The clock stands still: only the stop can end the pause, which begins with the next event.
      if (event.type === 'retry') setImmediate(() => controller.abort());
      if (event.type === 'turn-end') expect(event.status).toBe('stopped');
    }
    expect(outline.slice(-3)).toEqual(['retry', 'step-end', 'turn-end']);
    expect(server.requests).toHaveLength(1);
    expect(harness.clock.pendingSleepsMs()).toEqual([]);
  });

  it('finds an endpoint again that was not there', async () => {
    const { server, harness } = await openWorld([replyText('Here.')]);
    const nowhere = await startStrictServer();
    await nowhere.close();
    const events = await harness.submit('Hello.', { baseUrl: nowhere.baseUrl });
    expect(retriesOf(events)).toMatchObject([
      { code: 'ENDPOINT_UNREACHABLE' },
      { code: 'ENDPOINT_UNREACHABLE' },
      { code: 'ENDPOINT_UNREACHABLE' },
    ]);
    expect(events.at(-1)).toMatchObject({ error: { code: 'ENDPOINT_UNREACHABLE' } });
    expect(server.requests).toHaveLength(0);
  });
});
