import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import { silentLogger } from '../base/logger.ts';
import type { FoveaEvent } from '../content/events.ts';
import type { Endpoint, Provider, ProviderEvent } from '../providers/provider.ts';
import { createFixedClock } from '../testing/fixed-clock.ts';
import { makeCall } from '../testing/make-transcript.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import { runStep, type StepOutcome } from './run-step.ts';
import { createSecretMask } from './secret-mask.ts';

const endpoint: Endpoint = {
  channel: 'lab',
  wireApi: 'openai-chat',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiKey: undefined,
  headers: {},
  idleTimeoutMs: 1000,
};

async function run(
  provider: Provider,
): Promise<{ readonly events: readonly FoveaEvent[]; readonly outcome: StepOutcome }> {
  const steps = runStep({
    provider,
    request: { model: 'seer', messages: [], tools: [] },
    endpoint,
    context: {
      signal: new AbortController().signal,
      clock: createFixedClock(),
      logger: silentLogger,
      readBlob: async () => new Uint8Array(),
    },
    mask: createSecretMask([]),
    requestNumber: 7,
    onRequestSent: async () => ({ type: 'step-end', step: 99 }),
  });
  const events: FoveaEvent[] = [];
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return { events, outcome: next.value };
    events.push(next.value);
  }
}

function scripted(...events: readonly ProviderEvent[]): Provider {
  return createScriptedProvider([events]);
}

const cut = new AppError('STREAM_CUT', 'cut');
const usage = { inputTokens: 5, cachedTokens: 1, outputTokens: 2 };

describe('runStep', () => {
  it('joins adjoining deltas and keeps the order of parts', async () => {
    const { events, outcome } = await run(
      scripted(
        { type: 'thinking-delta', text: 'Let ' },
        { type: 'thinking-delta', text: 'me see', signature: 'sig' },
        { type: 'thinking-delta', text: 'Again' },
        { type: 'text-delta', text: 'It is ' },
        { type: 'text-delta', text: 'red.' },
        { type: 'tool-call', call: makeCall('c1') },
        { type: 'text-delta', text: 'Done' },
        { type: 'usage', usage },
        { type: 'finish', reason: 'tool-calls' },
      ),
    );
    expect(outcome).toEqual({
      end: { type: 'finished', reason: 'tool-calls' },
      parts: [
        { type: 'thinking', text: 'Let me see', signature: 'sig' },
        { type: 'thinking', text: 'Again' },
        { type: 'text', text: 'It is red.' },
        makeCall('c1'),
        { type: 'text', text: 'Done' },
      ],
      usage,
    });
    expect(events.map(({ type }) => type)).toEqual([
      'step-end',
      'thinking-delta',
      'thinking-delta',
      'thinking-delta',
      'text-delta',
      'text-delta',
      'text-delta',
      'request-end',
    ]);
    expect(events.at(-1)).toEqual({ type: 'request-end', request: 7, accepted: true });
  });

  it('tells a refused request from an answer that broke off', async () => {
    const refused = await run(scripted({ type: 'error', error: new AppError('ENDPOINT_REFUSED', 'no') }));
    expect(refused.events.at(-1)).toEqual({
      type: 'request-end',
      request: 7,
      accepted: false,
      code: 'ENDPOINT_REFUSED',
    });
    const broken = await run(scripted({ type: 'text-delta', text: 'It i' }, { type: 'error', error: cut }));
    expect(broken.events.at(-1)).toEqual({ type: 'request-end', request: 7, accepted: true, code: 'STREAM_CUT' });
    expect(broken.outcome).toMatchObject({ end: { type: 'failed', error: cut }, parts: [{ text: 'It i' }] });
  });

  it('says nothing of a request that never went out', async () => {
    const provider: Provider = {
      wireApi: 'openai-chat',
      async *stream() {
        yield { type: 'error', error: new AppError('ENDPOINT_UNREACHABLE', 'down') };
      },
    };
    const { events, outcome } = await run(provider);
    expect(events).toEqual([]);
    expect(outcome.end).toMatchObject({ type: 'failed', error: { code: 'ENDPOINT_UNREACHABLE' } });
  });

  it('takes an end without an end mark as cut', async () => {
    const provider: Provider = {
      wireApi: 'openai-chat',
      async *stream() {
        yield { type: 'request-sent', bodyBytes: 1 };
        yield { type: 'text-delta', text: 'half' };
      },
    };
    expect((await run(provider)).outcome.end).toMatchObject({ type: 'failed', error: { code: 'STREAM_CUT' } });
  });

  it('survives a provider that throws', async () => {
    const provider: Provider = {
      wireApi: 'openai-chat',
      stream: () => {
        throw new Error('broken adapter');
      },
    };
    expect((await run(provider)).outcome.end).toMatchObject({
      type: 'failed',
      error: { code: 'INTERNAL', message: 'broken adapter' },
    });
  });
});
