import { describe, expect, it } from 'vitest';
import { mapConcurrently } from './map-concurrently.ts';

describe('mapConcurrently', () => {
  it('keeps the order and never runs more than the limit at once', async () => {
    let running = 0;
    let most = 0;
    const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item) => {
      running += 1;
      most = Math.max(most, running);
      for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
      running -= 1;
      return { item };
    });
    expect(results.map(({ item }) => item)).toEqual([5, 1, 4, 2, 3]);
    expect(most).toBe(2);
  });

  it('passes the first failure on and starts nothing after it', async () => {
    const started: number[] = [];
    const work = mapConcurrently([1, 2, 3, 4], 1, async (item) => {
      started.push(item);
      if (item === 2) throw new Error('second');
      return { item };
    });
    await expect(work).rejects.toThrow('second');
    expect(started).toEqual([1, 2]);
  });

  it('gives nothing for nothing', async () => {
    expect(await mapConcurrently([], 4, async () => ({}))).toEqual([]);
  });
});
