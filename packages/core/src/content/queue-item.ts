import type { ErrorCode } from '../base/error-codes.ts';
import type { FileReference } from './file-reference.ts';
import type { ImageInput, UserPicture } from './image-input.ts';

/** The schema of queue items that this build writes, and the newest that it understands (requirement R137). */
export const QUEUE_SCHEMA = 3;

/** `follow-up` waits for its own turn; `steer` joins the turn that is running, at its next step. */
export type QueueIntent = 'follow-up' | 'steer';

/**
 * Where an item stands.
 *
 * - `queued`: it waits for the session to be free.
 * - `running`: its turn runs.
 * - `blocked`: its turn could not begin, for instance because its model is gone; `error` says why.
 * - `uncertain`: its process died after a call may have changed something; nobody knows how far it
 *   came, so only the user may let it run again.
 * - `done`: its turn ended, however, or it was removed before (`error` is `CANCELED`); it is kept as the
 *   receipt of its submission.
 */
export type QueueItemState = 'queued' | 'running' | 'blocked' | 'uncertain' | 'done';

/** What its sender allowed beforehand, where whoever runs the item cannot ask them. */
export type ItemConsent = 'none' | 'yes' | 'yes-all';

/** What was submitted, frozen: pictures are admitted and stored, what `@path` named is read. */
export interface Submission {
  readonly submissionId: string;
  readonly intent: QueueIntent;
  /** Exactly as typed. At most {@link QUEUE_TEXT_BYTES}. */
  readonly text: string;
  readonly imageInputs: readonly ImageInput[];
  readonly references: readonly FileReference[];
  /** `channel/model`. */
  readonly model: string;
  readonly consent: ItemConsent;
  /** The user message in whose place this one is put, on another course of the conversation. */
  readonly edits?: string;
}

/** One message that waits in a session, or has waited. */
export interface QueueItem extends Submission {
  readonly id: string;
  readonly sessionId: string;
  /** Order among the items of the session. */
  readonly position: number;
  readonly state: QueueItemState;
  /** Of the turn that the item becomes; chosen when it is submitted. */
  readonly turnId: string;
  /** Of the running turn that a `steer` item became part of. */
  readonly joinedTurnId?: string;
  readonly error?: QueueItemError;
  readonly createdAt: string;
}

/** Why an item is blocked, or was not run. */
export interface QueueItemError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** An item as it is listed: also one of an older or newer schema, which cannot run as it is. */
export interface ListedQueueItem extends Omit<QueueItem, 'imageInputs'> {
  /** Those of schema 2 may hold their bytes themselves. */
  readonly imageInputs: readonly UserPicture[];
  /** Its content is of a newer schema or damaged: its text is empty, its place and state are right. */
  readonly isUnreadable?: true;
}

/** What became of an item, for whoever waits for it. */
export type QueueItemFate = Pick<QueueItem, 'id' | 'state' | 'turnId' | 'joinedTurnId' | 'error'>;

/** What a submission is answered with; the same id gives the same receipt. */
export interface SubmissionReceipt {
  readonly sessionId: string;
  readonly submissionId: string;
  readonly itemId: string;
  readonly turnId: string;
  readonly state: QueueItemState;
  /** It was accepted before, and was not accepted again. */
  readonly isRepeated: boolean;
}

/** Why items wait although the session is free. */
export type QueueHold =
  /** A process died in a turn that may have changed something. */
  | 'interrupted'
  /** The user stopped the turn before them. */
  | 'stopped'
  /** The turn before them failed. */
  | 'failed'
  /** The item before them is blocked. */
  | 'blocked'
  /** A newer Fovea wrote the queue. */
  | 'newer-schema';

/** What of an item its place in the queue tells: no text, no picture. */
export type PlacedQueueItem = Pick<QueueItem, 'id' | 'position' | 'state' | 'intent' | 'submissionId' | 'turnId'>;

/** The items of one session that are not done, in their order. */
export interface QueueSnapshot<Item extends PlacedQueueItem = ListedQueueItem> {
  readonly sessionId: string;
  /** `read-only`: written by a newer Fovea; nothing may be added, moved, removed or run. */
  readonly access: 'read-write' | 'read-only';
  /** Items that wait until the user goes on, and why; absent when none does. */
  readonly held?: { readonly because: QueueHold; readonly count: number };
  readonly items: readonly Item[];
}

/** Items of one session that may wait at a time. */
export const QUEUE_ITEMS = 64;

/** Bytes of UTF-8 that the text of one item may have. */
export const QUEUE_TEXT_BYTES = 4 * 1024 * 1024;
