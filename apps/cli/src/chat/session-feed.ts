import type { SequencedEvent } from '@fovea/core/content';
import type { Fovea } from '@fovea/server';

export interface SessionFeedOptions {
  readonly fovea: Fovea;
  /** The next event comes when the former one has been dealt with. */
  readonly onEvent: (told: SequencedEvent) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** Everything that the conversation's session tells, whoever runs it: a turn that runs is told from its beginning. */
export class SessionFeed {
  readonly #options: SessionFeedOptions;
  #sessionId: string | undefined;
  #leaving: AbortController | undefined;
  #lastSeq = 0;

  constructor(options: SessionFeedOptions) {
    this.#options = options;
  }

  /** Whether this session is followed. */
  isAt(sessionId: string): boolean {
    return this.#leaving !== undefined && this.#sessionId === sessionId;
  }

  /** Follows this session and no other one. After a failure it goes on where it was. */
  turnTo(sessionId: string): void {
    if (this.isAt(sessionId)) return;
    this.stop();
    if (this.#sessionId !== sessionId) this.#lastSeq = 0;
    this.#sessionId = sessionId;
    const leaving = new AbortController();
    this.#leaving = leaving;
    void this.#follow(sessionId, leaving);
  }

  stop(): void {
    this.#leaving?.abort();
    this.#leaving = undefined;
  }

  async #follow(sessionId: string, leaving: AbortController): Promise<void> {
    const { fovea, onEvent, onFailure } = this.#options;
    const { signal } = leaving;
    try {
      for await (const told of fovea.follow(sessionId, { after: this.#lastSeq, signal })) {
        if (signal.aborted) return;
        this.#lastSeq = told.seq;
        await onEvent(told);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#leaving = undefined;
      onFailure(error);
    }
  }
}
