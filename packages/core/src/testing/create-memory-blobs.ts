import { createHash } from 'node:crypto';
import type { BlobStore } from '../agent/ports.ts';
import { AppError } from '../base/app-error.ts';
import type { Digest } from '../base/ids.ts';

/** A {@link BlobStore} in memory, with ways to look at it and to damage it. */
export interface MemoryBlobs extends BlobStore {
  has(digest: Digest): boolean;
  /** Sorted. */
  digests(): readonly Digest[];
  /** Stores `bytes` under their digest and gives it: how a test puts a picture into the store. */
  add(bytes: Uint8Array): Promise<Digest>;
  /** From now on `get` throws `BLOB_MISSING`. */
  remove(digest: Digest): void;
  /** Flips a bit of the stored bytes: from now on `get` throws `BLOB_DAMAGED`. */
  damage(digest: Digest): void;
}

/**
 * Stored bytes without a store. Stricter than one: `put` throws `INTERNAL` when the digest is not
 * that of the bytes, so that a wrong digest is found where it is made.
 */
export function createMemoryBlobs(): MemoryBlobs {
  const stored = new Map<Digest, Uint8Array>();

  async function put(digest: Digest, bytes: Uint8Array): Promise<void> {
    if (sha256Of(bytes) !== digest) throw new AppError('INTERNAL', 'the digest is not that of the bytes');
    if (!stored.has(digest)) stored.set(digest, Uint8Array.from(bytes));
  }

  return {
    put,
    async get(digest) {
      const bytes = stored.get(digest);
      if (bytes === undefined) throw new AppError('BLOB_MISSING', 'no such blob', { data: { digest } });
      if (sha256Of(bytes) !== digest) throw new AppError('BLOB_DAMAGED', 'damaged blob', { data: { digest } });
      return Uint8Array.from(bytes);
    },
    has: (digest) => stored.has(digest),
    digests: () => [...stored.keys()].sort(),
    async add(bytes) {
      const digest = sha256Of(bytes);
      await put(digest, bytes);
      return digest;
    },
    remove(digest) {
      stored.delete(digest);
    },
    damage(digest) {
      const bytes = stored.get(digest);
      if (bytes === undefined || bytes.length === 0) throw new AppError('INTERNAL', 'nothing to damage');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
    },
  };
}

function sha256Of(bytes: Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
