import { describe, expect, it } from 'vitest';
import { compileGlob, compileNamePattern } from './path-pattern.ts';

function matches(glob: string, path: string): boolean {
  const compiled = compileGlob(glob);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value(path.split('/'));
}

describe('compileGlob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['./*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/*.ts', 'lib/src/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['**/*.ts', 'a.ts', true],
    ['**/src/**', 'x/src/a/b', true],
    ['src/**', 'src/a', true],
    ['src/**', 'src', false],
    ['src/', 'src/x/a.ts', true],
    ['/src/a.ts', 'src/a.ts', true],
    ['?.ts', 'a.ts', true],
    ['?.ts', '图.ts', true],
    ['?.ts', '😀.ts', true],
    ['?.ts', 'ab.ts', false],
    ['[a-c].ts', 'b.ts', true],
    ['[!a-c].ts', 'b.ts', false],
    ['[^a-c].ts', 'd.ts', true],
    ['[]x].ts', '].ts', true],
    ['[[:digit:]]*.log', '1a.log', true],
    ['[[:digit:]]*.log', 'a1.log', false],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{src,lib}/**/*.{ts,js}', 'lib/x/a.js', true],
    ['{src,lib}/**/*.{ts,js}', 'bin/a.js', false],
    ['a{b{c,d},e}f', 'abdf', true],
    ['a{b{c,d},e}f', 'aef', true],
    ['a{b}c', 'a{b}c', true],
    ['\\*.ts', '*.ts', true],
    ['\\*.ts', 'a.ts', false],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['app/[id]/*.tsx', 'app/[id]/page.tsx', true],
    ['app/[id]/*.tsx', 'app/i/page.tsx', true],
    ['[', '[', true],
    ['*a*b*', 'xaxbx', true],
    ['*a*b', 'xaxbx', false],
    ['a/**/b/**/c', 'a/x/b/y/b/c', true],
    ['', 'a', false],
  ])('%s against %s: %s', (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  it('answers at once where a regular expression would take years', () => {
    const name = `${'a'.repeat(250)}c`;
    expect(matches(`${'*a'.repeat(100)}b`, name)).toBe(false);
    expect(matches(`${'**/a/'.repeat(80)}b`, `${'a/'.repeat(500)}c`)).toBe(false);
    expect(compileNamePattern(`${'*[a-z]'.repeat(80)}!`)(name)).toBe(false);
  });

  it('refuses what stands for too many patterns, and what is too long', () => {
    expect(compileGlob('{a,b}'.repeat(12))).toEqual({ ok: false, error: 'too-many-alternatives' });
    expect(compileGlob(`${'{a,'.repeat(300)}`).ok).toBe(true);
    expect(compileGlob('x'.repeat(1001))).toEqual({ ok: false, error: 'too-long' });
  });
});
