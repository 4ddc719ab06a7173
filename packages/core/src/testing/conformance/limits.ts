import { describe, expect, it } from 'vitest';
import { createFixedClock, type FixedClock } from '../fixed-clock.ts';
import type { AnswerStep } from '../scripted-http-server.ts';
import { type ConformanceHarness, errorOf, nextTurn, textOf, write } from './harness.ts';

/** What comes out of answers that have no end of their own, or no measure. */
export function describeLimits(harness: ConformanceHarness): void {
  const { wire, server } = { wire: harness.wire, server: () => harness.server };

  describe('an answer without end', () => {
    const MINUTE = 60_000;
    const keepAlives: readonly (readonly [string, string])[] = [
      ['comments', ': ping\n\n'],
      ['blank lines', '\n\n'],
      ['events that hold nothing', wire.noise[0] ?? ''],
    ];
    for (const [name, text] of keepAlives) {
      it(`is kept waiting for minutes by ${name}, and not for ever`, async () => {
        const clock = createFixedClock();
        const { steps, release } = paced([wire.start, ...Array<string>(12).fill(text)]);
        server().enqueue({ steps: [...steps, { stall: true }] });
        const collecting = harness.collect({ context: { clock }, endpoint: { idleTimeoutMs: 5 * MINUTE } });
        for (let minute = 0; minute < 10; minute += 1) {
          await release();
          await untilWaiting(clock, 5 * MINUTE);
          await clock.advance(MINUTE);
        }
        let isOver = false;
        void collecting.then(() => {
          isOver = true;
        });
        await nextTurn();
        expect(isOver).toBe(false);
        await clock.advance(1);
        await release();
        const error = errorOf(await collecting);
        expect(error.code).toBe('STREAM_IDLE');
        expect(error.message).toBe('lab: the endpoint sent no part of an answer for 600 s');
        await harness.lastRequest().closed;
      });
    }

    it('ends when only comments follow its finish', async () => {
      // Where nothing belongs behind the finish, nothing is waited for.
      if (!wire.endsWithFinish || wire.endMark === '') return;
      const clock = createFixedClock();
      const { steps, release } = paced([wire.text('x') + wire.finish('stop'), ': ping\n\n', ': ping\n\n']);
      server().enqueue({ steps: [...steps, { stall: true }] });
      const collecting = harness.collect({ context: { clock }, endpoint: { idleTimeoutMs: MINUTE } });
      await release();
      await untilWaiting(clock, 5000);
      await clock.advance(4000);
      await release();
      await untilWaiting(clock, 5000);
      await clock.advance(4000);
      await release();
      expect((await collecting).at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    });

    const growing: readonly (readonly [string, string])[] = [
      ['text', wire.text('x'.repeat(40))],
      ['thinking', wire.thinking('x'.repeat(40))],
      ['arguments', wire.toolCallArguments({ index: 0, text: 'x'.repeat(40) })],
    ];
    for (const [name, text] of growing) {
      it(`is broken off at the limit of its size: ${name}`, async () => {
        const provider = wire.createProvider({ limits: { answerCharacters: 100 } });
        const start = wire.start + wire.toolCallStart({ index: 0, id: 'c', name: 'n' });
        server().enqueue({ steps: [...write(start, ...Array<string>(4).fill(text)), { stall: true }] });
        const events = await harness.collect({ provider });
        expect(errorOf(events).code).toBe('OUTPUT_LIMIT');
        expect(errorOf(events).message).toBe('lab: the answer is longer than 100 characters; it was broken off');
        expect(textOf(events).length).toBeLessThanOrEqual(100);
        expect(events.some((event) => event.type === 'tool-call' || event.type === 'finish')).toBe(false);
        await harness.lastRequest().closed;
      });
    }

    it('is broken off at the limit of its calls', async () => {
      const provider = wire.createProvider({ limits: { toolCalls: 2 } });
      const calls = [0, 1, 2].map((index) => wire.toolCallStart({ index, id: `c${index}`, name: 'n' }));
      server().enqueue({ steps: write(wire.start, ...calls, wire.finish('tool-calls'), wire.endMark) });
      const error = errorOf(await harness.collect({ provider }));
      expect(error.code).toBe('OUTPUT_LIMIT');
      expect(error.message).toBe('lab: the answer holds more than 2 tool calls; it was broken off');
    });

    it('may not come as one event or one document without measure', async () => {
      const provider = wire.createProvider({ limits: { eventCharacters: 1024, wholeAnswerBytes: 1024 } });
      const long = 'x'.repeat(2000);
      server().enqueue({ steps: write(wire.start, `data: ${long}`) });
      const event = errorOf(await harness.collect({ provider }));
      expect([event.code, event.message]).toEqual([
        'STREAM_INVALID',
        'lab: the answer holds an event of more than 1 KB',
      ]);
      server().enqueue({ headers: { 'content-type': 'application/json' }, steps: write(`{"a":"${long}"}`) });
      const whole = errorOf(await harness.collect({ provider }));
      expect([whole.code, whole.message]).toEqual([
        'OUTPUT_LIMIT',
        'lab: the answer is larger than 1 KB; it was broken off',
      ]);
    });
  });

  describe('a refusal without end', () => {
    for (const [name, status, start] of [
      ['words', 500, 'no!'],
      ['a web page', 200, '<html><title>Oh</title>'],
    ] as const) {
      it(`is waited for only shortly, be it silent or slow: ${name}`, async () => {
        const code = status === 200 ? 'ENDPOINT_NOT_AN_API' : 'ENDPOINT_FAILED';
        for (const pauses of [[10_000], [6000, 3000, 1000]]) {
          const clock = createFixedClock();
          const { steps, release } = paced([start, ...pauses.slice(1).map(() => '.')]);
          server().enqueue({ status, headers: { 'content-type': 'text/plain' }, steps: [...steps, { stall: true }] });
          const collecting = harness.collect({ context: { clock }, endpoint: { idleTimeoutMs: 120_000 } });
          await release();
          let leftMs = 10_000;
          for (const pauseMs of pauses) {
            await untilWaiting(clock, leftMs);
            await clock.advance(pauseMs);
            leftMs -= pauseMs;
            if (leftMs > 0) await release();
          }
          expect(errorOf(await collecting).code).toBe(code);
          await harness.lastRequest().closed;
        }
      });
    }
  });
}

/** Each text is written when it is released. */
function paced(texts: readonly string[]): { readonly steps: readonly AnswerStep[]; release(): Promise<void> } {
  const openers: (() => void)[] = [];
  const steps = texts.flatMap((text): AnswerStep[] => [
    { wait: new Promise<void>((resolve) => openers.push(resolve)) },
    { write: text },
  ]);
  return {
    steps,
    async release() {
      openers.shift()?.();
      // Long enough for what is written to be read.
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    },
  };
}

/** Until the provider waits for a byte, for so long. */
async function untilWaiting(clock: FixedClock, limitMs: number): Promise<void> {
  while (clock.pendingSleepsMs()[0] !== limitMs) await nextTurn();
}
