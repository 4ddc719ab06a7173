import type { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Digest } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Secret } from '../base/secret.ts';
import type { EndpointSwitches } from '../catalog/endpoint-switches.ts';
import type { WireApi } from '../catalog/wire-api.ts';
import type { ToolCallPart } from '../content/parts.ts';
import type { ModelRequest } from '../content/request.ts';
import type { Usage } from '../content/usage.ts';

/** Where a request goes, and how that endpoint likes it. Everything comes from the channel and the catalogue. */
export interface Endpoint extends EndpointSwitches {
  /** The channel's name, for errors and events. */
  readonly channel: string;
  readonly wireApi: WireApi;
  /** Normalised: no trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: Secret | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Longest silence between bytes of an answer. Source: wire-facts rule 33. */
  readonly idleTimeoutMs: number;
}

/** What a provider may use while it runs. Stateless otherwise. */
export interface ProviderContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The bytes of a variant, verified against its digest. Throws `BLOB_MISSING`, `BLOB_DAMAGED`. */
  readBlob(digest: Digest): Promise<Uint8Array>;
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';

/**
 * What comes out of one model call, in order: `request-sent` once, deltas, whole tool calls, at
 * most one `usage`, and exactly one of `finish` or `error` at the end.
 */
export type ProviderEvent =
  | { readonly type: 'request-sent'; readonly bodyBytes: number }
  | { readonly type: 'text-delta'; readonly text: string }
  /** `signature` and `opaque` (see `ThinkingPart`) end their thought: what follows is another one. */
  | { readonly type: 'thinking-delta'; readonly text: string; readonly signature?: string; readonly opaque?: string }
  /** Complete: its argument fragments are joined, not parsed. */
  | { readonly type: 'tool-call'; readonly call: ToolCallPart }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly reason: FinishReason }
  /** Status, machine code and words of the endpoint are in `error.data`; see `ProviderErrorData`. */
  | { readonly type: 'error'; readonly error: AppError };

/** Facts in `data` of an error event, as far as they are known. Texts are cut to 2,000 characters. */
export interface ProviderErrorData {
  readonly status?: number;
  readonly endpointCode?: string;
  readonly endpointMessage?: string;
  readonly param?: string;
  /** Places in the request that a machine-readable field of the error names (Anthropic's `details.paths`). */
  readonly paths?: readonly string[];
  /** Longest side that such a field allows, px (Anthropic's `details.max_side_length_pixels`). */
  readonly maxSidePx?: number;
  readonly retryAfterMs?: number;
  /** What `x-should-retry` says, where it says something. */
  readonly shouldRetry?: boolean;
  /** The endpoint's own id of the request, for its support. */
  readonly requestId?: string;
  /** Why there was no connection: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
  readonly networkCode?: string;
}

/**
 * An adapter for one wire API: maps a request one to one, without policy.
 *
 * Contract: `stream` never throws and never rejects. Every failure, an abort included (`CANCELED`),
 * is the last event, of type `error`. A stream that ends without its end mark is `STREAM_CUT`.
 * Nothing is ever sent twice.
 */
export interface Provider {
  readonly wireApi: WireApi;
  stream(request: ModelRequest, endpoint: Endpoint, context: ProviderContext): AsyncIterable<ProviderEvent>;
}
