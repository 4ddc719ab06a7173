import { describe, expect, it } from 'vitest';
import { decodeUtf8, excerptText, foreignEncoding } from './read-text.ts';

const whole = { offset: 1, limit: 2000, cutMark: '[cut]' };

describe('excerptText', () => {
  it('counts lines as people do: a break at the end begins no further line', () => {
    expect(excerptText('line1\nline2', whole)).toEqual({ content: 'line1\nline2', totalLines: 2 });
    expect(excerptText('line1\nline2\n', whole)).toEqual({ content: 'line1\nline2', totalLines: 2 });
    expect(excerptText('a\n\nb\n\n', whole)).toEqual({ content: 'a\n\nb\n', totalLines: 4 });
    expect(excerptText('', whole)).toEqual({ content: '', totalLines: 0 });
    expect(excerptText('\n', whole)).toEqual({ content: '', totalLines: 1 });
  });

  it('takes all three line ends', () => {
    expect(excerptText('a\r\nb\rc\nd', whole)).toEqual({ content: 'a\nb\nc\nd', totalLines: 4 });
  });

  it('begins at the line with the number offset and gives at most limit lines', () => {
    const text = Array.from({ length: 9 }, (_, index) => `l${index + 1}`).join('\n');
    expect(excerptText(text, { ...whole, offset: 3, limit: 2 })).toEqual({ content: 'l3\nl4', totalLines: 9 });
    expect(excerptText(text, { ...whole, offset: 9 })).toEqual({ content: 'l9', totalLines: 9 });
    expect(excerptText(text, { ...whole, offset: 10 })).toEqual({ content: '', totalLines: 9 });
  });

  it('cuts lines over 2,000 characters and marks them', () => {
    const exact = 'x'.repeat(2000);
    expect(excerptText(`${exact}\n${exact}y`, whole).content).toBe(`${exact}\n${exact}[cut]`);
  });

  it('does not cut a character in half', () => {
    const text = `${'x'.repeat(1999)}😀 tail`;
    expect(excerptText(text, whole).content).toBe(`${'x'.repeat(1999)}[cut]`);
  });
});

describe('decodeUtf8', () => {
  it('drops a byte order mark and refuses other bytes', () => {
    expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('a');
    expect(decodeUtf8(Uint8Array.of(0xb0, 0xa1))).toBeUndefined();
  });
});

describe('foreignEncoding', () => {
  it('names what a byte order mark announces', () => {
    expect(foreignEncoding(Uint8Array.of(0xff, 0xfe, 0x61, 0))).toBe('UTF-16LE');
    expect(foreignEncoding(Uint8Array.of(0xfe, 0xff, 0, 0x61))).toBe('UTF-16BE');
    expect(foreignEncoding(Uint8Array.of(0xff, 0xfe, 0, 0))).toBe('UTF-32LE');
    expect(foreignEncoding(Uint8Array.of(0, 0, 0xfe, 0xff))).toBe('UTF-32BE');
    expect(foreignEncoding(Uint8Array.of(0xef, 0xbb, 0xbf))).toBeUndefined();
  });
});
