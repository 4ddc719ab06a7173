import { describe, expect, it } from 'vitest';
import { base64Length, encodeBase64, encodeBase64Portably } from './base64.ts';

describe('encodeBase64', () => {
  it('is canonical for every length of the last group, with and without the platform encoder', () => {
    for (const text of ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar', '\u0000ÿ>?']) {
      const bytes = new TextEncoder().encode(text);
      const expected = Buffer.from(bytes).toString('base64');
      expect(encodeBase64(bytes)).toBe(expected);
      expect(encodeBase64Portably(bytes)).toBe(expected);
      expect(base64Length(bytes.length)).toBe(expected.length);
    }
  });

  it('encodes a view into a larger buffer, not the buffer', () => {
    const whole = new Uint8Array([1, 2, 3, 4, 5, 6]);
    expect(encodeBase64(whole.subarray(2, 4))).toBe(Buffer.from([3, 4]).toString('base64'));
  });
});
