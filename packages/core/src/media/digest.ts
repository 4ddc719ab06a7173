import { createHash } from 'node:crypto';
import type { Digest } from '../base/ids.ts';

/** The digest of exactly these bytes: `sha256:` and 64 lower-case hexadecimal digits. */
export function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
