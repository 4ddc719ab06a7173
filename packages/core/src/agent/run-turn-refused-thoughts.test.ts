import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../content/request.ts';
import { createEndpointError } from '../providers/endpoint-error.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { answerOf, createTurnHarness, outlineOf } from '../testing/create-turn-harness.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';

const say = (text: string, signature: string): readonly ProviderEvent[] => [
  { type: 'thinking-delta', text: 'Hm', signature },
  { type: 'text-delta', text },
  { type: 'finish', reason: 'stop' },
];
const call = (signature: string): readonly ProviderEvent[] => [
  { type: 'thinking-delta', text: 'Hm', signature },
  { type: 'tool-call', call: { type: 'tool-call', toolCallId: 'c1', name: 'none', arguments: '{}' } },
  { type: 'finish', reason: 'tool-calls' },
];
const refuse = (): readonly ProviderEvent[] => {
  const words = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  return [{ type: 'error', error: createEndpointError({ words }, { channel: 'lab', secrets: [] }, { status: 400 }) }];
};

function signaturesOf(request: ModelRequest | undefined): readonly (string | undefined)[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === 'assistant'
      ? message.parts.flatMap((part) => (part.type === 'thinking' ? [part.signature] : []))
      : [],
  );
}

describe('runTurn, when the endpoint does not know its thoughts any more', () => {
  it('goes on without the refused ones, keeps what is thought from then on, and asks again in the next turn', async () => {
    const calls = [say('One.', 's1'), refuse(), call('s2'), say('Two.', 's3'), say('Three.', 's4')];
    const provider = createScriptedProvider(calls, { wireApi: 'anthropic-messages' });
    const harness = createTurnHarness({ provider });
    await harness.submit('First.');
    const events = await harness.submit('Second.');
    expect(answerOf(events)).toBe('Two.');
    expect(events.at(-1)).toEqual({ type: 'turn-end', status: 'completed' });
    expect(outlineOf(events).slice(0, 6)).toEqual([
      'turn-accepted',
      'step-start',
      'request',
      'request-end',
      'request',
      'thinking-delta',
    ]);
    await harness.submit('Third.');
    expect(provider.requests.map(signaturesOf)).toEqual([[], ['s1'], [], ['s2'], ['s1', 's2', 's3']]);
  });

  it('fails where the request held no thoughts, or is refused without them too', async () => {
    const provider = createScriptedProvider([refuse(), say('One.', 's1'), refuse(), refuse()], {
      wireApi: 'anthropic-messages',
    });
    const harness = createTurnHarness({ provider });
    const failed = { type: 'turn-end', status: 'failed', error: { code: 'ENDPOINT_REFUSED' } };
    expect((await harness.submit('First.')).at(-1)).toMatchObject(failed);
    await harness.submit('Second.');
    expect((await harness.submit('Third.')).at(-1)).toMatchObject(failed);
    expect(provider.requests).toHaveLength(4);
  });
});
