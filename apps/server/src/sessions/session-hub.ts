import type { SequencedEvent } from '@fovea/core/content';
import { TurnMemory } from './turn-memory.ts';

/**
 * What a session tells inside of this process: an event of its running turn, that its queue or who
 * works on it changed, or why the work on it ended here.
 */
export type SessionNews =
  | { readonly type: 'event'; readonly told: SequencedEvent }
  | { readonly type: 'changed' }
  | { readonly type: 'failed'; readonly error: unknown };

/** Hands the events of the turns that this process runs in one session to everyone who follows it. */
export class SessionHub {
  readonly #memory = new TurnMemory();
  readonly #listeners = new Set<(news: SessionNews) => void>();

  publish(told: SequencedEvent): void {
    this.#memory.add(told);
    this.#tell({ type: 'event', told });
  }

  /** Something that is no event of a turn: an item came, went or waits for another reason. */
  noteChange(): void {
    this.#tell({ type: 'changed' });
  }

  fail(error: unknown): void {
    this.#tell({ type: 'failed', error });
  }

  /**
   * Tells what is remembered behind `after`, or without it the state of the running step, and then
   * everything that comes. Nothing is lost or doubled in between: both happen in one go. Gives what
   * ends it.
   */
  subscribe(after: number | undefined, listener: (news: SessionNews) => void): () => void {
    const snapshot = this.#memory.snapshot();
    const whole = snapshot === undefined ? [] : [snapshot];
    for (const told of after === undefined ? whole : this.#memory.since(after)) listener({ type: 'event', told });
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves at the next news of any kind. */
  async nextNews(): Promise<void> {
    await new Promise<void>((resolve) => {
      const unsubscribe = this.subscribe(Number.MAX_SAFE_INTEGER, () => {
        unsubscribe();
        resolve();
      });
    });
  }

  get lastSeq(): number {
    return this.#memory.lastSeq;
  }

  #tell(news: SessionNews): void {
    for (const listener of [...this.#listeners]) listener(news);
  }
}
