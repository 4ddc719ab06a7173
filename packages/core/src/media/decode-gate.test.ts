import { describe, expect, it } from 'vitest';
import { DecodeGate } from './decode-gate.ts';

describe('DecodeGate', () => {
  it('runs no more works than it has room for, in order', async () => {
    const gate = new DecodeGate(2);
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const works = [0, 1, 2, 3].map((number) =>
      gate.run(() => {
        started.push(number);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    await Promise.resolve();
    expect(started).toEqual([0, 1]);
    ends[0]?.();
    await works[0];
    await Promise.resolve();
    expect(started).toEqual([0, 1, 2]);
    ends[1]?.();
    ends[2]?.();
    await works[2];
    await Promise.resolve();
    ends[3]?.();
    await Promise.all(works);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('lets a cancelled work leave the queue, and keeps the place of one that runs', async () => {
    const gate = new DecodeGate(1);
    let end = () => {};
    const controller = new AbortController();
    const running = gate.run(() => new Promise<void>((resolve) => (end = resolve)), controller.signal);
    const waiting = gate.run(async () => 'ran', controller.signal);
    const patient = gate.run(async () => 'patient');
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'CANCELED' });
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELED' });
    let hasRun = false;
    void patient.then(() => {
      hasRun = true;
    });
    await Promise.resolve();
    expect(hasRun).toBe(false);
    end();
    expect(await patient).toBe('patient');
    expect(await gate.run(async () => 'again')).toBe('again');
  });

  it('frees the place of a work that fails', async () => {
    const gate = new DecodeGate(1);
    await expect(gate.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await gate.run(async () => 1)).toBe(1);
  });
});
