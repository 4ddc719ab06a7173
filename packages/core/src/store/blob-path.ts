import { join } from 'node:path';
import { AppError } from '../base/app-error.ts';
import { type Digest, isDigest } from '../base/ids.ts';

const PREFIX = 'sha256:';

/** The 64 hexadecimal digits that name a digest's file. Throws `INTERNAL` for what is no digest. */
export function hexOf(digest: Digest): string {
  if (!isDigest(digest)) throw new AppError('INTERNAL', 'not a digest');
  return digest.slice(PREFIX.length);
}

/** The digest that a file's name means; absent where the name means none. */
export function digestOfName(hex: string): Digest | undefined {
  const digest = `${PREFIX}${hex}`;
  return isDigest(digest) ? digest : undefined;
}

/** `ab/cd/<64 hex>` below the folder. Throws `INTERNAL` for what is no digest. */
export function blobPath(folder: string, digest: Digest): string {
  const hex = hexOf(digest);
  return join(folder, hex.slice(0, 2), hex.slice(2, 4), hex);
}
