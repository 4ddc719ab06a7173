import type { QueueItem } from '@fovea/core/content';
import type { Approvers } from './approvers.ts';
import type { SessionHub } from './session-hub.ts';

/** A turn that runs in this process. */
export interface WorkedTurn {
  readonly item: QueueItem;
  /** Ends it as the user's wish; its end is told as every other. */
  stop(): void;
  /** Ends it because nobody is there any more; resolves when it has ended. */
  leave(): Promise<void>;
}

/** Works on the queue of one session for this process. */
export interface QueueWorker {
  /** The turn that runs here now, or is about to. */
  readonly turn: WorkedTurn | undefined;
  /** Everything that waits is run, also what others submitted. */
  attend(): void;
  /** A submission of this process: it is run, and what stands before it. */
  own(turnId: string): void;
  /** The submission was taken back, or ended. */
  disown(turnId: string): void;
  /** Something may be there to run, or to settle because its process died. */
  wake(): void;
  /** Resolves when this process holds the session no longer, or runs a turn of it. */
  settle(): Promise<void>;
}

/** Everything that this process keeps of one session in memory. */
export interface SessionDesk {
  readonly hub: SessionHub;
  readonly approvers: Approvers;
  readonly runner: QueueWorker;
}

/** The sessions that this process has to do with. */
export interface SessionDesks {
  /** Made on first use. */
  at(sessionId: string): SessionDesk;
}
