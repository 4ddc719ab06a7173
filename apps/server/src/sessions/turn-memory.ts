import type { SequencedEvent, StepSnapshotEvent } from '@fovea/core/content';

type Delta = Extract<SequencedEvent['event'], { readonly type: 'text-delta' | 'thinking-delta' }>;

/**
 * What the running turn of a session has told, for those who join late. Of a finished step the
 * deltas are dropped and their sum is kept, as a `step-snapshot` in the place of the last of them.
 */
export class TurnMemory {
  #events: SequencedEvent[] = [];
  #step = 0;
  /** Where the events of the running step begin. */
  #stepIndex = 0;

  add(told: SequencedEvent): void {
    const { event } = told;
    if (event.type === 'turn-accepted') {
      this.#events = [];
      this.#step = 0;
      this.#stepIndex = 0;
    }
    if (event.type === 'step-start') {
      this.#step = event.step;
      this.#stepIndex = this.#events.length;
    }
    this.#events.push(told);
    if (event.type === 'step-end' || event.type === 'turn-end') {
      const events = this.#events.slice(this.#stepIndex);
      this.#events.splice(this.#stepIndex, events.length, ...foldDeltas(events, this.#step));
      this.#step = 0;
      this.#stepIndex = this.#events.length;
    }
  }

  /**
   * What comes behind the event `after`. Where the deltas of a step are not all known to whoever
   * asks, its `step-snapshot` stands for them: it holds those that they know as well.
   */
  since(after: number): readonly SequencedEvent[] {
    const finished = this.#events.slice(0, this.#stepIndex);
    const running = this.#events.slice(this.#stepIndex);
    const isInside = running.some(({ seq, event }) => isDelta(event) && seq <= after);
    const folded = isInside ? running : foldDeltas(running, this.#step);
    return [...finished, ...folded].filter(({ seq }) => seq > after);
  }

  /** What the running step has said so far, and the `seq` until which that is all there is. */
  snapshot(): SequencedEvent | undefined {
    const running = this.#events.slice(this.#stepIndex);
    const folded = foldDeltas(running, this.#step).find(({ event }) => event.type === 'step-snapshot');
    const last = this.#events.at(-1);
    return folded === undefined || last === undefined ? undefined : { ...folded, seq: last.seq };
  }

  get lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }
}

function foldDeltas(events: readonly SequencedEvent[], step: number): readonly SequencedEvent[] {
  const last = events.findLast(({ event }) => isDelta(event));
  if (last === undefined) return events;
  const snapshot: StepSnapshotEvent = {
    type: 'step-snapshot',
    step,
    text: join(events, 'text-delta'),
    thinking: join(events, 'thinking-delta'),
  };
  return events.flatMap((told) => {
    if (told === last) return [{ ...told, event: snapshot }];
    return isDelta(told.event) ? [] : [told];
  });
}

function join(events: readonly SequencedEvent[], type: Delta['type']): string {
  return events.map(({ event }) => (event.type === type ? event.text : '')).join('');
}

function isDelta(event: SequencedEvent['event']): event is Delta {
  return event.type === 'text-delta' || event.type === 'thinking-delta';
}
