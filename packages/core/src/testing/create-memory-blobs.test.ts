import { describe, expect, it } from 'vitest';
import { createMemoryBlobs } from './create-memory-blobs.ts';

const bytes = new Uint8Array([1, 2, 3]);

describe('createMemoryBlobs', () => {
  it('gives back what was stored, as a copy', async () => {
    const blobs = createMemoryBlobs();
    const digest = await blobs.add(bytes);
    (await blobs.get(digest)).fill(0);
    expect(await blobs.get(digest)).toEqual(bytes);
    expect(blobs.digests()).toEqual([digest]);
  });

  it('refuses a digest that is not that of the bytes', async () => {
    const blobs = createMemoryBlobs();
    await expect(blobs.put(`sha256:${'0'.repeat(64)}`, bytes)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(blobs.digests()).toEqual([]);
  });

  it('tells missing bytes from damaged ones', async () => {
    const blobs = createMemoryBlobs();
    const digest = await blobs.add(bytes);
    blobs.damage(digest);
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'BLOB_DAMAGED' });
    blobs.remove(digest);
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
  });
});
