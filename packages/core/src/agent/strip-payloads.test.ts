import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findImageFormat } from '../media/formats.ts';
import { stripPayloads, withoutPayloads } from './strip-payloads.ts';

const base64 = Buffer.from(Array.from({ length: 1200 }, (_, index) => (index * 37) % 251)).toString('base64');

const cases = new URL('../../../../fixtures/cases/files/', import.meta.url);

/** Header of a BMP of 24 bits: sizes, no offset beyond it, the header of 40 bytes. */
const BMP_HEADER = '424df60b0000000000003600000028000000';

const names = Array.from({ length: 400 }, (_, index) => {
  const subjects = ['readFile', 'WriteStream', 'parseJson5', 'Http2Session', 'openSource', 'TurnRecords', 'base64Text'];
  return `${subjects[index % 7]}${['Error', 'Options', 'V2', 'State', 'Handler'][index % 5]}`;
});

function base64Of(header: string, body: Uint8Array): string {
  return Buffer.concat([Buffer.from(header, 'hex'), body])
    .toString('base64')
    .replace(/=+$/, '');
}

function hexDump(length: number, seed = 0): string {
  return randomBytes(length / 2, seed).toString('hex');
}

function randomText(length: number, seed: number): string {
  return randomBytes(length, seed).toString('base64').replaceAll('+', 'x').slice(0, length);
}

/** The same bytes each time. */
function randomBytes(length: number, seed: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(String(seed)).digest();
}

