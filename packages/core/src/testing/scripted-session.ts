import { AppError } from '../base/app-error.ts';
import { fail, ok } from '../base/result.ts';
import type { FoveaEvent, SequencedEvent } from '../content/events.ts';
import type { ListedQueueItem, QueueHold, QueueSnapshot } from '../content/queue-item.ts';

interface ScriptedInput {
  readonly sessionId: string;
  readonly text: string;
  readonly model?: string;
  readonly intent?: ListedQueueItem['intent'];
}

interface ScriptedTurn<Input> {
  readonly item: ListedQueueItem;
  readonly input: Input & { readonly signal: AbortSignal };
  readonly events: AsyncIterator<FoveaEvent>;
  readonly first: IteratorResult<FoveaEvent>;
  readonly stop: AbortController;
}

/**
 * A session with a queue in memory whose turns are the events that `answer` gives: what a user
 * interface sees of one. The first event is asked for at the submission: `turn-refused` refuses it.
 */
export class ScriptedSession<Input extends ScriptedInput> {
  readonly #answer: (input: Input & { readonly signal: AbortSignal }) => AsyncIterable<FoveaEvent>;
  readonly #followers = new Set<(told: SequencedEvent) => void>();
  /** In the order in which they began; refused ones too. */
  readonly turns: Input[] = [];
  readonly submitted: Input[] = [];
  #waiting: ScriptedTurn<Input>[] = [];
  #running: ScriptedTurn<Input> | undefined;
  #held: { because: QueueHold; ids: Set<string> } | undefined;
  #count = 0;
  #seq = 0;

  constructor(answer: (input: Input & { readonly signal: AbortSignal }) => AsyncIterable<FoveaEvent>) {
    this.#answer = answer;
  }

  async submit(input: Input) {
    this.#count += 1;
    const turnId = `turn_${this.#count}`;
    this.submitted.push(input);
    const stop = new AbortController();
    const stoppable = { ...input, signal: stop.signal };
    const events = this.#answer(stoppable)[Symbol.asyncIterator]();
    const first = await events.next();
    if (first.done !== true && first.value.type === 'turn-refused') {
      this.turns.push(input);
      return fail(first.value.items);
    }
    const item: ListedQueueItem = {
      id: `item_${this.#count}`,
      sessionId: input.sessionId,
      submissionId: `sub_${this.#count}`,
      position: this.#count,
      state: 'queued',
      intent: input.intent ?? 'follow-up',
      turnId,
      text: input.text,
      imageInputs: [],
      references: [],
      model: input.model ?? '',
      consent: 'none',
      createdAt: '2026-11-30T10:00:00.000Z',
    };
    this.#waiting.push({ item, input: stoppable, events, first, stop });
    void this.#runNext();
    const { sessionId, submissionId, id: itemId } = item;
    return ok({ sessionId, submissionId, itemId, turnId, state: item.state, isRepeated: false, notices: [] });
  }

  async *follow(_sessionId: string, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<SequencedEvent> {
    const inbox: SequencedEvent[] = [];
    let wake = (): void => undefined;
    const listen = (told: SequencedEvent): void => {
      inbox.push(told);
      wake();
    };
    this.#followers.add(listen);
    signal.addEventListener('abort', () => wake(), { once: true });
    while (!signal.aborted) {
      const told = inbox.shift();
      if (told !== undefined) yield told;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    this.#followers.delete(listen);
  }

  async queue(sessionId: string): Promise<QueueSnapshot> {
    const running = this.#running === undefined ? [] : [{ ...this.#running.item, state: 'running' as const }];
    const items = [...running, ...this.#waiting.map(({ item }) => item)];
    const count = items.filter(({ id }) => this.#held?.ids.has(id)).length;
    const held = this.#held !== undefined && count > 0 ? { held: { because: this.#held.because, count } } : {};
    return { sessionId, access: 'read-write', items, ...held };
  }

  async removeQueued(sessionId: string, itemId: string): Promise<void> {
    if (!this.#waiting.some(({ item }) => item.id === itemId)) {
      throw new AppError('QUEUE_ITEM_NOT_FOUND', `no message ${itemId} waits in ${sessionId}`);
    }
    this.#waiting = this.#waiting.filter(({ item }) => item.id !== itemId);
  }

  async moveQueued(sessionId: string, itemId: string, beforeItemId: string | undefined): Promise<void> {
    const moved = this.#waiting.find(({ item }) => item.id === itemId);
    await this.removeQueued(sessionId, itemId);
    const place = this.#waiting.findIndex(({ item }) => item.id === beforeItemId);
    if (moved !== undefined) this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, moved);
  }

  async resumeQueue(): Promise<void> {
    this.#held = undefined;
    void this.#runNext();
  }

  async stopTurn(): Promise<boolean> {
    this.#running?.stop.abort();
    return this.#running !== undefined;
  }

  async #runNext(): Promise<void> {
    const next = this.#waiting.find(({ item }) => this.#held?.ids.has(item.id) !== true);
    if (this.#running !== undefined || next === undefined) return;
    this.#running = next;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.turns.push(next.input);
    this.#tell(next.item, {
      type: 'turn-accepted',
      sessionId: next.item.sessionId,
      turnId: next.item.turnId,
      submissionId: next.item.submissionId,
    });
    for (let given = next.first; given.done !== true; given = await next.events.next()) {
      const event = given.value;
      if (event.type === 'turn-accepted') continue;
      if (event.type === 'turn-end') this.#end(event.status);
      this.#tell(next.item, event);
    }
    this.#running = undefined;
    void this.#runNext();
  }

  #end(status: string): void {
    this.#running = undefined;
    if (status === 'completed') return;
    this.#held = {
      because: status === 'failed' ? 'failed' : 'stopped',
      ids: new Set(this.#waiting.map((one) => one.item.id)),
    };
  }

  #tell({ sessionId, turnId }: ListedQueueItem, event: FoveaEvent): void {
    this.#seq += 1;
    for (const listen of this.#followers) listen({ seq: this.#seq, sessionId, turnId, event });
  }
}
