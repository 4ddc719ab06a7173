import { describe, expect, it } from 'vitest';
import { createSystemClock } from './system-clock.ts';

describe('createSystemClock', () => {
  const clock = createSystemClock();

  it('tells the time of the machine', () => {
    const before = Date.now();
    const nowMs = clock.nowMs();
    expect(nowMs).toBeGreaterThanOrEqual(before);
    expect(nowMs).toBeLessThanOrEqual(Date.now());
  });

  it('rejects with the reason of the signal', async () => {
    const reason = new Error('stopped');
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(clock.sleep(0, controller.signal)).rejects.toBe(reason);
  });

  it('wakes up', async () => {
    await expect(clock.sleep(1)).resolves.toBeUndefined();
  });
});