function words(alphabet: string): string {
  return [...randomBytes(3000, 7)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

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

  it.each([
    ['one letter', 'b'.repeat(5000)],
    ['a bar that a program drew', `${'+'.repeat(1200)}/${'-'.repeat(1200)}`],
    ['a long hexadecimal dump', hexDump(4000)],
    ['the same in capitals', hexDump(4000).toUpperCase()],
    ['digests joined by hyphens', Array.from({ length: 40 }, (_, index) => hexDump(64, index)).join('-')],
    ['numbers', Array.from({ length: 400 }, (_, index) => index * 7919).join('-')],
    ['bases of a genome', 'GATTACA'.repeat(400)],
    ['names joined by underscores', names.join('_')],
    ['names joined by slashes', names.join('/')],
    ['names joined by nothing', names.join('')],
    ['base32', words('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')],
    ['small letters and digits', words('abcdefghijklmnopqrstuvwxyz0123456789')],
    ['names in lines', names.map((name) => `packages/core/src/${name}`).join('\n')],
    ['tokens in lines', Array.from({ length: 40 }, (_, index) => randomText(43, index)).join('\n')],
    ['a long run of blanks', `${' '.repeat(3000)}x`],
    ['a picture that is short', `see iVBORw0KGgo${'A'.repeat(900)} there`],
  ])('leaves %s as it is', (_, text) => {
    for (const whole of [text, `before ${text}!`, JSON.stringify({ content: text })]) {
      expect(stripPayloads(whole, 'en')).toBe(whole);
    }
  });

  it.each([
    ['a PNG of one colour', base64Of('89504e470d0a1a0a0000000d49484452', Buffer.alloc(3000))],
    ['a JPEG of one colour', base64Of('ffd8ffe000104a46494600', Buffer.alloc(3000, 0x28))],
    ['a JPEG of a camera, safe for URLs', base64Of('ffd8ffe1', Buffer.alloc(3000, 0xff)).replaceAll('/', '_')],
    ['a white BMP', base64Of(BMP_HEADER, Buffer.alloc(3000, 0xff))],
    ['a black BMP', base64Of(BMP_HEADER, Buffer.alloc(3000))],
    ['a GIF of zeros', base64Of('474946383961', Buffer.alloc(3000))],
    ['a WebP of zeros', base64Of('52494646000b000057454250', Buffer.alloc(3000))],
    ['a TIFF of zeros', base64Of('49492a0008000000', Buffer.alloc(3000))],
    ['a TIFF of zeros, the other way round', base64Of('4d4d002a00000008', Buffer.alloc(3000))],
    ['a HEIC of zeros', base64Of('0000001866747970686569630000', Buffer.alloc(3000))],
    ['an icon', base64Of('00000100010010100000', Buffer.alloc(3000))],
    [
      'SVG',
      base64Of('', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${'<path d="M0 0"/>'.repeat(99)}</svg>`)),
    ],
    ['a piece of a compressed picture', randomText(1400, 3)],
    ['a name with a picture behind it', `icon_large/${base64Of('89504e470d0a1a0a', Buffer.alloc(3000))}`],
    ['a piece of a picture between drawn lines', `${'-'.repeat(3000)}${randomText(1700, 5)}${'-'.repeat(3000)}`],
    ['a picture behind a drawn line', `${'-'.repeat(3000)}${randomText(1400, 4)}`],
  ])('removes %s, in one line, in many and in JSON', (_, data) => {
    const wrap = (width: number, indent = '', end = '\n') =>
      (data.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).map((line) => indent + line).join(end);
    const isWhole = !/^(?:icon|---)/.test(data);
    const forms = [data, JSON.stringify({ blob: data }), JSON.stringify([`x ${data}`])];
    const lines = [wrap(76), wrap(64, '    '), wrap(76, '', '\r\n'), wrap(76, '', String.raw`\n`), wrap(600)];
    for (const form of [...forms, ...(isWhole ? lines : [])]) {
      const stripped = stripPayloads(`out: ${form}`, 'en');
      expect(stripped.length, form.slice(0, 80)).toBeLessThan(400);
      expect(stripped).toContain('base64 data removed');
    }
  });

  it('keeps what stands before a picture in one run, and removes narrow lines that begin as one does', () => {
    const png = base64Of('89504e470d0a1a0a', Buffer.alloc(3000));
    expect(stripPayloads(`icon_large/${png}`, 'en')).toBe(
      `icon_large/[${png.length} characters of base64 data removed]`,
    );
    const full = `iVBORw0KGgo${randomText(1400, 8)}`;
    expect(stripPayloads(`name_${full}`, 'en')).toBe(`name_[${full.length} characters of base64 data removed]`);
    const narrow = png.match(/.{1,40}/g)?.join('\n') ?? '';
    expect(stripPayloads(`a:\n${narrow}\nb`, 'en')).toMatch(/^a:\n\[\d+ characters of base64 data removed\]\nb$/);
    const uri = `<img src="data:image/png;base64,\n${png.match(/.{1,76}/g)?.join('\n')}">`;
    expect(stripPayloads(uri, 'en').length).toBeLessThan(120);
  });

  it('removes every picture of the corpus', () => {
    const files = readdirSync(cases)
      .map((name) => [name, readFileSync(new URL(name, cases))] as const)
      .filter(([, bytes]) => bytes.length > 1000 && bytes.length < 300_000 && findImageFormat(bytes) !== undefined);
    expect(files.length).toBeGreaterThan(20);
    for (const [name, bytes] of files) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const data = bytes.toString(encoding);
        const wrapped = data.match(/.{1,76}/g)?.join('\n') ?? '';
        for (const text of [data, wrapped])
          expect([name, stripPayloads(text, 'en').length < 100]).toEqual([name, true]);
      }
    }
  });

  it('is not slowed down by a text that is made for it', () => {
    const size = 1_000_000;
    const texts = [' '.repeat(size), 'a'.repeat(size), `${'a'.repeat(15)}\n`.repeat(size / 16), ' a'.repeat(size / 2)];
    texts.push(
      `${'A'.repeat(60)}${' '.repeat(79)}1`.repeat(size / 140),
      `${'A'.repeat(60)} 1 1 1 1 `.repeat(size / 70),
    );
    texts.push('data:a/b;'.repeat(size / 9), `${'A'.repeat(59)}\n`.repeat(size / 60), '\\n'.repeat(size / 2));
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

  it.each([
    ['hits of a search', '\n12: '],
    ['lines of a file with numbers', '\n  12\t'],
    ['an added block of a diff', '\n+'],
    ['a quotation', '\n> '],
    ['a comment', '\n# '],
    ['a sum of strings', '" +\n  "'],
    ['an array', '",\n    "'],
    ['a string that goes on', '\\\n'],
    ['one line', ' '],
    ['a list', ','],
    ['JSON in JSON in JSON', String.raw`\\n`],
  ])('removes base64 in pieces: %s', (_, between) => {
    const text = `before "${base64.match(/.{1,76}/g)?.join(between)}" after`;
    for (const whole of [text, JSON.stringify({ content: text }), JSON.stringify({ deep: [{ text }] })]) {
      const stripped = stripPayloads(whole, 'en');
      expect(stripped).not.toMatch(/[A-Za-z0-9+/]{60,}/);
      expect(stripped).toContain('before');
      expect(stripped).toContain('after');
    }
  });

  it('removes base64 from keys, from lists of pieces and with escaped signs', () => {
    const pieces = base64.match(/.{1,76}/g) ?? [];
    for (const text of [
      JSON.stringify({ [base64]: 1 }),
      JSON.stringify({ lines: pieces }),
      `out: {"blob":"${base64.replaceAll('/', String.raw`\/`)}"}`,
      `out: {"blob":"${base64.replaceAll('/', String.raw`\u002F`).replaceAll('+', String.raw`\u002b`)}"}`,
    ]) {
      const stripped = stripPayloads(text, 'en');
      expect(stripped).not.toMatch(/[A-Za-z0-9+/]{60,}/);
      expect(stripped).toContain('base64 data removed');
    }
  });

  it('leaves lists of keys, tokens and digests, and escapes in them', () => {
    const lines = (make: (index: number) => string) => Array.from({ length: 30 }, (_, index) => make(index)).join('\n');
    for (const text of [
      lines((index) => `${index}:     "integrity": "sha512-${randomText(86, index)}==",`),
      lines((index) => `ssh-ed25519 ${randomText(68, index)} user${index}@host`),
      lines((index) => `--hash=sha256:${hexDump(64, index)} \\`),
      lines((index) => `https://example.com/assets/${randomText(70, index)}.js`),
      lines((index) => `${index}: ${'packages/core/src/agent/run-turn-permissions/'.repeat(2)}${index}`),
      `{"url":"https:${String.raw`\/\/example.com\/`}"}`,
    ]) {
      for (const whole of [text, JSON.stringify({ content: text }), JSON.stringify({ list: text.split('\n') })]) {
        expect(stripPayloads(whole, 'en')).toBe(whole);
      }
    }
  });

  it('removes base64 from the diff that people are shown', () => {
    const text = `@@ -0,0 +1 @@\n+${base64.match(/.{1,500}/g)?.join('…\n+')}`;
    const diff = { path: 'a.txt', isNew: true, addedLines: 1, removedLines: 0, text, isCut: true };
    const outcome = withoutPayloads({ isError: false, content: 'done', attachments: [], diff }, 'en');
    expect(outcome.diff?.text).toMatch(/^@@ -0,0 \+1 @@\n\+?\[\d+ characters of base64 data removed\]/);
    expect(outcome).toMatchObject({ content: 'done', diff: { path: 'a.txt', addedLines: 1 } });
  });

  it('says it in the language of the session', () => {
    expect(stripPayloads(base64, 'zh-CN')).toBe(`[已移除 ${base64.length} 个字符的 base64 数据]`);
  });
});
