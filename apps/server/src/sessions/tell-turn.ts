import { isAppError } from '@fovea/core/base';
import type { FoveaEvent, PlacedQueueItem, QueueItemFate, QueueSnapshot, SubmissionReceipt } from '@fovea/core/content';
import type { Store } from '@fovea/core/store';
import type { TurnInput } from '../fovea.ts';
import { SENDER_LEFT } from '../sender-left.ts';
import type { Services } from '../services.ts';
import { acceptSubmission } from './accept-submission.ts';
import { type Followed, followSession } from './follow-session.ts';
import { hasToWait, toQueueEvent } from './queue-states.ts';
import type { SessionDesk } from './session-desk.ts';

/** Submits, and tells of the turn to its end; see `Fovea.runTurn`. */
export async function* tellTurn(input: TurnInput, services: Services): AsyncGenerator<FoveaEvent> {
  const accepted = await acceptSubmission(input, services);
  if (!accepted.ok) {
    yield { type: 'turn-refused', items: accepted.error };
    return;
  }
  const { receipt, notices } = accepted.value;
  const { sessionId, turnId, submissionId } = receipt;
  const desk = (await services.openDesks()).at(sessionId);
  const telling = new AcceptedTurn(receipt, {
    store: await services.openStore('write'),
    queues: services.queues,
    desk,
  });
  const isLeaving = () => input.signal?.reason === SENDER_LEFT;
  const stop = () => void telling.stop(isLeaving()).catch((error: unknown) => desk.hub.fail(error));
  input.signal?.addEventListener('abort', stop, { once: true });
  if (input.signal?.aborted === true) stop();
  try {
    yield { type: 'turn-accepted', sessionId, turnId, submissionId };
    yield* notices;
    yield* telling.tell(services);
  } finally {
    input.signal?.removeEventListener('abort', stop);
    await telling.leave(isLeaving());
  }
}

/** A submission that was accepted, for the one who waits for its end. */
class AcceptedTurn {
  readonly #receipt: SubmissionReceipt;
  readonly #store: Store;
  readonly #desk: SessionDesk;
  readonly #queues: Services['queues'];
  readonly #leaving = new AbortController();
  /** The turn that is told: its own, or the one that a `steer` item became part of. */
  #turnId: string;
  #isOver = false;
  #shownQueue = '';

  constructor(
    receipt: SubmissionReceipt,
    { store, desk, queues }: { readonly store: Store; readonly desk: SessionDesk } & Pick<Services, 'queues'>,
  ) {
    this.#queues = queues;
    this.#receipt = receipt;
    this.#turnId = receipt.turnId;
    this.#store = store;
    this.#desk = desk;
  }

