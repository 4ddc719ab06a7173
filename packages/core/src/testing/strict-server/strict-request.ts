import type { Digest } from '../../base/ids.ts';
import type { CheckFailure } from './check-failure.ts';
import type { PartColors } from './pictures/inspect-picture.ts';
import type { PictureFormat } from './pictures/sniff-picture.ts';
import type { Reply } from './reply.ts';
import type { WireMessage } from './wire-message.ts';

/** A picture that the server received. What is unknown is absent. */
export interface ReceivedPicture {
  readonly messageIndex: number;
  readonly partIndex: number;
  readonly role: string;
  /** The last line of the text right before it. */
  readonly label?: string;
  readonly detail?: unknown;
  /** The address, when it came as one. */
  readonly url?: string;
  /** As the data URL says. */
  readonly mediaType?: string;
  /** Of the bytes. */
  readonly digest?: Digest;
  readonly sizeBytes?: number;
  readonly format?: PictureFormat;
  readonly widthPx?: number;
  readonly heightPx?: number;
  readonly frames?: number;
  readonly colors?: PartColors;
  /** What the decoder said, when it could not decode the bytes. */
  readonly fault?: string;
}

/** One request as the server received and judged it. */
export interface StrictRequest {
  /** Position in `server.requests`. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  /** The first part of the path; it may be no personality. */
  readonly personality: string;
  /** Lower-case names; keys are replaced by `[key]`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
  /** Parsed; `undefined` when it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly messages: readonly WireMessage[];
  /** In the order in which they stand in the request. */
  readonly pictures: readonly ReceivedPicture[];
  /** The first check that it failed. */
  readonly failure: CheckFailure | undefined;
  /** Whether the script said that this check fails. */
  readonly isFailureExpected: boolean;
  /** What the script did with it; absent while it decides, and when a check failed. */
  readonly reply: Reply['kind'] | undefined;
  /** Whether the client closed the connection before the answer was complete. */
  readonly isClientGone: boolean;
}
