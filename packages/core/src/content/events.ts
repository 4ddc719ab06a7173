import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import type { VariantChange } from '../base/variant-change.ts';
import type { ToolAttachment } from './messages.ts';
import type { PictureRegion } from './picture-region.ts';

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
      activity?: { kind: 'READ' | 'LIST'; target: string };
    }
  | ToolResultEvent
  | ImageNoticeEvent
  | {
      readonly type: 'usage';
      step: number;
      model: string;
      inputTokens: number;
      cachedTokens: number;
      outputTokens: number;
    }
  | { readonly type: 'step-end'; step: number }
  | {
      readonly type: 'turn-end';
      status: TurnStatus;
      error?: { code: ErrorCode; message: string };
    };

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
