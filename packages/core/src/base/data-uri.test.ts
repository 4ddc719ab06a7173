import { describe, expect, it } from 'vitest';
import { decodeBase64, decodeBase64Portably, encodeBase64 } from './base64.ts';
import { formatDataUri, isDataUri, parseDataUri } from './data-uri.ts';

// Holds both characters in which the alphabets differ, and needs padding: `+/8=`.
const bytes = Uint8Array.of(0xfb, 0xff);

function read(text: string): unknown {
  const parsed = parseDataUri(text);
  if (!parsed.ok) return parsed.error.kind;
  return [parsed.value.mediaType, ...parsed.value.bytes];
}

describe('parseDataUri', () => {
  it('reads what it writes', () => {
    const uri = formatDataUri({ mediaType: 'image/png', bytes });
    expect(uri).toBe('data:image/png;base64,+/8=');
    expect(parseDataUri(uri)).toEqual({ ok: true, value: { mediaType: 'image/png', parameters: {}, bytes } });
  });

  it.each([
    ['no padding', 'data:image/png;base64,+/8'],
    ['the URL-safe alphabet', 'data:image/png;base64,-_8='],
    ['percent-encoding', 'data:image/png;base64,%2B%2F8%3D'],
    ['white space around and within', ' \n data:image/png;base64, +/\r\n\t8= \n'],
    ['another case', 'DATA:Image/PNG;BASE64,+/8='],
    ['base64 before a parameter', 'data:image/png;base64;name=a.png,+/8='],
    ['blanks in the header', 'data: image/png ; base64 ,+/8='],
    ['a comma in quotes', 'data:image/png;name="a,b;c.png";base64,+/8='],
    ['a quote that is never closed', 'data:image/png;name=a";base64,+/8='],
  ])('tolerates %s', (_name, uri) => {
    expect(read(uri)).toEqual(['image/png', 0xfb, 0xff]);
  });

  it('keeps parameters as they are written', () => {
    const parsed = parseDataUri('data:image/png;Name="a,b.png";charset=utf-8;flag;base64,AAAA');
    expect(parsed.ok && parsed.value.parameters).toEqual({ name: 'a,b.png', charset: 'utf-8', flag: '' });
  });

  it('takes text/plain where no type is named', () => {
    expect(read('data:,a')).toEqual(['text/plain', 0x61]);
    expect(read('data:;base64,AAAA')).toEqual(['text/plain', 0, 0, 0]);
    expect(read('data:;charset=utf-8,a')).toEqual(['text/plain', 0x61]);
  });

  it('reads a payload without base64 as bytes', () => {
    expect(read('data:application/x,%FF%00a%25+%20ü')).toEqual([
      'application/x',
      ...[0xff, 0, 0x61, 0x25, 0x2b, 0x20, 0xc3, 0xbc],
    ]);
    expect(read('data:text/plain,a,b')).toEqual(['text/plain', 0x61, 0x2c, 0x62]);
  });

  it('gives no bytes for an empty payload', () => {
    expect(read('data:image/png;base64,')).toEqual(['image/png']);
  });

  it.each([
    ['not-a-data-uri', 'https://example.com/a.png'],
    ['not-a-data-uri', '+/8='],
    ['no-payload', 'data:image/png;base64'],
    ['bad-base64', 'data:image/png;base64,AAAAA'],
    ['bad-base64', 'data:image/png;base64,AAAA...'],
    ['bad-base64', 'data:image/png;base64,AA==AA'],
    ['bad-base64', 'data:image/png;base64,AA===='],
    ['bad-base64', 'data:image/png;base64,AAAA"}]'],
    ['bad-percent-encoding', 'data:image/png;base64,%'],
    ['bad-percent-encoding', 'data:text/plain,100%'],
  ])('does not guess: %s', (fault, uri) => {
    expect(read(uri)).toBe(fault);
  });

  it('refuses what is too large before it decodes, and takes what is just as large', () => {
    expect(parseDataUri('data:image/png;base64,AAAAAAA', { maxBytes: 4 })).toEqual({
      ok: false,
      error: { kind: 'too-large', sizeBytes: 5 },
    });
    expect(parseDataUri('data:image/png;base64,AAAAAA==', { maxBytes: 4 }).ok).toBe(true);
    expect(parseDataUri('data:,%41%42c', { maxBytes: 2 })).toMatchObject({ error: { sizeBytes: 3 } });
    expect(parseDataUri('data:,%41%42c', { maxBytes: 3 }).ok).toBe(true);
  });
});

describe('isDataUri', () => {
  it('goes by the scheme alone', () => {
    expect([' Data:x', 'data:', 'xdata:a', 'date:a'].map(isDataUri)).toEqual([true, true, false, false]);
  });
});

describe('decodeBase64', () => {
  it('is the inverse of encodeBase64 with and without the platform', () => {
    for (let length = 0; length < 70; length += 1) {
      const original = Uint8Array.from({ length }, (_, index) => (index * 37 + length) % 256);
      const text = encodeBase64(original);
      expect(decodeBase64(text)).toEqual(original);
      expect(decodeBase64Portably(text)).toEqual(original);
      expect(decodeBase64Portably(text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))).toEqual(original);
    }
  });
});
