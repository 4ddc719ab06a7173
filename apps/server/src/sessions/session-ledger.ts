import type { FoveaEvent, Message, SequencedEvent, TurnRecord } from '@fovea/core/content';
import { TurnTelling } from './turn-telling.ts';

/**
 * What one who follows a session has been told, whether it came from this process, from rows of
 * another one, or from stored messages: each thing is told once, in the order of `seq`.
 */
export class SessionLedger {
  readonly #sessionId: string;
  readonly #tellings = new Map<string, TurnTelling>();
  readonly #endedIds = new Set<string>();
  #lastSeq: number;

  /** @param lastSeq Of the last event that is known already. */
  constructor(sessionId: string, lastSeq = 0) {
    this.#sessionId = sessionId;
    this.#lastSeq = lastSeq;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  isEnded(turnId: string): boolean {
    return this.#endedIds.has(turnId);
  }

  /** Of this turn nothing is told any more. */
  close(turnId: string): void {
    this.#endedIds.add(turnId);
    this.#tellings.delete(turnId);
  }

  /**
   * Begins inside a turn whose events so far are these: with `after`, behind that one, and without,
   * behind all of them, with what the open step has said.
   */
  join(events: readonly SequencedEvent[], after: number | undefined): readonly SequencedEvent[] {
    for (const { seq, turnId, event } of events) {
      if (after !== undefined && seq > after) continue;
      this.#tellingOf(turnId).note(event);
      this.#lastSeq = Math.max(this.#lastSeq, seq);
    }
    const last = events.at(-1);
    if (last === undefined) return [];
    const telling = this.#tellingOf(last.turnId);
    if (after === undefined) {
      const snapshot = telling.snapshot();
      return snapshot === undefined ? [] : [{ ...last, seq: this.#lastSeq, event: snapshot }];
    }
    telling.forgetWords();
    return [];
  }

  /** What an event adds to what was told; nothing when it was told. Of a snapshot that is mostly its growth. */
  tell({ seq, turnId, event }: SequencedEvent): readonly SequencedEvent[] {
    if (seq <= this.#lastSeq || this.isEnded(turnId)) return [];
    const news = event.type === 'step-snapshot' ? this.#tellingOf(turnId).growthOf(event) : [event];
    // A snapshot that grew by words and by thoughts holds at least two events that were not told.
    return news.map((one, index) => this.#note(turnId, one, seq - (news.length - 1 - index)));
  }

  /**
   * What is missing of a turn that ended and whose events are gone. Each of them stands for at least
   * one event that was not told, so that their numbers stay below those of the next turn.
   */
  *tellRest(turn: TurnRecord, messages: readonly Message[]): Generator<SequencedEvent> {
    if (this.isEnded(turn.id)) return;
    for (const event of this.#tellingOf(turn.id).restOf(messages, turn)) {
      yield this.#note(turn.id, event, this.#lastSeq + 1);
    }
  }

  #note(turnId: string, event: FoveaEvent, seq: number): SequencedEvent {
    this.#tellingOf(turnId).note(event);
    this.#lastSeq = seq;
    if (event.type === 'turn-end') this.close(turnId);
    return { seq, sessionId: this.#sessionId, turnId, event };
  }

  #tellingOf(turnId: string): TurnTelling {
    const telling = this.#tellings.get(turnId) ?? new TurnTelling();
    this.#tellings.set(turnId, telling);
    return telling;
  }
}
