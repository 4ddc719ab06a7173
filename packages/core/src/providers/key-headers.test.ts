import { describe, expect, it } from 'vitest';
import { Secret } from '../base/secret.ts';
import { keyHeadersOf } from './key-headers.ts';

const apiKey = new Secret('sk-1');

describe('keyHeadersOf', () => {
  it.each([
    [undefined, { authorization: 'Bearer sk-1' }],
    ['bearer', { authorization: 'Bearer sk-1' }],
    ['x-api-key', { 'x-api-key': 'sk-1' }],
    ['both', { authorization: 'Bearer sk-1', 'x-api-key': 'sk-1' }],
    ['api-key', { 'api-key': 'sk-1' }],
  ] as const)('sends the key as %s wants it', (keyHeader, headers) => {
    expect(keyHeadersOf({ apiKey, ...(keyHeader && { keyHeader }) })).toEqual(headers);
  });

  it('sends none without a key', () => {
    expect(keyHeadersOf({ apiKey: undefined, keyHeader: 'both' })).toEqual({});
  });
});
