import type { BlobSink } from '../attachments/blob-sink.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import type { ApprovalRequestEvent, SequencedEvent, StepSnapshotEvent, TurnStatus } from '../content/events.ts';
import type { FileChangeRecord } from '../content/file-change-record.ts';
import type { Message, Transcript, UserMessage } from '../content/messages.ts';
import type { QueueItem } from '../content/queue-item.ts';
import type { RequestPlan } from '../content/request-plan.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import type { ReferenceTarget } from '../tools/tool.ts';

/**
 * The records that a turn reads and writes. The store implements it; every method is one
 * transaction, durable when it resolves. Throws `STORE_UNAVAILABLE`, `RECORD_INVALID`.
 */
export interface TurnRecords {
  /**
   * The turn's row, its user message and the message's edges in the content graph. Throws
   * `SESSION_BUSY` while another turn of the session runs.
   */
  startTurn(turn: TurnRecord, message: UserMessage, place?: TurnPlace): Promise<void>;
  /** Before the first call of the turn that may change something: from then on it is not simply run again. */
  noteEffects(turnId: string): Promise<void>;
  /**
   * The waiting `steer` items of the session, in their order, become messages of the running turn:
   * stored and their items done in one transaction. Gives the stored messages; mostly none.
   */
  joinSteering(
    turn: Pick<TurnRecord, 'id' | 'sessionId'>,
    toMessage: (item: QueueItem) => UserMessage,
  ): Promise<readonly UserMessage[]>;
  /** Adds messages at the end of the session, in this order, with the edges of their pictures. */
  appendMessages(sessionId: string, messages: readonly Message[]): Promise<void>;
  endTurn(
    turnId: string,
    end: {
      readonly status: TurnStatus;
      readonly endedAt: string;
      readonly error?: { code: ErrorCode; message: string };
    },
  ): Promise<void>;
  /** Every message of the session, oldest first. */
  loadTranscript(sessionId: string): Promise<Transcript>;
  findVariant(originalDigest: Digest, variantKey: string): Promise<VariantRecord | undefined>;
  /** The record and the session's edge to the variant's bytes. The first writer of a key wins. */
  saveVariant(sessionId: string, record: VariantRecord): Promise<void>;
  /** The session's edge to a variant that was found; `false` when its bytes were collected meanwhile. */
  holdVariant(sessionId: string, record: VariantRecord): Promise<boolean>;
  /** The number of the session's next request, from 1; each call gives another. */
  takeRequestNumber(sessionId: string): Promise<number>;
  loadPlan(sessionId: string, endpointId: string): Promise<RequestPlan | undefined>;
  savePlan(plan: RequestPlan): Promise<void>;
}

/** Where a turn's message stands when it is not simply behind the last one. */
export interface TurnPlace {
  /** The user message in whose place it is put: it gets the same message before it. */
  readonly edits?: string;
}

/** What a running turn told, for those who follow it from another process. Throws `STORE_UNAVAILABLE`, `LEASE_LOST`. */
export interface EventRecords {
  /** One transaction: the events, and the newest state of the running step. */
  append(
    turn: Pick<TurnRecord, 'id' | 'sessionId'>,
    added: { readonly events: readonly SequencedEvent[]; readonly snapshot?: SequencedSnapshot },
  ): Promise<void>;
}

/** A step's snapshot with the `seq` of the last event that is in it. */
export interface SequencedSnapshot extends Omit<StepSnapshotEvent, 'type'> {
  readonly seq: number;
}

/** Stored bytes. `get` verifies them; throws `BLOB_MISSING`, `BLOB_DAMAGED`. */
export interface BlobStore extends BlobSink {
  get(digest: Digest): Promise<Uint8Array>;
}

/**
 * Who may read which bytes. The store implements it: a session reaches what its messages hold, and
 * a digest of another session is not found. Throws `STORE_UNAVAILABLE`.
 */
export interface ContentGraph {
  /** `hexPrefix`: 12 to 64 lower-case hexadecimal digits; anything else names nothing. */
  resolveReference(sessionId: string, hexPrefix: string): Promise<ReferenceTarget>;
}

/** What a person, or the caller in their place, says to a call that needs a decision. */
export type ApprovalDecision =
  | { readonly decision: 'allow'; readonly remember?: 'session' }
  /** `reason` is told to the model. */
  | { readonly decision: 'deny'; readonly reason?: string };

/** Who decides about calls that the profile does not decide. */
export interface Approver {
  /** Rejects with `CANCELED` when the signal is aborted while it waits. */
  decide(request: ApprovalRequestEvent, signal: AbortSignal): Promise<ApprovalDecision>;
}

/** Approvals that a session remembers, by the key of the call (tool and what it does). Throws `STORE_UNAVAILABLE`. */
export interface ApprovalRecords {
  isRemembered(sessionId: string, key: string): Promise<boolean>;
  remember(sessionId: string, key: string): Promise<void>;
}

/** What files were before tools changed them. Every method is durable when it resolves; throws `STORE_UNAVAILABLE`. */
export interface FileChangeRecords {
  /** The bytes of `beforeDigest` are stored already; the session gets an edge to them. */
  note(change: Omit<FileChangeRecord, 'seq'>): Promise<void>;
  /**
   * The changes of the session's newest turn that has any which are not settled, in their order;
   * empty when there is none. The caller holds the session.
   */
  lastUnsettled(sessionId: string): Promise<readonly FileChangeRecord[]>;
  /** The change is taken back, or is to stay: it is not given again. */
  settle(change: Pick<FileChangeRecord, 'sessionId' | 'seq'>, undoneAt: string): Promise<void>;
}

/** A number from 0 (inclusive) to 1 (exclusive), another one each time. */
export type RandomSource = () => number;
