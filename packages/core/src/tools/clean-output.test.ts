import { describe, expect, it } from 'vitest';
import { cleanOutput, cutHead, cutTail, decodeOutput, looksBinary } from './clean-output.ts';

describe('cleanOutput', () => {
  it.each([
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'textlink'],
    ['\u001b(B\u001b=a\u001b7b\u001bMc', 'abc'],
    ['\u001bP1;2q...\u001b\\a\u009b31mb\u009d0;t\u009cc', 'abc'],
    ['10%\r50%\r100%\nnext\r\n', '100%\nnext\n'],
    ['10%\r50%\r', '50%'],
    ['N\bNA\bAM\bME\bE', 'NAME'],
    ['bell\u0007 nul\0 vt\u000b del\u007f', 'bell nul\\0 vt del'],
    ['tab\tand 图 😀', 'tab\tand 图 😀'],
    ['open \u001b]0;never closed', 'open '],
    ['end \u001b[', 'end '],
  ])('%j becomes %j', (text, expected) => {
    expect(cleanOutput(text)).toBe(expected);
  });

  it('leaves no control sequence in anything, and takes little time', () => {
    let state = 7;
    const signs = ['\u001b', '[', ']', ';', '0', 'm', '\u0007', '\u009b', '\\', 'P', '\r', '\b', 'x', '\n', '\u009c'];
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: 60 }, () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return signs[state % signs.length];
      }).join('');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      expect(cleanOutput(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }
    expect(cleanOutput('\u001b]'.repeat(100_000))).toBe('');
    expect(cleanOutput('\u001b[1'.repeat(100_000)).length).toBeLessThan(500_000);
  });
});

describe('decodeOutput', () => {
  it('replaces invalid bytes and leaves out characters that an end cuts', () => {
    expect(decodeOutput(Buffer.from('a\xffb', 'latin1'))).toBe('a\ufffdb');
    const bytes = Buffer.from('图图');
    expect(decodeOutput(bytes.subarray(1))).toBe('图');
    expect(decodeOutput(bytes.subarray(0, 5))).toBe('图');
  });
});

describe('looksBinary', () => {
  it('tells bytes that are no text from text with a few odd ones', () => {
    expect(looksBinary(decodeOutput(Buffer.from(Array.from({ length: 400 }, (_, index) => (index * 37) % 256))))).toBe(
      true,
    );
    expect(looksBinary('name one\0name two\0')).toBe(false);
    expect(looksBinary(decodeOutput(Buffer.from('Gr\xfc\xdfe', 'latin1')))).toBe(false);
    expect(looksBinary('')).toBe(false);
  });
});

describe('cutHead and cutTail', () => {
  it('keep whole lines where there are some, and never half a character', () => {
    expect(cutHead('one\ntwo\nthree', 9)).toBe('one\ntwo\n');
    expect(cutTail('one\ntwo\nthree', 9)).toBe('two\nthree'.slice(4));
    expect(cutHead('😀😀😀', 3)).toBe('😀');
    expect(cutTail('😀😀😀', 3)).toBe('😀');
    expect(cutHead('short', 9)).toBe('short');
  });
});
