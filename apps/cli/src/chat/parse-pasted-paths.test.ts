import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePastedPaths } from './parse-pasted-paths.ts';

const strings = JSON.parse(readFileSync(new URL('../../../../fixtures/cases/strings.json', import.meta.url), 'utf8'));
const homeFolder = '/home/me';

describe('parsePastedPaths', () => {
  for (const { pasted, paths } of strings.pasted_paths as { pasted: string; paths: string[] }[]) {
    it(`reads ${JSON.stringify(pasted)}`, () => {
      expect(parsePastedPaths(pasted, { homeFolder })).toEqual(paths.map((path) => path.replace('<home>', homeFolder)));
    });
  }

  it('reads several paths in a row, escaped and quoted', () => {
    expect(parsePastedPaths("/a\\ b.png '/c d.png' /e.png", { homeFolder })).toEqual([
      '/a b.png',
      '/c d.png',
      '/e.png',
    ]);
    expect(parsePastedPaths('/a.png /b.png', { homeFolder })).toEqual(['/a.png', '/b.png']);
  });

  it('takes a line with blanks as one path unless each word begins like one', () => {
    expect(parsePastedPaths('/home/me/Screenshot 2026-11-30 at 10.00.png', { homeFolder })).toEqual([
      '/home/me/Screenshot 2026-11-30 at 10.00.png',
    ]);
  });

  it('decodes file addresses and nothing else', () => {
    expect(parsePastedPaths('file:///home/me/a%20b.png', { homeFolder })).toEqual(['/home/me/a b.png']);
  });

  it('reads several Windows paths with blanks', () => {
    expect(parsePastedPaths('C:\\my shots\\1.png D:\\2.png', { homeFolder })).toEqual([
      'C:\\my shots\\1.png',
      'D:\\2.png',
    ]);
  });

  it('leaves ordinary text alone', () => {
    for (const text of ['What does shot.png say?', 'see\n/home/me/a.png', '', '   ']) {
      expect(parsePastedPaths(text, { homeFolder })).toEqual([]);
    }
  });
});
