import type { LimitRow } from '../../catalog/limit-row.ts';
import type { CheckFailure, CheckRefusal } from './check-failure.ts';
import type { RequestPicture } from './request-picture.ts';

/** How an endpoint that takes no pictures refuses one. */
export interface BlindRefusal {
  /** `parse`: before all else, by its parser; `content`: among the checks of content. */
  readonly at: 'parse' | 'content';
  readonly refuse: (picture: RequestPicture, rawText: string) => CheckRefusal;
}

/** A header that may carry the key. */
export type KeyHeaderName = 'authorization' | 'x-api-key' | 'api-key';

/** How one kind of endpoint speaks Anthropic Messages. */
export interface MessagesManners {
  /** What an image source may be. */
  readonly sources: readonly ('base64' | 'url' | 'file')[];
  /** Whether pictures are taken inside `tool_result`. */
  readonly toolResultImages: boolean;
  /** Whether `cache_control` is known. */
  readonly cacheControl: boolean;
  /** Whether a version header is demanded. */
  readonly version: boolean;
  /** How a side that is too long is refused: with machine-readable details, or in words alone. */
  readonly dimensionErrors: 'details' | 'words';
}

/** How one kind of endpoint speaks Responses. */
export interface ResponsesManners {
  /** Nothing may stand between a call and its output. */
  readonly strictPairs?: true;
  /** Outputs are words, never lists. */
  readonly stringOutputsOnly?: true;
  /** Files that were uploaded, by their ids. */
  readonly files?: Readonly<Record<string, 'ready' | 'expired'>>;
  /** Instead of these fields of the personality's limits. */
  readonly limits?: Partial<LimitRow>;
}

/** How one kind of endpoint behaves. Its name is the first part of its base path. */
export interface Personality {
  readonly limits: LimitRow;
  /** Absent: it sees. */
  readonly blind?: BlindRefusal;
  /** It takes pictures and looks at none. */
  readonly ignoresPictures?: true;
  /** Keys that it takes besides those of the protocol. */
  readonly extraKeys: {
    readonly body: readonly string[];
    readonly message: readonly string[];
    /** Chat: of a part with a picture, and of its `image_url`. */
    readonly part?: readonly string[];
    readonly image?: readonly string[];
  };
  /** Chat: `image_url` may be the address itself instead of an object. */
  readonly bareImageUrls?: true;
  /** What a too large body is answered with: its own JSON, or the page of a proxy before it. */
  readonly oversizeBody: 'json' | 'html';
  /** Where it looks for the key; absent: where its wire does. Empty: it wants none. */
  readonly keyHeaders?: readonly KeyHeaderName[];
  /** Chat: every assistant message of a tool loop must carry `reasoning_content`. */
  readonly demandsReasoning?: true;
  /** Chat: no user message may follow a tool message. */
  readonly refusesUserAfterTool?: true;
  /** Its own words, code or status for a failed check. */
  readonly reword?: (failure: CheckFailure) => CheckFailure;
  /** Its own form of an error; absent: that of the wire. */
  readonly errorBody?: (failure: CheckFailure) => unknown;
  /** Failed checks of the body come with status 200: inside the stream, or as the words of an answer. */
  readonly failsAs?: 'stream-error' | 'text';
  /** Absent: it does not speak Messages. */
  readonly messages?: MessagesManners;
  /** Absent: it does not speak Responses. */
  readonly responses?: ResponsesManners;
}
