import { describe, expect, it } from 'vitest';
import { LineEditor } from './line-editor.ts';

/** The line after keys, with the cursor as `|`. */
function type(keys: readonly string[], editor = new LineEditor()): string {
  for (const key of keys) editor.press(key);
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
}

const left = '\u001b[D';
const right = '\u001b[C';
const up = '\u001b[A';
const down = '\u001b[B';
const backspace = '\u007f';

describe('LineEditor', () => {
  it('takes away what a reader takes for one character', () => {
    const family = [...'👨‍👩‍👧'];
    expect(type([...'a你', ...family])).toBe('a你👨‍👩‍👧|');
    expect(type([...'a你', ...family, backspace])).toBe('a你|');
    expect(type([...'a你', backspace])).toBe('a|');
    expect(type(['e', '\u0301', backspace])).toBe('|');
    expect(type([...'🎉🎉', left, backspace])).toBe('|🎉');
    expect(type([...'a🎉b', '\u0001', right, '\u001b[3~'])).toBe('a|b');
  });

  it.each([
    ['to the start and the end', ['\u0001', 'X', '\u0005', 'Y'], 'Xone two  threeY|'],
    ['by words', ['\u001bb', '\u001bb', 'X', '\u001bf', 'Y'], 'one XtwoY|  three'],
    ['cuts a word and puts it back', ['\u0017', '\u0001', '\u0019'], 'three|one two  '],
    ['cuts the rest', ['\u001bb', '\u000b'], 'one two  |'],
    ['cuts what is before', ['\u001bb', '\u0015'], '|three'],
    ['changes nothing for keys it does not know', ['\u001b[15~', '\u001bx', '\u0007', '\u001b'], 'one two  three|'],
  ])('moves and cuts: %s', (_, keys, expected) => {
    expect(type([...'one two  three', ...keys])).toBe(expected);
  });

  it('takes a word away from a very long line at once', () => {
    const editor = new LineEditor();
    editor.insert(`${'x'.repeat(1_000_000)} y`);
    expect(type(['\u0017'], editor)).toHaveLength(1_000_002);
  });

  it('goes through earlier lines, and keeps what was changed in them and what was not entered', () => {
    const editor = new LineEditor(['first', 'second', 'first']);
    expect(type([...'draft', up], editor)).toBe('first|');
    expect(type([up], editor)).toBe('second|');
    expect(type([up], editor)).toBe('second|');
    expect(type(['!', down, down], editor)).toBe('draft|');
    expect(type([up, up], editor)).toBe('second!|');
    expect(editor.take()).toBe('second!');
    editor.remember('second!');
    expect(type([up, up, up], editor)).toBe('second|');
  });
});
