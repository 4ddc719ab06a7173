/** A digest: `sha256:` and 64 lower-case hexadecimal digits, always computed by us. */
export type Digest = `sha256:${string}`;

const DIGEST_PATTERN = /^sha256:[0-9a-f]{64}$/;

export function isDigest(value: unknown): value is Digest {
  return typeof value === 'string' && DIGEST_PATTERN.test(value);
}

/** The first 12 hexadecimal digits, as in the references `attachment:<12 hex>` that a model is shown. */
export function shortDigest(digest: Digest): string {
  return digest.slice('sha256:'.length, 'sha256:'.length + 12);
}

/** The reference with which a model can view a stored picture again. */
export function attachmentReference(digest: Digest): string {
  return `attachment:${shortDigest(digest)}`;
}

/** Makes new ids. A port, because the pure floors have no randomness. */
export interface IdSource {
  /** A new, unguessable id that starts with `prefix` and sorts by time: `ses_01J…`. */
  next(prefix: 'ses' | 'msg' | 'turn' | 'sub' | 'item'): string;
}
