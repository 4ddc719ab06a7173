import type { Approver, SessionUsage, UndoneTurn } from '@fovea/core/agent';
import type { AppError, Digest, Locale, Refusal, Result, VariantChange } from '@fovea/core/base';
import type { ImageInputCapability, WireApi } from '@fovea/core/catalog';
import type {
  AttachmentRef,
  FoveaEvent,
  ImageLink,
  Message,
  QueueIntent,
  QueueSnapshot,
  ReferenceNoticeEvent,
  RefusedItem,
  SequencedEvent,
  Session,
  SessionSummary,
  SubmissionReceipt,
  Transcript,
  TurnRecord,
} from '@fovea/core/content';
import type { CheckReport, CollectionReport } from '@fovea/core/store';
import type { ConsentInAdvance } from './create-approver.ts';

/** A model that can be chosen, with where its facts come from. */
export interface ModelChoice {
  /** `channel/model`, as `-m` takes it. */
  readonly id: string;
  readonly channel: string;
  readonly model: string;
  readonly wireApi: WireApi;
  readonly imageInput: ImageInputCapability;
  /** `config`: the configuration names it; `environment`: a key or local server was found; `built-in`: the offline reader. */
  readonly origin: 'config' | 'environment' | 'built-in';
  readonly contextTokens?: number;
}

/**
 * One picture that the user gives: a path (relative ones start at the workspace), an `http://` or
 * `https://` URL, or a file that the user keeps at a channel's supplier. URLs and files are passed
 * through where the endpoint takes them, and refuse the turn with `URL_NOT_ALLOWED` where not.
 */
export type TurnAttachment = string | ImageLink;

/** One submission of the user. */
export interface TurnInput {
  readonly sessionId: string;
  /** Exactly as typed. What `@path` names in it is added beside it; see `FileReference`. */
  readonly text: string;
  /** Where `@path` counts, when not in all of `text`: what was piped in names nothing. */
  readonly referencesIn?: string;
  /** In the order in which the model shall see them; pictures that `@path` names come behind them. */
  readonly attachments: readonly TurnAttachment[];
  /** `channel/model`; absent means the session's. */
  readonly model?: string;
  /** Repeatable: the caller's id of this submission. */
  readonly submissionId?: string;
  /** Absent: `follow-up`, a turn of its own. */
  readonly intent?: QueueIntent;
  /** What is allowed beforehand where nobody can be asked: another process may run the turn. Absent: nothing. */
  readonly consent?: ConsentInAdvance;
  /** The user message in whose place this one is put: the conversation goes on from the message before it. */
  readonly edits?: string;
  /** Takes back what waits and stops what runs; with the reason `SENDER_LEFT` what waits stays in the queue. */
  readonly signal?: AbortSignal;
  /** Decides what the session's profile does not, where this process runs the turn. Absent: `consent` decides. */
  readonly approver?: Approver;
}

/** What admission says of one file; `verdict: "text"` only with `as: "read-file"`. */
export type Inspection =
  | {
      readonly verdict: 'accepted';
      readonly path: string;
      readonly mediaType: string;
      readonly widthPx: number;
      readonly heightPx: number;
      readonly sizeBytes: number;
      readonly frames: number;
      readonly digest: Digest;
    }
  | { readonly verdict: 'text'; readonly path: string; readonly sizeBytes: number }
  | { readonly verdict: 'refused'; readonly path: string; readonly refusal: Refusal };

export interface InspectOptions {
  readonly as: 'view-image' | 'read-file' | 'attachment';
  readonly workspace: string;
  /** Id of a limit row, for `variant`. */
  readonly endpoint?: string;
  readonly signal?: AbortSignal;
}

/** What would be sent instead of a picture. */
export interface WireVariant {
  readonly bytes: Uint8Array;
  readonly reference: AttachmentRef;
  /** What was done to the original; `['none']` when these are its own bytes. */
  readonly changes: readonly VariantChange[];
}

