import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTypedPaths } from './find-typed-paths.ts';

function openWorkspace(...names: readonly string[]) {
  const workspace = mkdtempSync(join(tmpdir(), 'fovea-typed-'));
  mkdirSync(join(workspace, 'shots'));
  for (const name of names) writeFileSync(join(workspace, name), '');
  const surroundings = { workspace, homeFolder: '/home/me' };
  return (typed: string) => findTypedPaths(typed, surroundings);
}

describe('findTypedPaths', () => {
  it('splits bare names, quotes and escapes as a shell does', async () => {
    const find = openWorkspace('a.png', 'b.png');
    expect(await find('a.png b.png')).toEqual(['a.png', 'b.png']);
    expect(await find(`"a 1.png" 'b 2.png' c\\ 3.png ~/d.png`)).toEqual([
      'a 1.png',
      'b 2.png',
      'c 3.png',
      '/home/me/d.png',
    ]);
    expect(await find('  ')).toEqual([]);
  });

  it('takes the whole text when it is the name of one file', async () => {
    const find = openWorkspace('Screenshot at 10.00.png', "it's.png", 'odd[*].png');
    for (const name of ['Screenshot at 10.00.png', "it's.png", 'odd[*].png']) expect(await find(name)).toEqual([name]);
  });

  it('keeps a missing part as it was typed', async () => {
    const find = openWorkspace('a.png');
    expect(await find('a.png gone.png')).toEqual(['a.png', 'gone.png']);
  });

  it('expands simple patterns within a folder', async () => {
    const find = openWorkspace('a2.png', 'a10.png', '.a3.png', 'note.txt', 'shots/x.png', 'shots/xy.png');
    expect(await find('a*.png')).toEqual(['a2.png', 'a10.png']);
    expect(await find('shots/?.png note.txt')).toEqual(['shots/x.png', 'note.txt']);
    expect(await find('*.gif')).toEqual(['*.gif']);
  });
});
