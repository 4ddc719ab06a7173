import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { type ConformanceHarness, errorOf, KEY, textOf, write } from './harness.ts';

/** What comes out when an endpoint gives the key back that was sent to it. */
export function describeSecrets(harness: ConformanceHarness): void {
  const { wire, play, playEvents } = harness;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const clothes = [KEY, base64(KEY), base64(`Bearer ${KEY}`), Buffer.from(`ab${KEY}`).toString('base64url')];

  describe('an answer that repeats the key', () => {
    it('is told without it, wherever it is cut into deltas', async () => {
      for (const form of clothes) {
        const text = `see ${form}, and sk-co too`;
        for (const size of [1, 7, text.length]) {
          const pieces = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
          for (const say of [wire.text, wire.thinking]) {
            const events = await playEvents(wire.start, ...pieces.map(say), wire.finish('stop'), wire.endMark);
            const words = events.map((event) => (event.type.endsWith('delta') && 'text' in event ? event.text : ''));
            expect(words.join('')).toMatch(/^see (?:QmVhcmVyIH)?.{0,3}\[secret\].{0,3}, and sk-co too$/);
          }
        }
      }
    });

    it('keeps every other word, in its order and as soon as it can be no key', async () => {
      const events = await playEvents(
        wire.start,
        wire.thinking('hmm s'),
        wire.text('sk-'),
        wire.text('conform'),
        wire.thinking(' sk'),
        wire.finish('stop'),
        wire.endMark,
      );
      const told = events.flatMap((event) => ('text' in event ? [`${event.type} ${event.text}`] : []));
      expect(told.join('|')).toBe(
        'thinking-delta hmm |thinking-delta s|text-delta sk-conform|thinking-delta  |thinking-delta sk',
      );
    });

    it('tells no long part of it at the end', async () => {
      const half = KEY.slice(0, -2);
      expect(textOf(await playEvents(wire.start, wire.text(`x ${half}`), wire.finish('stop'), wire.endMark))).toBe(
        'x [secret]',
      );
      const cut = await playEvents(wire.start, wire.text(`x ${half}`));
      expect([textOf(cut), errorOf(cut).code]).toEqual(['x [secret]', 'STREAM_CUT']);
    });

    it('has tool calls without it, escaped or not', async () => {
      const escaped = [...KEY].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
      const events = await playEvents(
        wire.start,
        wire.toolCallStart({ index: 0, id: `id-${KEY}`, name: `see-${KEY}` }),
        wire.toolCallArguments({ index: 0, text: `{"path":"${KEY}.png"` }),
        wire.toolCallArguments({ index: 0, text: `,"more":["${escaped.join('')}","a\\nb"]}` }),
        wire.toolCallStart({ index: 1, id: 'b', name: 'n' }),
        wire.toolCallArguments({ index: 1, text: '{"a":  "x\\ny"}' }),
        wire.finish('tool-calls'),
        wire.endMark,
      );
      expect(events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))).toEqual([
        {
          type: 'tool-call',
          toolCallId: 'id-[secret]',
          name: 'see-[secret]',
          arguments: '{"path":"[secret].png","more":["[secret]","a\\nb"]}',
        },
        { type: 'tool-call', toolCallId: 'b', name: 'n', arguments: '{"a":  "x\\ny"}' },
      ]);
    });

    it('may say a word that stands where a key should', async () => {
      harness.server.enqueue({
        steps: write(wire.start, wire.text('I am ollama.'), wire.finish('stop'), wire.endMark),
      });
      expect(textOf(await harness.collect({ endpoint: { apiKey: new Secret('ollama') } }))).toBe('I am ollama.');
    });

    it('repeats it in no header that is told or logged', async () => {
      const body = wire.refusalBody({ message: `no ${base64(KEY)}`, code: KEY });
      const headers = { 'x-request-id': KEY };
      const error = errorOf(await play({ status: 400, headers, steps: write(body) }));
      const told = JSON.stringify(error) + harness.logLines.join('\n');
      expect(told).toContain('no [secret]');
      for (const form of clothes) expect(told).not.toContain(form.slice(0, 14));
    });
  });
}
