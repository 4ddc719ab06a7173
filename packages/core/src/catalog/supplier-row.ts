import type { Confidence } from './limit-row.ts';
import type { TokenFamily } from './token-family.ts';
import type { KeyHeader, OutputLimitField, ReasoningReplay, WireApi } from './wire-api.ts';

/** One way to speak to a supplier. */
export interface SupplierEndpoint {
  readonly wireApi: WireApi;
  /** As `normalizeBaseUrl` leaves it; absent where only the user can know it. */
  readonly baseUrl?: string;
  /** Id of the limit row of this endpoint. */
  readonly limitRow: string;
  /** Chat: the field that bounds an answer; absent: `max_tokens`. */
  readonly outputLimitField?: OutputLimitField;
  /** Chat: when thinking goes back as `reasoning_content`; absent: `never`. */
  readonly reasoningReplay?: ReasoningReplay;
  /** Chat: wants an assistant message between tool messages and a user message; absent: no. */
  readonly assistantAfterTool?: boolean;
  /** Chat: takes only ids of calls that are nine letters and digits; absent: no. */
  readonly shortCallIds?: boolean;
  /** How the key is sent; absent: `bearer` (wire-facts rule 47). */
  readonly keyHeader?: KeyHeader;
  /** Messages: value of `anthropic-version`; absent: `2023-06-01`. */
  readonly apiVersion?: string;
  /** Messages: takes `cache_control` marks; absent: not known to. */
  readonly cacheMarks?: boolean;
}

/** A vendor or server behind models. Everything that differs between suppliers is in its row, never in code. */
export interface SupplierRow {
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** The well-known environment variable of its key; absent where there is none. */
  readonly environmentKey?: string;
  /** Runs on the user's own machine as a rule: needs no key, may be looked for, answers slowly. */
  readonly isLocal: boolean;
  /** The first one is meant when a channel names no wire API. */
  readonly endpoints: readonly SupplierEndpoint[];
  /** How pictures are counted for models that have no row of their own. */
  readonly tokenFamily: TokenFamily;
  /** Longest silence between bytes of an answer. */
  readonly idleTimeoutMs: number;
  readonly source: string;
  readonly confidence: Confidence;
}
