import { describe, expect, it } from 'vitest';
import { takeFreshCallId } from './take-fresh-call-id.ts';

describe('takeFreshCallId', () => {
  it('counts on where an id is taken, and gives one where there is none', () => {
    const used = new Set<string>();
    expect(['call_0', 'call_0', 'call_0', ''].map((id) => takeFreshCallId(id, used))).toEqual([
      'call_0',
      'call_0_2',
      'call_0_3',
      'call',
    ]);
  });

  it('makes no id of its own that an endpoint finds too long', () => {
    const used = new Set<string>();
    const ids = Array.from({ length: 12 }, () => takeFreshCallId('x'.repeat(500), used));
    expect(ids[0]).toHaveLength(500);
    for (const id of ids.slice(1)) expect(id.length).toBeLessThanOrEqual(40);
    expect(new Set(ids).size).toBe(12);
  });
});