  async *tell(services: Services): AsyncGenerator<FoveaEvent> {
    const { sessionId } = this.#receipt;
    const desk = this.#desk;
    const { signal } = this.#leaving;
    const turnIds = () => [this.#turnId];
    const followed = followSession({ sessionId, desk, signal, turnIds, after: 0 }, services);
    yield* this.#look();
    for await (const one of followed) {
      yield* this.#pass(one);
      if (this.#isOver) return;
    }
  }

  /** The user's wish: what waits is taken back, what runs here is stopped, and what runs elsewhere goes on without us. */
  async stop(isLeaving: boolean): Promise<void> {
    if (this.#isOver || (!isLeaving && (await this.#takeBack()))) return;
    const turn = this.#ownTurn();
    if (turn === undefined) this.#leaving.abort();
    else turn.stop();
  }

  /** Nobody waits for the turn any more. Resolves when the session is free, unless it goes on with what waits. */
  async leave(isLeaving: boolean): Promise<void> {
    this.#leaving.abort();
    if (!this.#isOver && (isLeaving || !(await this.#takeBack()))) await this.#ownTurn()?.leave();
    this.#desk.runner.disown(this.#receipt.turnId);
    await this.#desk.runner.settle();
  }

  async *#pass(followed: Followed): AsyncGenerator<FoveaEvent> {
    if (followed.type === 'look') {
      yield* this.#look();
      return;
    }
    const { turnId, event } = followed.told;
    if (turnId !== this.#turnId || event.type === 'turn-accepted') return;
    this.#isOver = event.type === 'turn-end';
    yield event;
  }

  /** What became of the item meanwhile. */
  async *#look(): AsyncGenerator<FoveaEvent> {
    const { sessionId, itemId } = this.#receipt;
    const fate = await this.#store.queue.findItem(sessionId, itemId);
    const end = endOf(fate);
    if (end !== undefined) {
      this.#isOver = true;
      yield end;
      return;
    }
    this.#turnId = fate?.joinedTurnId ?? fate?.turnId ?? this.#turnId;
    if (fate?.state === 'queued' || this.#shownQueue === '') yield* this.#showQueue();
    if (fate?.state === 'running') await this.#takeOverFromDead();
  }

  async *#showQueue(): AsyncGenerator<FoveaEvent> {
    const { sessionId, itemId } = this.#receipt;
    const { queue } = this.#store;
    if (this.#desk.runner.turn === undefined && (await queue.hasRunnable(sessionId))) this.#desk.runner.wake();
    let snapshot = await queue.overview(sessionId);
    if (this.#isHeldByOthers(snapshot) && (await queue.goOnAlone(sessionId, itemId))) {
      this.#desk.runner.wake();
      snapshot = await queue.overview(sessionId);
    }
    const event = toQueueEvent(snapshot);
    const shown = JSON.stringify(event);
    if (shown === this.#shownQueue) return;
    const isFirst = this.#shownQueue === '';
    this.#shownQueue = shown;
    if (!isFirst || hasToWait(snapshot, itemId)) yield event;
  }

  /**
   * What was written in the expectation of an answer is held when that answer fails. Somebody who sent
   * one message from a process of its own, and waits for it, expected none of another.
   */
  #isHeldByOthers({ held, items }: QueueSnapshot<PlacedQueueItem>): boolean {
    if (this.#queues === 'all' || held === undefined) return false;
    if (held.because !== 'failed' && held.because !== 'stopped') return false;
    return items.some(({ id, state }) => id === this.#receipt.itemId && state === 'queued');
  }

  /** Whoever ran the item died: this process settles what they left, and works on the queue. */
  async #takeOverFromDead(): Promise<void> {
    if (this.#desk.runner.turn !== undefined) return;
    const holder = await this.#store.leases.find(this.#receipt.sessionId);
    if (holder === undefined) this.#desk.runner.wake();
  }

  async #takeBack(): Promise<boolean> {
    const { sessionId, itemId } = this.#receipt;
    const fate = await this.#store.queue.findItem(sessionId, itemId);
    if (fate?.state !== 'queued') return false;
    try {
      await this.#store.queue.remove(sessionId, itemId);
      this.#desk.hub.noteChange();
      return true;
    } catch (error) {
      // It began a moment ago.
      if (isAppError(error) && error.code === 'QUEUE_ITEM_NOT_FOUND') return false;
      throw error;
    }
  }

  #ownTurn() {
    const { turn } = this.#desk.runner;
    return turn?.item.id === this.#receipt.itemId ? turn : undefined;
  }
}

/** How a submission ended that became no turn; absent while it may become one, or has. */
function endOf(fate: QueueItemFate | undefined): FoveaEvent | undefined {
  // Its session was deleted.
  if (fate === undefined) return { type: 'turn-end', status: 'interrupted' };
  const { state, error } = fate;
  if (state === 'blocked') return { type: 'turn-end', status: 'failed', ...(error && { error: { ...error } }) };
  return state === 'done' && error?.code === 'CANCELED' ? { type: 'turn-end', status: 'stopped' } : undefined;
}
