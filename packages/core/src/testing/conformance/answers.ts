import { describe, expect, it } from 'vitest';
import { type ConformanceHarness, errorOf, textOf, wholeEnd } from './harness.ts';

/** What comes out of answers that are right, however they are cut into packets. */
export function describeAnswers(harness: ConformanceHarness): void {
  const { wire, playEvents, wholeAnswer, expectWholeAnswer } = harness;
  describe('an answer', () => {
    it('comes as thinking, text, usage and one finish, in this order', async () => {
      const events = await playEvents(...wholeAnswer);
      expectWholeAnswer(events);
      expect(events.map((event) => event.type)).toEqual([
        'request-sent',
        'thinking-delta',
        'text-delta',
        'text-delta',
        'usage',
        'finish',
      ]);
    });

    it('is the same when every byte comes alone, inside UTF-8 and inside JSON', async () => {
      const bytes = Buffer.from(wholeAnswer.join(''));
      expectWholeAnswer(await playEvents(...Array.from(bytes, (byte) => Uint8Array.of(byte))));
    });

    it('is the same with CRLF, and with a CRLF split in two', async () => {
      const text = wholeAnswer.join('').replaceAll('\n', '\r\n');
      expectWholeAnswer(await playEvents(text));
      expectWholeAnswer(
        await playEvents(...text.split('\r').flatMap((line, index) => (index ? ['\r', line] : [line]))),
      );
    });

    it('is the same with comments, pings and unknown events between', async () => {
      expectWholeAnswer(
        await playEvents(
          ': keep-alive\n\n',
          ...wholeAnswer.flatMap((text) => [...wire.noise, ': PROCESSING\n\n', text]),
        ),
      );
    });

    it('is the same when its events have no name', async () => {
      expectWholeAnswer(await playEvents(...wholeAnswer.map((text) => text.replaceAll(/^event: .*\n/gm, ''))));
    });

    it('is the same when the end mark comes twice', async () => {
      expectWholeAnswer(await playEvents(...wholeAnswer, wire.endMark));
    });

    it('is the same when its last blank line is missing', async () => {
      const text = wholeAnswer.join('');
      expectWholeAnswer(await playEvents(text.replace(/\n+$/, '')));
    });

    it('needs no usage', async () => {
      const before = wholeAnswer.slice(0, wholeAnswer.indexOf(wire.finish('stop', { withUsage: true })));
      const events = await playEvents(...before, wire.finish('stop'), wire.endMark);
      expect(events.filter((event) => event.type === 'usage')).toEqual([]);
      expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    });

    it('may hold fields that nobody knows', async () => {
      const events = await playEvents(
        wire.start,
        wire.textWithUnknownFields('seen'),
        wire.finish('stop'),
        wire.endMark,
      );
      expect(textOf(events)).toBe('seen');
      expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    });

    it('says why it ended', async () => {
      for (const reason of ['stop', 'length', 'content-filter'] as const) {
        const events = await playEvents(wire.start, wire.text('x'), wire.finish(reason), wire.endMark);
        expect(events.at(-1)).toEqual({ type: 'finish', reason });
      }
    });
  });

  describe('tool calls', () => {
    const calls = [
      wire.start,
      wire.toolCallStart({ index: 0, id: 'call_a', name: 'view_image' }),
      wire.toolCallStart({ index: 1, id: 'call_b', name: 'read_file' }),
      wire.toolCallArguments({ index: 0, text: '{"path":' }),
      wire.toolCallArguments({ index: 1, text: '{"path":"b' }),
      wire.toolCallArguments({ index: 0, text: '"ä.png"}' }),
      wire.toolCallArguments({ index: 1, text: '.txt"}' }),
      ...wholeEnd(wire, 'tool-calls'),
    ];

    it('are joined by index when their fragments are interleaved and name no id', async () => {
      const events = await playEvents(...calls);
      expect(events.slice(1)).toEqual([
        {
          type: 'tool-call',
          call: { type: 'tool-call', toolCallId: 'call_a', name: 'view_image', arguments: '{"path":"ä.png"}' },
        },
        {
          type: 'tool-call',
          call: { type: 'tool-call', toolCallId: 'call_b', name: 'read_file', arguments: '{"path":"b.txt"}' },
        },
        { type: 'usage', usage: { inputTokens: 12, cachedTokens: 4, outputTokens: 5 } },
        { type: 'finish', reason: 'tool-calls' },
      ]);
    });

    it('keep arguments that are no JSON, and no arguments, as the model wrote them', async () => {
      const events = await playEvents(
        wire.start,
        wire.toolCallStart({ index: 0, id: 'call_a', name: 'view_image' }),
        wire.toolCallArguments({ index: 0, text: '{"path": oops' }),
        wire.toolCallStart({ index: 1, id: 'call_b', name: 'list_directory' }),
        wire.finish('tool-calls'),
        wire.endMark,
      );
      const found = events.filter((event) => event.type === 'tool-call').map((event) => event.call.arguments);
      expect(found).toEqual(['{"path": oops', '']);
    });

    it('of a cut answer are never told', async () => {
      const events = await playEvents(...calls.slice(0, 7));
      expect(errorOf(events).code).toBe('STREAM_CUT');
      expect(events.some((event) => event.type === 'tool-call')).toBe(false);
    });
  });
}
