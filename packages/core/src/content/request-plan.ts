import type { Digest } from '../base/ids.ts';

/**
 * What a session's latest request to one endpoint sent, in order: makes it possible to say what
 * changed since, and to send the same bytes again after a reload.
 */
export interface RequestPlan {
  readonly sessionId: string;
  /** Wire API, base URL and model; see `endpointIdentity`. */
  readonly endpointId: string;
  readonly images: readonly { readonly originalDigest: Digest; readonly digest: Digest }[];
}
