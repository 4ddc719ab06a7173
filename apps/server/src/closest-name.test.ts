import { describe, expect, it } from 'vitest';
import { findClosestName } from './closest-name.ts';

describe('findClosestName', () => {
  const names = ['baseUrl', 'apiKey', 'models', 'limits', 'wireApi'];

  it.each([
    ['baseURL', 'baseUrl'],
    ['apikey', 'apiKey'],
    ['modles', 'models'],
    ['model', 'models'],
    ['limit', 'limits'],
    ['wirApi', 'wireApi'],
    ['bsaeUlr', 'baseUrl'],
  ])('finds %s as %s', (name, meant) => {
    expect(findClosestName(name, names)).toBe(meant);
  });

  it.each(['temperature', 'x', 'key', ''])('offers nothing for %j', (name) => {
    expect(findClosestName(name, names)).toBeUndefined();
  });

  it('prefers the closer of two', () => {
    expect(findClosestName('seer-1', ['seer-12', 'seer-1b', 'seer-1', 'seer'])).toBe('seer-1');
  });
});
