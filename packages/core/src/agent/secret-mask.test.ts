import { describe, expect, it } from 'vitest';
import { Secret } from '../base/secret.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { createSecretMask } from './secret-mask.ts';

const secret = 'sk-0123456789abcdef';

async function answer(events: readonly ProviderEvent[]): Promise<readonly ProviderEvent[]> {
  async function* stream(): AsyncGenerator<ProviderEvent> {
    yield* events;
  }
  const masked: ProviderEvent[] = [];
  for await (const event of createSecretMask([new Secret(secret)]).answer(stream())) masked.push(event);
  return masked;
}

describe('createSecretMask', () => {
  it('replaces every occurrence of a value in a text, and nothing else', () => {
    const mask = createSecretMask([new Secret(secret), new Secret('other-key-1')]);
    expect(mask.text(`a=${secret} b=${secret}, c=other-key-1 d=sk-0123`)).toBe(
      'a=[secret] b=[secret], c=[secret] d=sk-0123',
    );
  });

  it('takes the longer of two values that begin alike', () => {
    const mask = createSecretMask([new Secret('password'), new Secret('password-of-root')]);
    expect(mask.text('password-of-root password')).toBe('[secret] [secret]');
  });

  it('leaves values of fewer than eight characters alone', () => {
    expect(createSecretMask([new Secret('ollama1'), new Secret('')]).text('ollama1 is here')).toBe('ollama1 is here');
    expect(createSecretMask([new Secret('ollama12')]).text('ollama12')).toBe('[secret]');
  });

  it('finds a value as JSON writes it', () => {
    const mask = createSecretMask([new Secret('quo"te\\back')]);
    expect(mask.text(JSON.stringify({ content: 'key quo"te\\back.' }))).toBe('{"content":"key [secret]."}');
  });

  it('goes through plain data, and gives the same value where nothing had to go', () => {
    const mask = createSecretMask([new Secret(secret)]);
    const clean = { a: [1, { b: 'x' }], c: null };
    expect(mask.value(clean)).toBe(clean);
    expect(mask.value({ ...clean, d: [{ text: `is ${secret}` }] })).toEqual({
      ...clean,
      d: [{ text: 'is [secret]' }],
    });
  });

  it('finds a value that lies over several pieces of an answer', async () => {
    const events = await answer([
      { type: 'text-delta', text: `It is ${secret.slice(0, 5)}` },
      { type: 'text-delta', text: secret.slice(5, 9) },
      { type: 'text-delta', text: `${secret.slice(9)}.` },
      { type: 'finish', reason: 'stop' },
    ]);
    expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe('It is [secret].');
  });

  it('takes its proof from a thought that is no longer what its endpoint gave, and from no other', async () => {
    const thoughts = (await answer([
      { type: 'thinking-delta', text: `The key is ${secret.slice(0, 9)}` },
      { type: 'thinking-delta', text: `${secret.slice(9)}.` },
      { type: 'thinking-delta', text: '', signature: 'of the whole' },
      { type: 'thinking-delta', text: 'Nothing to hide.' },
      { type: 'thinking-delta', text: '', signature: 'untouched' },
      { type: 'thinking-delta', text: '', opaque: `{"type":"reasoning","summary":"${secret}"}` },
      { type: 'thinking-delta', text: '', opaque: '{"type":"reasoning"}' },
      { type: 'thinking-delta', text: `ends in ${secret.slice(0, 13)}`, signature: 'of a part' },
      { type: 'finish', reason: 'stop' },
    ])) as readonly Extract<ProviderEvent, { type: 'thinking-delta' }>[];
    expect(thoughts.flatMap(({ signature, opaque }) => signature ?? opaque ?? [])).toEqual([
      '',
      'untouched',
      '',
      '{"type":"reasoning"}',
      '',
    ]);
    expect(JSON.stringify(thoughts)).not.toContain(secret.slice(0, 13));
  });

  it('finds a value with quotes inside of an opaque item', async () => {
    const quoted = new Secret('quo"te\\back');
    async function* stream(): AsyncGenerator<ProviderEvent> {
      yield { type: 'thinking-delta', text: '', opaque: JSON.stringify({ summary: `is ${quoted.reveal()}` }) };
    }
    const masked: ProviderEvent[] = [];
    for await (const event of createSecretMask([quoted]).answer(stream())) masked.push(event);
    expect(JSON.stringify(masked)).not.toContain('back');
  });
});
