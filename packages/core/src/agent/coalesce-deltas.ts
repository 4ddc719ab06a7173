import type { Clock } from '../base/clock.ts';
import { KIB } from '../base/units.ts';
import type { FoveaEvent } from '../content/events.ts';

/** How long a word may wait for more words. */
const WAIT_MS = 50;

/** Bytes of UTF-8 that one delta has at least when it is given before its time is over. */
const FULL_BYTES = 2 * KIB;

type Delta = Extract<FoveaEvent, { type: 'text-delta' | 'thinking-delta' }>;

type Arrival =
  | { readonly type: 'event'; readonly event: FoveaEvent }
  | { readonly type: 'end' }
  | { readonly type: 'fault'; readonly error: unknown }
  /** What is held has waited long enough. */
  | { readonly type: 'time' };

/**
 * The same events with fewer deltas: those of one kind that follow each other become one, which is
 * given when it is {@link FULL_BYTES} long, after {@link WAIT_MS}, or as soon as anything else comes.
 *
 * Nothing changes its place, and what came before a fault of the source is given before it is thrown.
 * The source is read only when somebody waits for it, and at most one event ahead; whoever leaves
 * closes it.
 */
export async function* coalesceDeltas(events: AsyncIterable<FoveaEvent>, clock: Clock): AsyncGenerator<FoveaEvent> {
  const source = events[Symbol.asyncIterator]();
  const held = new HeldDelta(clock);
  let reading: Promise<Arrival> | undefined;
  try {
    for (;;) {
      reading ??= readNext(source);
      const arrival = await held.orTime(reading);
      if (arrival.type !== 'time') reading = undefined;
      if (arrival.type === 'event' && held.take(arrival.event)) {
        if (held.isFull) yield* held.give();
        continue;
      }
      yield* held.give();
      if (arrival.type === 'end') return;
      if (arrival.type === 'fault') throw arrival.error;
      if (arrival.type === 'event' && !held.take(arrival.event)) yield arrival.event;
    }
  } finally {
    held.drop();
    await source.return?.();
  }
}

/** Never rejects: nobody may be waiting for it when the source fails. */
async function readNext(source: AsyncIterator<FoveaEvent>): Promise<Arrival> {
  try {
    const next = await source.next();
    return next.done === true ? { type: 'end' } : { type: 'event', event: next.value };
  } catch (error) {
    return { type: 'fault', error };
  }
}

/** The delta that grows, and the time that it has left. */
class HeldDelta {
  readonly #clock: Clock;
  #type: Delta['type'] = 'text-delta';
  #texts: string[] = [];
  #sizeBytes = 0;
  #time: Promise<Arrival> | undefined;
  #timer = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isFull(): boolean {
    return this.#sizeBytes >= FULL_BYTES;
  }

  /** Whether the event became part of what is held: a delta, and of the same kind. */
  take(event: FoveaEvent): boolean {
    if (event.type !== 'text-delta' && event.type !== 'thinking-delta') return false;
    if (this.#texts.length > 0 && event.type !== this.#type) return false;
    this.#type = event.type;
    this.#texts.push(event.text);
    this.#sizeBytes += new TextEncoder().encode(event.text).length;
    this.#time ??= this.#countDown();
    return true;
  }

  /** The arrival, or that the time is over, whichever is first. */
  orTime(reading: Promise<Arrival>): Promise<Arrival> {
    return this.#time === undefined ? reading : Promise.race([this.#time, reading]);
  }

  /** What is held, if anything; nothing is held from then on. */
  *give(): Generator<FoveaEvent> {
    const text = this.#texts.join('');
    const isHeld = this.#texts.length > 0;
    this.drop();
    if (isHeld) yield { type: this.#type, text };
  }

  drop(): void {
    this.#texts = [];
    this.#sizeBytes = 0;
    this.#time = undefined;
    this.#timer.abort();
  }

  #countDown(): Promise<Arrival> {
    this.#timer = new AbortController();
    const over: Arrival = { type: 'time' };
    return this.#clock.sleep(WAIT_MS, this.#timer.signal).then(
      () => over,
      () => over,
    );
  }
}
