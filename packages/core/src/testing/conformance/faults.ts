import { describe, expect, it } from 'vitest';
import { createFixedClock, type FixedClock } from '../fixed-clock.ts';
import { type ConformanceHarness, conformanceRequest, errorOf, nextTurn, textOf, wholeEnd, write } from './harness.ts';

/** What comes out of answers that break, stall or are stopped. */
export function describeFaults(harness: ConformanceHarness): void {
  const { wire, playEvents, wholeAnswer } = harness;
  const server = () => harness.server;

  describe('a failing stream', () => {
    it('ends in the error that the endpoint reports, at whatever place', async () => {
      const beforeEnd = wholeAnswer.slice(0, -1);
      for (let place = 0; place <= beforeEnd.length; place += 1) {
        const texts = [...beforeEnd];
        texts.splice(place, 0, wire.streamError({ message: 'the picture 3 is too odd', code: 'server_error' }));
        const events = await playEvents(...texts, wire.endMark);
        const error = errorOf(events);
        expect(error.code, `place ${place}`).toBe('ENDPOINT_FAILED');
        expect(error.data).toMatchObject({
          endpointCode: 'server_error',
          endpointMessage: 'the picture 3 is too odd',
        });
      }
    });

    it('is cut when it ends before its end was announced, wherever', async () => {
      for (let place = 0; place <= endPlace(harness); place += 1) {
        const events = await playEvents(...wholeAnswer.slice(0, place));
        expect(errorOf(events).code, `after ${place} events`).toBe('STREAM_CUT');
      }
    });

    it('is cut when the connection is reset before that, wherever', async () => {
      for (let place = 1; place <= endPlace(harness); place += 1) {
        const steps = [...write(...wholeAnswer.slice(0, place)), { reset: true } as const];
        const events = await harness.play({ steps });
        expect(errorOf(events).code, `after ${place} events`).toBe('STREAM_CUT');
      }
    });

    it('tells of no tool call when an error follows it, wherever', async () => {
      const calls = [
        wire.start,
        wire.toolCallStart({ index: 0, id: 'call_a', name: 'view_image' }),
        wire.toolCallArguments({ index: 0, text: '{"path":' }),
        wire.toolCallArguments({ index: 0, text: '"a.png"}' }),
      ];
      for (let place = 1; place <= calls.length; place += 1) {
        const texts = [...calls];
        texts.splice(place, 0, wire.streamError({ message: 'no more', code: 'server_error' }));
        const events = await playEvents(...texts, ...wholeEnd(wire, 'tool-calls'));
        expect(errorOf(events).code, `place ${place}`).toBe('ENDPOINT_FAILED');
        expect(events.some((event) => event.type === 'tool-call')).toBe(false);
      }
    });

    it('is cut, not wrong, when it ends inside an event', async () => {
      const event = Buffer.from(wire.text('Grün 😀'));
      for (const part of [0.3, 0.6, 0.9]) {
        const events = await playEvents(wire.start, event.subarray(0, Math.floor(event.length * part)));
        expect(errorOf(events).code).toBe('STREAM_CUT');
      }
    });

    it('is invalid when an event is no JSON', async () => {
      const events = await playEvents(wire.start, wire.text('a'), 'data: {"half": \n\n', wire.endMark);
      expect(errorOf(events).code).toBe('STREAM_INVALID');
    });

    it('is idle when nothing comes for the limit, before the headers', async () => {
      const clock = createFixedClock();
      const arrived = harness.nextRequest();
      const playing = harness.play({ instead: 'stall' }, { clock });
      await arrived;
      expect(clock.pendingSleepsMs()).toEqual([1000]);
      await clock.advance(1000);
      expect(errorOf(await playing).code).toBe('STREAM_IDLE');
      await harness.lastRequest().closed;
    });

    it('is idle when nothing comes after the headers', async () => {
      const clock = createFixedClock();
      const playing = harness.play({ steps: [{ stall: true }] }, { clock });
      while (!harness.logLines.some((line) => line.includes('endpoint-answered'))) await nextTurn();
      await untilQuiet(clock);
      await clock.advance(1000);
      expect(errorOf(await playing).code).toBe('STREAM_IDLE');
    });

    it('is idle when it stops in the middle, with what came before told', async () => {
      const clock = createFixedClock();
      server().enqueue({ steps: [...write(wire.start, wire.text('half')), { stall: true }] });
      const told = deferred();
      const collecting = harness.collect({
        context: { clock },
        onEvent: (event) => event.type === 'text-delta' && told.resolve(),
      });
      await told.promise;
      await untilQuiet(clock);
      await clock.advance(999);
      expect(clock.pendingSleepsMs()).toEqual([1]);
      await clock.advance(1);
      const events = await collecting;
      expect(textOf(events)).toBe('half');
      expect(errorOf(events).code).toBe('STREAM_IDLE');
    });

    it('stays alive as long as any byte comes within the limit, be it a comment', async () => {
      const clock = createFixedClock();
      const [told, first, second] = [deferred(), deferred(), deferred()];
      server().enqueue({
        steps: [
          ...write(wire.start, wire.text('a')),
          { wait: first.promise },
          ...write(': still here\n\n'),
          { wait: second.promise },
          ...write(wire.finish('stop'), wire.endMark),
        ],
      });
      const collecting = harness.collect({
        context: { clock },
        onEvent: (event) => event.type === 'text-delta' && told.resolve(),
      });
      await told.promise;
      await untilQuiet(clock);
      await clock.advance(900);
      first.resolve();
      await untilQuiet(clock);
      await clock.advance(900);
      second.resolve();
      expect((await collecting).at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    });

    it('is complete when only what follows its end is lost', async () => {
      const untilFinish = wholeAnswer.slice(0, wholeAnswer.indexOf(wire.finish('stop', { withUsage: true })) + 1);
      if (!wire.endsWithFinish) return;
      const afterReset = await harness.play({ steps: [...write(...untilFinish), { wait: later() }, { reset: true }] });
      expect(afterReset.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
      const afterEnd = await playEvents(...untilFinish);
      expect(afterEnd.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    });
  });

  describe('an abort', () => {
    it('before the request sends nothing', async () => {
      const count = server().requests.length;
      const events = await harness.collect({ context: { signal: AbortSignal.abort() } });
      expect(errorOf(events).code).toBe('CANCELED');
      expect(server().requests).toHaveLength(count);
    });

    it('while nothing comes closes the connection', async () => {
      const controller = new AbortController();
      server().enqueue({ instead: 'stall' });
      const arrived = harness.nextRequest();
      const collecting = harness.collect({ context: { signal: controller.signal } });
      await arrived;
      controller.abort();
      expect(errorOf(await collecting).code).toBe('CANCELED');
      await harness.lastRequest().closed;
    });

    it('in the middle is the last event, even when the whole answer has arrived', async () => {
      const controller = new AbortController();
      server().enqueue({ steps: write(wholeAnswer.join('')) });
      const events = await harness.collect({
        context: { signal: controller.signal },
        onEvent: (event) => event.type === 'text-delta' && controller.abort(),
      });
      expect(errorOf(events).code).toBe('CANCELED');
      expect(textOf(events)).toBe('Grün, ');
    });

    it('by a caller who stops reading closes the connection', async () => {
      server().enqueue({ steps: [...write(wire.start, wire.text('a')), { stall: true }] });
      const calling = harness.provider.stream(conformanceRequest, harness.endpoint(), harness.contextWith());
      for await (const event of calling) {
        if (event.type === 'text-delta') break;
      }
      await harness.lastRequest().closed;
    });
  });
}

/** How many events come before the one that says that the answer is whole. */
function endPlace({ wire, wholeAnswer }: ConformanceHarness): number {
  return wire.endsWithFinish ? wholeAnswer.indexOf(wire.finish('stop', { withUsage: true })) : wholeAnswer.length - 1;
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Until the provider waits for a byte, with the whole limit before it. */
async function untilQuiet(clock: FixedClock): Promise<void> {
  while (clock.pendingSleepsMs()[0] !== 1000) await nextTurn();
}

/** Long enough for what was written to have been read. */
async function later(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}
