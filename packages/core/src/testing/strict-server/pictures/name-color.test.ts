import { describe, expect, it } from 'vitest';
import { nameColor } from './name-color.ts';

describe('nameColor', () => {
  it.each([
    ['red', 255, 0, 0],
    ['red', 220, 30, 40],
    ['orange', 255, 140, 0],
    ['yellow', 230, 210, 40],
    ['green', 0, 128, 0],
    ['cyan', 0, 220, 230],
    ['blue', 0, 0, 255],
    ['purple', 120, 40, 200],
    ['magenta', 255, 0, 200],
    ['black', 20, 20, 20],
    ['grey', 128, 128, 128],
    ['white', 250, 250, 245],
  ] as const)('says %s', (name, red, green, blue) => {
    expect(nameColor(red, green, blue)).toBe(name);
  });

  it('says transparent for what cannot be seen', () => {
    expect(nameColor(255, 0, 0, 0)).toBe('transparent');
  });
});
