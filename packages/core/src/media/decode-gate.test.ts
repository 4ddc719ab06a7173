import { getEventListeners } from 'node:events';
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

  it('lets a work be alone that asks for it, after those before it and before those behind it', async () => {
    const gate = new DecodeGate(2);
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string) => () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    };
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    const first = gate.run(work('first'));
    const alone = gate.runAlone(work('alone'));
    const behind = [gate.run(work('behind')), gate.run(work('last'))];
    await settle();
    expect(started).toEqual(['first']);
    ends.get('first')?.();
    await first;
    await settle();
    expect(started).toEqual(['first', 'alone']);
    ends.get('alone')?.();
    await alone;
    await settle();
    expect(started).toEqual(['first', 'alone', 'behind', 'last']);
    ends.get('behind')?.();
    ends.get('last')?.();
    await Promise.all(behind);
  });

  it('lets those behind go on when a work that waits to be alone is cancelled', async () => {
    const gate = new DecodeGate(2);
    let end = () => {};
    const first = gate.run(() => new Promise<void>((resolve) => (end = resolve)));
    const controller = new AbortController();
    const alone = gate.runAlone(async () => 'alone', controller.signal);
    const behind = gate.run(async () => 'behind');
    controller.abort();
    await expect(alone).rejects.toMatchObject({ code: 'CANCELED' });
    expect(await behind).toBe('behind');
    end();
    await first;
  });

  it('frees the place of a work that fails', async () => {
    const gate = new DecodeGate(1);
    await expect(gate.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await gate.run(async () => 1)).toBe(1);
  });

  it('puts no listener on the signal that many works share, which Node would warn of', async () => {
    const gate = new DecodeGate(1);
    const { signal } = new AbortController();
    const works = Array.from({ length: 20 }, () => gate.run(async () => {}, signal));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await Promise.all(works);
  });
});
