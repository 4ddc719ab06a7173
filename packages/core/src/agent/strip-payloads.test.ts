import { describe, expect, it } from 'vitest';
import { stripPayloads } from './strip-payloads.ts';

const base64 = Buffer.from(Array.from({ length: 1200 }, (_, index) => (index * 37) % 251)).toString('base64');

describe('stripPayloads', () => {
  it('returns a text without image data byte for byte', () => {
    const texts = [
      'plain words\n  and indentation',
      '{ "content": "Image read: a.png", "total_lines": 0 }',
      'const prefix = "data:image/png;base64,";',
      `digest sha256:${'ab'.repeat(32)}`,
      Array.from({ length: 40 }, (_, index) => `${'0123456789abcdef'.repeat(4)}${index % 10}`.slice(1)).join('\n'),
      base64.slice(0, 999),
    ];
    for (const text of texts) expect(stripPayloads(text, 'en')).toBe(text);
  });

  it('leaves the payload field out of the result of a foreign executor', () => {
    const text = JSON.stringify({
      content: 'Image read: a.png',
      total_lines: 0,
      media_type: 'image',
      data_uri: `data:image/png;base64,${base64}`,
    });
    expect(stripPayloads(text, 'en')).toBe('{"content":"Image read: a.png","total_lines":0,"media_type":"image"}');
  });

  it('removes a data URI of any length from words, from JSON and from JSON inside JSON', () => {
    const uri = 'data:image/gif;charset=utf-8;base64,R0lGODlhAQABAAAAACw=';
    const texts = [
      `before ${uri} after`,
      JSON.stringify({ content: [`<img src="${uri}">`], nested: { deep: uri } }),
      JSON.stringify([{ inner: JSON.stringify({ data: uri }) }]),
      uri.toUpperCase().replace('R0LG', 'R0lG'),
    ];
    for (const text of texts) {
      const stripped = stripPayloads(text, 'en');
      expect(stripped).not.toMatch(/base64,/i);
      expect(stripped).toContain('characters of base64 data removed]');
    }
    expect(stripPayloads(texts[0] ?? '', 'en')).toBe('before [56 characters of base64 data removed] after');
  });

  it('removes base64 of more than a kilobyte, in one line or in many', () => {
    const wrapped = base64.match(/.{1,76}/g)?.join('\n') ?? '';
    for (const text of [`out: ${base64}!`, `out:\n${wrapped}\nend`, JSON.stringify({ blob: base64, wrapped })]) {
      const stripped = stripPayloads(text, 'en');
      expect(stripped).not.toMatch(/[A-Za-z0-9+/]{70,}/);
      expect(stripped).toContain('base64 data removed');
    }
  });

  it('says it in the language of the session', () => {
    expect(stripPayloads(base64, 'zh-CN')).toBe(`[已移除 ${base64.length} 个字符的 base64 数据]`);
  });
});
