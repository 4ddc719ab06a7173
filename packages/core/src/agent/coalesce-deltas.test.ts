import { describe, expect, it } from 'vitest';
import type { FoveaEvent } from '../content/events.ts';
import { createFixedClock, type FixedClock } from '../testing/fixed-clock.ts';
import { coalesceDeltas } from './coalesce-deltas.ts';

const text = (words: string): FoveaEvent => ({ type: 'text-delta', text: words });
const thinking = (words: string): FoveaEvent => ({ type: 'thinking-delta', text: words });
const stepEnd: FoveaEvent = { type: 'step-end', step: 1 };

/** A source that gives what a test pushes, and says how it was left. */
function createSource() {
  const waiting: ((next: IteratorResult<FoveaEvent>) => void)[] = [];
  const state = { reads: 0, isClosed: false };
  const source: AsyncIterable<FoveaEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        state.reads += 1;
        return new Promise((resolve) => void waiting.push(resolve));
      },
      return: async () => {
        state.isClosed = true;
        return { done: true, value: undefined };
      },
    }),
  };
  return { source, state, push: (value: FoveaEvent) => waiting.shift()?.({ done: false, value }) };
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function collect(events: Iterable<FoveaEvent> | AsyncIterable<FoveaEvent>, clock: FixedClock) {
  const given: FoveaEvent[] = [];
  async function* source(): AsyncGenerator<FoveaEvent> {
    yield* events;
  }
  for await (const event of coalesceDeltas(source(), clock)) given.push(event);
  return given;
}

describe('coalesceDeltas', () => {
  it('makes one delta of those of one kind that follow each other, and keeps every place', async () => {
    const events = [text('a'), text('b'), thinking('c'), thinking('d'), text('e'), stepEnd, text('f')];
    expect(await collect(events, createFixedClock())).toEqual([
      text('ab'),
      thinking('cd'),
      text('e'),
      stepEnd,
      text('f'),
    ]);
  });

  it('gives a delta as soon as it has 2 KiB of UTF-8', async () => {
    const given = await collect(Array(2_000).fill(text('画像')), createFixedClock());
    expect(given.map((event) => (event.type === 'text-delta' ? Buffer.byteLength(event.text) : 0))).toEqual([
      2052, 2052, 2052, 2052, 2052, 1740,
    ]);
  });

  it('lets no word wait longer than 50 ms, although nothing comes behind it', async () => {
    const clock = createFixedClock();
    const { source, push, state } = createSource();
    const given = coalesceDeltas(source, clock);
    const first = given.next();
    push(text('a'));
    await settle();
    await clock.advance(30);
    push(text('b'));
    await settle();
    expect(clock.pendingSleepsMs()).toEqual([20]);
    await clock.advance(20);
    expect(await first).toEqual({ done: false, value: text('ab') });
    // The word that the source is asked for meanwhile is the next one.
    const second = given.next();
    push(text('c'));
    await settle();
    await clock.advance(50);
    expect(await second).toEqual({ done: false, value: text('c') });
    expect(state.reads).toBe(4);
  });

  it('reads nothing ahead of an event that is no delta', async () => {
    const { source, push, state } = createSource();
    const given = coalesceDeltas(source, createFixedClock());
    const first = given.next();
    push(stepEnd);
    expect(await first).toEqual({ done: false, value: stepEnd });
    await settle();
    expect(state.reads).toBe(1);
  });

  it('gives what came before a fault of its source, and then throws it', async () => {
    async function* broken(): AsyncGenerator<FoveaEvent> {
      yield text('a');
      yield text('b');
      throw new Error('cut');
    }
    const given = coalesceDeltas(broken(), createFixedClock());
    expect(await given.next()).toEqual({ done: false, value: text('ab') });
    await expect(given.next()).rejects.toThrow('cut');
  });

  it('closes its source when it is left, and leaves no sleep behind', async () => {
    const clock = createFixedClock();
    const { source, push, state } = createSource();
    const given = coalesceDeltas(source, clock);
    const first = given.next();
    push(text('a'));
    await settle();
    await clock.advance(50);
    await first;
    expect(state.isClosed).toBe(false);
    await given.return(undefined);
    expect(state.isClosed).toBe(true);
    expect(clock.pendingSleepsMs()).toEqual([]);
  });
});
