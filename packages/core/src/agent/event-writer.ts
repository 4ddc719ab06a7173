import { toAppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { SequencedEvent } from '../content/events.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { EventRecords, SequencedSnapshot } from './ports.ts';

/** Between a write and the next one that nobody waits for. */
const WRITE_INTERVAL_MS = 1_000;

export interface EventWriterOptions {
  readonly turn: Pick<TurnRecord, 'id' | 'sessionId'>;
  readonly records: EventRecords;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/**
 * Writes what a turn tells, for those who follow it from elsewhere: at most once a second, and at
 * once where somebody asks for it. Deltas are no rows; a snapshot of the running step holds them.
 *
 * A write that fails loses nothing of the turn, and is tried again with the next one: what a full
 * disk means for the turn is told by the turn's own writes. Only a lost lease is for good.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #events: readonly SequencedEvent[] = [];
  #step: SequencedSnapshot = { seq: 0, step: 0, text: '', thinking: '' };
  #isSnapshotDue = false;
  #lastWriteMs = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();
  #timer: AbortController | undefined;
  #isLost = false;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Another process writes into the session now: nothing is written any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Takes one event, and writes it within a second. */
  add(told: SequencedEvent): void {
    this.#take(told);
    if (this.#timer === undefined) void this.#writeInTime();
  }

  /** Writes one event and everything before it; resolves when it is durable, or could not be made so. */
  addDurably(told: SequencedEvent): Promise<void> {
    this.#take(told);
    return this.#write();
  }

  /** What was not written yet never is; resolves when no write goes on. */
  async stop(): Promise<void> {
    this.#cancelTimer();
    this.#events = [];
    this.#isSnapshotDue = false;
    await this.#writing;
  }

  #take(told: SequencedEvent): void {
    const { event, seq } = told;
    if (event.type === 'text-delta' || event.type === 'thinking-delta') {
      const word = event.type === 'text-delta' ? 'text' : 'thinking';
      this.#step = { ...this.#step, seq, [word]: this.#step[word] + event.text };
      this.#isSnapshotDue = true;
    } else {
      this.#events = [...this.#events, told];
      if (event.type === 'step-start') this.#step = { seq, step: event.step, text: '', thinking: '' };
    }
  }

  #write(): Promise<void> {
    this.#cancelTimer();
    this.#lastWriteMs = this.#options.clock.nowMs();
    this.#writing = this.#writing.then(() => this.#append());
    return this.#writing;
  }

  async #writeInTime(): Promise<void> {
    const { clock } = this.#options;
    const timer = new AbortController();
    this.#timer = timer;
    const restMs = this.#lastWriteMs + WRITE_INTERVAL_MS - clock.nowMs();
    try {
      if (restMs > 0) await clock.sleep(Math.min(restMs, WRITE_INTERVAL_MS), timer.signal);
    } catch {
      return;
    }
    await this.#write();
  }

  #cancelTimer(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }

  async #append(): Promise<void> {
    const { turn, records, logger } = this.#options;
    const events = this.#events;
    const snapshot = this.#isSnapshotDue ? this.#step : undefined;
    if (this.#isLost || (events.length === 0 && snapshot === undefined)) return;
    this.#events = [];
    this.#isSnapshotDue = false;
    try {
      await records.append(turn, { events, ...(snapshot && { snapshot }) });
    } catch (error) {
      const { code } = toAppError(error);
      logger?.warn('events-not-written', { sessionId: turn.sessionId, turnId: turn.id, code });
      this.#isLost = code === 'LEASE_LOST';
      this.#events = [...events, ...this.#events];
      this.#isSnapshotDue ||= snapshot !== undefined;
    }
  }
}
