import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import type { VariantChange } from '../base/variant-change.ts';
import type { FileDiff, ToolAttachment } from './messages.ts';
import type { PictureRegion } from './picture-region.ts';
import type { QueueItem, QueueSnapshot } from './queue-item.ts';

/**
 * What a turn tells the outside while it runs: `fovea run --json` prints one a line, the terminal
 * draws them. The shapes are fixed by `docs/reference/outside.md`; fields may be added. No event
 * carries base64 (requirements R153, R159, R184).
 */
export type FoveaEvent =
  | { readonly type: 'turn-accepted'; sessionId: string; turnId: string; submissionId: string }
  | { readonly type: 'turn-refused'; items: readonly RefusedItem[] }
  | { readonly type: 'step-start'; step: number; model: string }
  | RequestEvent
  | { readonly type: 'request-end'; request: number; accepted: boolean; code?: ErrorCode }
  | { readonly type: 'text-delta'; text: string }
  | { readonly type: 'thinking-delta'; text: string }
  | {
      readonly type: 'tool-call';
      toolCallId: string;
      name: string;
      /** The JSON text as the model wrote it. */
      arguments: string;
      activity?: ToolActivity;
    }
  | ApprovalRequestEvent
  | {
      readonly type: 'approval-result';
      toolCallId: string;
      decision: 'allowed' | 'denied';
      /** Who decided: a person or caller that was asked, an approval that the session remembers, or nobody: the profile. */
      by: 'user' | 'remembered' | 'profile';
    }
  | ToolResultEvent
  | ImageNoticeEvent
  | ReferenceNoticeEvent
  | {
      /** The same request goes out again: the endpoint asked for it, or was not there. */
      readonly type: 'retry';
      step: number;
      /** From 1. */
      attempt: number;
      delayMs: number;
      code: ErrorCode;
    }
  | {
      readonly type: 'usage';
      step: number;
      model: string;
      inputTokens: number;
      cachedTokens: number;
      outputTokens: number;
      /** Absent where no price is known. */
      cost?: Cost;
    }
  | StepSnapshotEvent
  | QueueEvent
  | { readonly type: 'step-end'; step: number }
  | {
      readonly type: 'turn-end';
      status: TurnStatus;
      error?: { code: ErrorCode; message: string };
    };

/**
 * What the running step has said until now. Given to whoever joins inside a step, in place of the
 * deltas that they missed; the deltas behind it go on from there.
 */
export interface StepSnapshotEvent {
  readonly type: 'step-snapshot';
  readonly step: number;
  readonly text: string;
  readonly thinking: string;
}

/** The queue of the session changed: what waits, in its order. */
export interface QueueEvent {
  readonly type: 'queue';
  readonly items: readonly Pick<QueueItem, 'id' | 'state' | 'intent' | 'submissionId' | 'turnId'>[];
  readonly held?: NonNullable<QueueSnapshot['held']>;
}

/**
 * An event with its place in the session: `seq` grows from event to event, over turns, processes
 * and restarts, with gaps. Whoever has seen an event asks for those behind its `seq`.
 */
export interface SequencedEvent {
  readonly seq: number;
  readonly sessionId: string;
  readonly turnId: string;
  readonly event: FoveaEvent;
}

/** An `@path` of the user's text that names something which may not be read: it stays text. */
export interface ReferenceNoticeEvent {
  readonly type: 'reference-notice';
  /** As typed, without the `@` and quotes. */
  readonly path: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** What an activity line shows of a call. */
export interface ToolActivity {
  kind: 'READ' | 'LIST' | 'SEARCH' | 'WRITE' | 'EDIT' | 'RUN' | 'PLAN';
  target: string;
}

/** A call that waits for a decision. Shows the user what exactly would happen. */
export interface ApprovalRequestEvent {
  readonly type: 'approval-request';
  readonly toolCallId: string;
  readonly name: string;
  /** The JSON text as the model wrote it. */
  readonly arguments: string;
  /** Why it is asked: it runs a program, or changes something outside the workspace. */
  readonly demand: 'execute' | 'write-outside';
  /** The command line, or the path. */
  readonly target: string;
  /**
   * A request of this turn held a picture, or a description of one, that came from a tool, an MCP
   * server or a URL: what it says may be a stranger's words.
   */
  readonly isAfterForeignPicture: boolean;
}

/** Money, in the currency of the price list. */
export interface Cost {
  amount: number;
  currency: 'USD' | 'CNY';
}

export type TurnStatus = 'completed' | 'failed' | 'stopped' | 'interrupted';

export interface RefusedItem {
  /** Position among the turn's attachments, from 0. */
  readonly index: number;
  readonly name: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly actual?: number;
  readonly limit?: number;
  readonly trueType?: string;
  readonly truncated?: boolean;
}

export interface RequestEvent {
  readonly type: 'request';
  /** The request's number in its session, from 1. */
  readonly request: number;
  readonly turnId: string;
  readonly step: number;
  readonly channel: string;
  readonly model: string;
  readonly wireApi: string;
  readonly bodyBytes: number;
  readonly bodyLimit?: number;
  readonly imagesTotal: number;
  /** Pictures that are new, or whose variant changed, since this session's previous request there. */
  readonly imagesChanged: readonly ImageChange[];
}

export interface ImageChange {
  readonly digest: Digest;
  readonly name: string;
  readonly originalWidthPx: number;
  readonly originalHeightPx: number;
  readonly mediaType: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** The part of the upright original that was sent; absent for the whole. */
  readonly region?: PictureRegion;
  readonly sizeBytes: number;
  readonly estimatedTokens: number;
  readonly change: readonly VariantChange[];
}

export interface ToolResultEvent {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly isError: boolean;
  /** The stripped result: text or JSON text, as the transcript stores it. */
  readonly result: string;
  /** Field names of the first origin document, section 5.12; the bytes are read by `digest`. */
  readonly preview?: {
    media_type: 'image';
    mime: string;
    digest: Digest;
    width: number;
    height: number;
    url?: string;
  };
  readonly attachments: readonly ToolAttachment[];
  /** What a writing tool changed. */
  readonly diff?: FileDiff;
}

export interface ImageNoticeEvent {
  readonly type: 'image-notice';
  readonly digest?: Digest;
  readonly name: string;
  readonly toolCallId?: string;
  readonly kind:
    | 'describing'
    | 'described'
    | 'description-failed'
    | 'replaced-by-notice'
    | 'refused-by-endpoint'
    | 'suspect'
    | 'evicted'
    | 'summarized'
    | 'refitted'
    | 'not-admitted'
    | 'missing';
  readonly code?: ErrorCode;
  readonly message: string;
  readonly channel?: string;
  readonly model?: string;
}
