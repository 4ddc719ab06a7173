import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from './secret.ts';

describe('Secret', () => {
  it('shows its value only where it is asked for it', () => {
    const key = 'sk-very-secret';
    const secret = new Secret(key);
    const shown = [String(secret), `${secret}`, JSON.stringify({ secret }), inspect({ secret }), inspect(secret)];
    for (const text of shown) expect(text).not.toContain(key);
    expect(shown[0]).toBe('[secret]');
    expect(secret.reveal()).toBe(key);
  });
});
