import type { Digest } from '../base/ids.ts';

/**
 * The port through which admission stores bytes. The store implements it; an executor without a
 * store gives its own.
 *
 * Contract: resolves after the bytes are durable; storing the same bytes again is cheap and
 * changes nothing. Throws `STORE_UNAVAILABLE`.
 */
export interface BlobSink {
  /** `digest` must be the SHA-256 of `bytes`; the sink may rely on it. */
  put(digest: Digest, bytes: Uint8Array): Promise<void>;
}
