import { describe, expect, it } from 'vitest';
import { charactersOf, lastCharacter } from './characters.ts';
import { cutToWidth } from './cut-to-width.ts';

describe('cutToWidth', () => {
  it('cuts between characters and marks it, and leaves what fits', () => {
    expect(cutToWidth('abcdef', 6)).toBe('abcdef');
    expect(cutToWidth('abcdefg', 6)).toBe('abcde…');
    expect(cutToWidth('你好你好', 6)).toBe('你好…');
    expect(cutToWidth('', 3)).toBe('');
  });

  it('looks at no more of a very long line than it shows', () => {
    expect(cutToWidth('word '.repeat(400_000), 10)).toBe('word word…');
  });
});

describe('charactersOf', () => {
  it('gives whole characters, also where a long text is taken apart in pieces', () => {
    for (let before = 240; before < 260; before += 1) {
      const text = `${'x'.repeat(before)}👨‍👩‍👧e\u0301${'y'.repeat(300)}`;
      const characters = [...charactersOf(text)];
      expect(characters.join('')).toBe(text);
      expect(characters.slice(before, before + 2)).toEqual(['👨‍👩‍👧', 'e\u0301']);
      expect(characters).toHaveLength(before + 302);
    }
    expect(lastCharacter(`${'a'.repeat(9000)}👨‍👩‍👧`)).toBe('👨‍👩‍👧');
  });
});
