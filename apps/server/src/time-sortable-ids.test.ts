import { describe, expect, it } from 'vitest';
import { createIdSource } from './time-sortable-ids.ts';

describe('createIdSource', () => {
  it('writes the prefix and 26 digits', () => {
    expect(createIdSource({ nowMs: () => 0 }).next('ses')).toMatch(/^ses_0000000000[0-9A-HJKMNP-TV-Z]{16}$/);
    expect(createIdSource({ nowMs: () => 1_469_918_176_385 }).next('turn')).toMatch(/^turn_01ARYZ6S41/);
  });

  it('sorts by time, within a millisecond too', () => {
    let nowMs = 1_000;
    const ids = createIdSource({ nowMs: () => nowMs });
    const made = Array.from({ length: 3_000 }, (_, index) => {
      if (index % 100 === 0) nowMs += 1;
      return ids.next('msg');
    });
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('still sorts when the clock steps back', () => {
    const times = [5_000, 4_000, 4_001, 5_001];
    const ids = createIdSource({ nowMs: () => times.shift() ?? 0 });
    const made = [ids.next('msg'), ids.next('msg'), ids.next('msg'), ids.next('msg')];
    expect([...made].sort()).toEqual(made);
  });

  it('differs between two sources of the same time', () => {
    const clock = { nowMs: () => 1 };
    expect(createIdSource(clock).next('sub')).not.toBe(createIdSource(clock).next('sub'));
  });
});
