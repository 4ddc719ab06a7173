import type { WireApi } from '../../catalog/wire-api.ts';
import type { FinishReason, Provider } from '../../providers/provider.ts';
import type { WireProviderOptions } from '../../providers/wire-provider.ts';

/** How one wire API says what the suite wants said. Every text is one or more whole server-sent events. */
export interface ConformanceWire {
  readonly wireApi: WireApi;
  /** What follows the origin in the base URL. */
  readonly basePath: string;
  /** The path of a call. */
  readonly callPath: string;
  createProvider(options?: WireProviderOptions): Provider;
  /** Before anything else of an answer. */
  readonly start: string;
  text(text: string): string;
  thinking(text: string): string;
  toolCallStart(call: { readonly index: number; readonly id: string; readonly name: string }): string;
  /** A fragment that names its call by the index alone. */
  toolCallArguments(call: { readonly index: number; readonly text: string }): string;
  /**
   * The answer's reason to end, before usage and end mark. `withUsage`: the same usage as `usage`, on
   * a wire that says both in one event.
   */
  finish(reason: FinishReason, options?: { readonly withUsage?: boolean }): string;
  /** Twelve tokens in, four of them cached, and five out. Empty where `finish` says it. */
  readonly usage: string;
  /** Empty where `finish` is the end. */
  readonly endMark: string;
  /** Whether `finish` alone already says that the answer is whole. */
  readonly endsWithFinish: boolean;
  /** `text` in an event that also has fields which nobody knows. */
  textWithUnknownFields(text: string): string;
  /** Events that have nothing to do with the answer. */
  readonly noise: readonly string[];
  streamError(failure: { readonly message: string; readonly code: string }): string;
  refusalBody(failure: { readonly message: string; readonly code: string }): string;
}
