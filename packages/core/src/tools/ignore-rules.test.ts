import { execFileSync, spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { parseIgnoreRules } from './ignore-rules.ts';

let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

/** The files that git itself does not ignore. */
function askGit(): readonly string[] {
  const words = ['ls-files', '--others', '--exclude-per-directory=.gitignore', '-z'];
  const listed = execFileSync('git', words, { cwd: folder.path, encoding: 'utf8' });
  return listed.split('\0').filter((path) => files.includes(path));
}

/** As a walk does: a path below an ignored folder is ignored. */
function isIgnored(text: string, path: string): boolean {
  const rules = parseIgnoreRules(text);
  const parts = path.replace(/\/$/, '').split('/');
  return parts.some((_part, index) => {
    const isFolder = index < parts.length - 1 || path.endsWith('/');
    return rules.decide(parts.slice(0, index + 1), isFolder) === 'ignored';
  });
}

const files = [
  'b',
  'ab',
  'abc',
  'a/b',
  'a/y/c',
  'x/b',
  'x/a/b',
  'x/y/a',
  'y/a',
  '#a',
  '!a',
  'a b',
  'ab ',
  '[a',
  'a*',
  '\\a',
];
const pieces = [
  'a',
  'b',
  '*',
  '**',
  '?',
  '/',
  '/',
  '!',
  '[ab]',
  '[!a]',
  ' ',
  '\\a',
  '\\*',
  '#',
  '*/',
  '**/',
  '/**',
  'x',
  'y',
  '\\ ',
  '\r',
];

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function makeLine(random: () => number): string {
  const chosen = Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
    return pieces[Math.floor(random() * pieces.length)];
  });
  // Several stars beside other signs mean one star, says git's manual; git itself is not so sure.
  const parts = chosen.join('').split('/');
  return parts.map((part) => (/^!?\*+$/.test(part) ? part : part.replace(/\*+/g, '*'))).join('/');
}

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit)('parseIgnoreRules', () => {
  it('agrees with git on two thousand lines made at random', async () => {
    execFileSync('git', ['init', '-q', folder.path]);
    const random = createRandom(20);
    const differences: string[] = [];
    await Promise.all(files.map((file) => folder.write(file, '')));
    for (let round = 0; round < 250; round += 1) {
      const lines = Array.from({ length: 8 }, () => makeLine(random));
      const text = lines.join('\n');
      await folder.write('.gitignore', text);
      const kept = files.filter((path) => !isIgnored(text, path));
      const listed = askGit();
      const different = files.filter((path) => kept.includes(path) !== listed.includes(path));
      if (different.length > 0) differences.push(`${JSON.stringify(text)} on ${different.join(', ')}`);
    }
    expect(differences).toEqual([]);
  });
});

describe('parseIgnoreRules', () => {
  it('reads what people write', () => {
    const text = '\ufeff# built\r\ndist/\r\n*.log\n!keep.log\n/top\ndocs/**/*.html\n\\#odd\nspace\\ \n';
    const ignored = ['dist/', 'x/dist/', 'a.log', 'x/b.log', 'top', 'docs/a.html', 'docs/x/y/a.html', '#odd', 'space '];
    const kept = ['dist', 'keep.log', 'x/top', 'docs.html', 'x/docs/a.html', 'space', '# built'];
    expect(ignored.filter((path) => !isIgnored(text, path))).toEqual([]);
    expect(kept.filter((path) => isIgnored(text, path))).toEqual([]);
  });

  it('answers at once, whatever a hostile file holds', () => {
    const rules = parseIgnoreRules(`${'*a'.repeat(200)}b\n${' '.repeat(1_000_000)}x\n`.repeat(3));
    expect(rules.decide(['a'.repeat(255)], false)).toBeUndefined();
  });
});