/** What a submission is answered with. */
export interface AcceptedReceipt extends SubmissionReceipt {
  /** What `@path` of its text named and may not be read; none where it was accepted before. */
  readonly notices: readonly ReferenceNoticeEvent[];
}

/** A process that works on a session. */
export interface SessionHolder {
  readonly pid: number;
  readonly host: string;
  /** It is this one. */
  readonly isHere: boolean;
}

/** Work on the whole store that may take long. */
export interface MaintenanceOptions {
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/**
 * The services of one running Fovea, made by `compose`. The command line and the server use this
 * and nothing below it.
 */
export interface Fovea {
  readonly locale: Locale;
  /** Every model that may answer, configured ones first. Never empty: the offline reader is last. */
  listModels(): Promise<readonly ModelChoice[]>;
  /**
   * The model for a turn: `requested`, else the configuration's default, else the only choice.
   * Fails with `UNKNOWN_CHANNEL`, `UNKNOWN_MODEL`, `KEY_MISSING`, or `NO_MODEL_CHOSEN` with the
   * choices in `data.choices`.
   */
  chooseModel(requested?: string): Promise<Result<ModelChoice, AppError>>;
  /** `workspace` is a path; fails with `NOT_FOUND` when it is empty or no folder. */
  createSession(input: { readonly workspace: string; readonly model: string }): Promise<Result<Session, AppError>>;
  /**
   * By id or by a beginning of it; absent when no session begins so. Throws `AMBIGUOUS_NAME` with
   * the ids in `data.candidates` when several do. Sessions without messages, which no list shows,
   * are meant by a beginning only where no other begins so.
   */
  findSession(idOrPrefix: string): Promise<Session | undefined>;
  /**
   * The session with messages that was used last, in `workspace` if given; where none has messages,
   * the one made last, so that one goes on with it after its first turn was refused.
   */
  latestSession(workspace?: string): Promise<Session | undefined>;
  /** Those that have messages, used last first. */
  listSessions(limit: number): Promise<readonly SessionSummary[]>;
  loadTranscript(sessionId: string): Promise<Transcript>;
  /**
   * The turns of the session that were broken off, oldest first: their process was killed, or its
   * caller left. A message belongs to one of them by its `turnId`. Throws `SESSION_NOT_FOUND`.
   */
  interruptedTurns(sessionId: string): Promise<readonly TurnRecord[]>;
  /**
   * The newest messages of the session, or the newest before one, oldest first. Reads no more rows
   * than it gives, and no picture. Throws `SESSION_NOT_FOUND`.
   */
  loadMessages(
    sessionId: string,
    page: {
      /** The id of a message; absent: from the newest on. */
      readonly before?: string;
      readonly limit: number;
    },
  ): Promise<readonly Message[]>;
  /**
   * Accepts one submission: it is durable when this resolves, and runs as soon as the session is
   * free, here or in the process that works on the session. Never waits for the turn. The same
   * submission id with the same content is answered with the same receipt, whatever became of its
   * files. Fails with every item that was not admitted; then nothing is stored.
   *
   * Throws `SESSION_NOT_FOUND`, `SUBMISSION_CONFLICT`, `QUEUE_FULL`, `QUEUE_READ_ONLY`,
   * `TEXT_TOO_LONG`, `NOT_FOUND` where `edits` is no message of the session, and what finding the
   * model throws.
   */
  submit(input: TurnInput): Promise<Result<AcceptedReceipt, readonly RefusedItem[]>>;
  /**
   * Submits, and tells of the turn. The first event is `turn-accepted` (it is durable then) or
   * `turn-refused`; while it waits for others, `queue` says what waits; the last event of an accepted
   * turn is `turn-end`. The same whether this process runs the turn or another one. A repeated
   * submission is told from what is stored of it.
   *
   * Whoever leaves the iteration, or aborts `signal`, takes a waiting submission back; a turn that
   * runs in this process is stopped; a turn of another process goes on. Never throws for a failure
   * of model, endpoint or tool; throws as {@link Fovea.submit}, and for a broken store.
   */
  runTurn(input: TurnInput): AsyncIterable<FoveaEvent>;
  /**
   * Everything that the turns of the session tell from now on, or behind the event `after`, whoever
   * runs them; ends when `signal` is aborted. Whoever joins inside a step is given `step-snapshot`
   * first. Of turns that have ended before, the messages are the history.
   * Throws `SESSION_NOT_FOUND`.
   */
  follow(
    sessionId: string,
    options: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncIterable<SequencedEvent>;
  /** What waits in the session. Throws `SESSION_NOT_FOUND`. */
  queue(sessionId: string): Promise<QueueSnapshot>;
  /**
   * Makes this process work on the session as far as no other one does: what a dead process left is
   * settled when this resolves, and what waits and is not held begins. From then on `approver` decides
   * where neither the turn's own sender nor a consent does. Throws `SESSION_NOT_FOUND`, `STORE_UNAVAILABLE`.
   */
  attendSession(sessionId: string, approver?: Approver): Promise<void>;
  /** Stops the turn that this process runs in the session, and holds what waits; `false` where it runs none. */
  stopTurn(sessionId: string): Promise<boolean>;
  /** The process that works on the session now; absent where none does. */
  findSessionHolder(sessionId: string): Promise<SessionHolder | undefined>;
  /** Takes a submission back that does not run. Throws `QUEUE_ITEM_NOT_FOUND`, `QUEUE_READ_ONLY`. */
  removeQueued(sessionId: string, itemId: string): Promise<void>;
  /** Puts a waiting item before another one, or last. Throws `QUEUE_ITEM_NOT_FOUND`, `QUEUE_READ_ONLY`. */
  moveQueued(sessionId: string, itemId: string, beforeItemId: string | undefined): Promise<void>;
  /** Lets a blocked or uncertain item run again. Throws `QUEUE_ITEM_NOT_FOUND`, `QUEUE_READ_ONLY`. */
  requeue(sessionId: string, itemId: string): Promise<void>;
  /** Lets held items run. Throws `SESSION_NOT_FOUND`, `QUEUE_READ_ONLY`. */
  resumeQueue(sessionId: string): Promise<void>;
  /** A session of its own that begins with this one's messages; their pictures are not copied. Throws `SESSION_NOT_FOUND`. */
  forkSession(sessionId: string): Promise<Session>;
  /** Throws `SESSION_NOT_FOUND`, `SESSION_BUSY` while somebody works on it. */
  deleteSession(sessionId: string): Promise<void>;
  /**
   * The session goes on behind the message; what came after it stays stored as another course.
   * Throws `SESSION_NOT_FOUND`, `NOT_FOUND` for the message, `SESSION_BUSY`.
   */
  rewindSession(sessionId: string, messageId: string): Promise<void>;
  /** Looks at every record and every stored byte; changes nothing. */
  checkStore(options?: MaintenanceOptions): Promise<CheckReport>;
  /** Deletes the bytes that nothing holds; safe beside running turns and other processes. */
  collectGarbage(options?: MaintenanceOptions): Promise<CollectionReport>;
  /**
   * Takes back the file changes of the last turn that made some and was not taken back yet; absent
   * when there is none. Throws `SESSION_NOT_FOUND`, `SESSION_BUSY` while somebody works on the session.
   */
  undo(sessionId: string): Promise<UndoneTurn | undefined>;
  /** Throws `SESSION_NOT_FOUND`. */
  sessionUsage(sessionId: string): Promise<SessionUsage>;
  /** Throws `SESSION_NOT_FOUND`. */
  renameSession(sessionId: string, title: string): Promise<void>;
  inspect(paths: readonly string[], options: InspectOptions): Promise<readonly Inspection[]>;
  /** The wire variant of one accepted picture for the limit row `options.endpoint`. */
  makeVariant(path: string, options: InspectOptions): Promise<Result<WireVariant, Refusal>>;
  close(): Promise<void>;
}
