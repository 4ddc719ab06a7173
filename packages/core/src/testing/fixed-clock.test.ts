import { describe, expect, it } from 'vitest';
import { createFixedClock } from './fixed-clock.ts';

describe('createFixedClock', () => {
  it('stands still until it is moved', async () => {
    const clock = createFixedClock({ startMs: 1000 });
    expect(clock.nowMs()).toBe(1000);
    await clock.advance(250);
    expect(clock.nowMs()).toBe(1250);
  });

  it('wakes sleepers in the order of their ends, at their time, also those that sleep again', async () => {
    const clock = createFixedClock({ startMs: 0 });
    const log: string[] = [];
    const long = clock.sleep(30).then(() => log.push(`long ${clock.nowMs()}`));
    const short = (async () => {
      await clock.sleep(10);
      log.push(`short ${clock.nowMs()}`);
      await clock.sleep(10);
      log.push(`again ${clock.nowMs()}`);
    })();
    expect(clock.pendingSleepsMs()).toEqual([10, 30]);
    await clock.advance(29);
    expect(log).toEqual(['short 10', 'again 20']);
    await clock.advance(1);
    await Promise.all([long, short]);
    expect(log).toEqual(['short 10', 'again 20', 'long 30']);
    expect(clock.sleepsMs).toEqual([30, 10, 10]);
  });

  it('rejects a sleep with the reason of its signal', async () => {
    const clock = createFixedClock();
    const controller = new AbortController();
    const sleep = clock.sleep(10, controller.signal);
    controller.abort(new Error('stop'));
    await expect(sleep).rejects.toThrow('stop');
    await expect(clock.sleep(10, controller.signal)).rejects.toThrow('stop');
    expect(clock.pendingSleepsMs()).toEqual([]);
  });

  it('moves by itself when it is told to', async () => {
    const clock = createFixedClock({ startMs: 0, autoAdvance: true });
    await clock.sleep(500);
    expect(clock.nowMs()).toBe(500);
  });
});
