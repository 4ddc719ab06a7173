import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { swapFolder } from '../testing/swap-folder.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createFindFilesTool } from './find-files.ts';
import type { ToolOutcome } from './tool.ts';
import { defaultWalkBounds } from './walk-files.ts';

const tool = createFindFilesTool();
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

function run(toolArguments: unknown, options: Partial<ToolContextOptions> = {}, finder = tool): Promise<ToolOutcome> {
  return finder.run(toolArguments, createToolContext({ workspace: folder.path, ...options }));
}

async function find(toolArguments: unknown, options: Partial<ToolContextOptions> = {}): Promise<readonly string[]> {
  return contentOf(await run(toolArguments, options)).split('\n');
}

function contentOf(outcome: ToolOutcome): string {
  const parsed = parseJson(outcome.content);
  if (!parsed.ok) return outcome.content;
  const value: unknown = parsed.value;
  return typeof value === 'object' && value !== null && 'content' in value ? String(value.content) : '';
}

async function writeAll(...names: readonly string[]): Promise<void> {
  for (const name of names) await folder.write(name, '');
}

describe('find_files', () => {
  it('gives sorted paths with forward slashes, hidden ones too, and never .git', async () => {
    await writeAll('b.ts', 'a.ts', 'src/c.ts', 'src/deep/.d.ts', '.git/e.ts', 'src/.git/f.ts', 'g.js');
    const outcome = await run({ pattern: '*.ts' });
    expect(parseJson(outcome.content)).toEqual({
      ok: true,
      value: { content: 'a.ts\nb.ts\nsrc/c.ts\nsrc/deep/.d.ts', files: 4 },
    });
    expect(outcome.isError).toBe(false);
    expect(await find({ pattern: '**/*.ts', path: 'src' })).toEqual(['src/c.ts', 'src/deep/.d.ts']);
    expect(await find({ pattern: '{src,lib}/*.ts' })).toEqual(['src/c.ts']);
    expect(await find({ pattern: '*.ts', path: folder.resolve('src/deep') })).toEqual(['src/deep/.d.ts']);
  });

  it('leaves out what .gitignore files leave out, nested ones too, unless it is asked for', async () => {
    await folder.write('.gitignore', '*.log\n/dist/\nnode_modules\n');
    await folder.write('sub/.gitignore', '!keep.log\nsecret.*\n');
    await writeAll('a.log', 'a.txt', 'dist/a.txt', 'sub/dist/a.txt', 'node_modules/x/a.txt');
    await writeAll('sub/keep.log', 'sub/b.log', 'sub/secret.txt');
    const kept = ['a.txt', 'sub/dist/a.txt', 'sub/keep.log'];
    expect(await find({ pattern: '*.{txt,log}' })).toEqual(kept);
    expect(await find({ pattern: '*.{txt,log}', path: 'sub' })).toEqual(kept.slice(1));
    const everything = await find({ pattern: '*.{txt,log}', include_ignored: true });
    expect(everything).toEqual([
      ...['a.log', 'a.txt', 'dist/a.txt', 'node_modules/x/a.txt'],
      ...['sub/b.log', 'sub/dist/a.txt', 'sub/keep.log', 'sub/secret.txt'],
    ]);
  });

  it('looks into node_modules where nothing ignores it, and into an ignored folder that is named', async () => {
    await writeAll('node_modules/x/a.js');
    expect(await find({ pattern: '*.js' })).toEqual(['node_modules/x/a.js']);
    await folder.write('.gitignore', 'node_modules/\n*.js');
    expect(await find({ pattern: '*.js' })).toEqual([
      '(nothing found; files that .gitignore leaves out were not looked at: set include_ignored to true for those)',
    ]);
    expect(await find({ pattern: '*.js', path: 'node_modules/x' })).toEqual(['node_modules/x/a.js']);
    expect(await find({ pattern: '*.py', include_ignored: true }, { locale: 'zh-CN' })).toEqual(['(没有找到)']);
  });

  it('never shows what may not be read, nor what lies outside', async () => {
    await writeAll('work/a.txt', 'work/.env', 'work/keys/a.txt', 'work/deep/ID_RSA', 'outside/b.txt');
    await symlink(folder.resolve('outside'), folder.resolve('work/out'));
    await symlink(folder.resolve('outside/b.txt'), folder.resolve('work/out.txt'));
    await symlink('.env', folder.resolve('work/env.txt'));
    await symlink('a.txt', folder.resolve('work/link.txt'));
    await symlink('nowhere', folder.resolve('work/dangling.txt'));
    await symlink('.', folder.resolve('work/circle'));
    const options = {
      workspace: folder.resolve('work'),
      forbidden: ['.env', 'id_rsa', folder.resolve('work/keys')],
    };
    expect(await find({ pattern: '*', include_ignored: true }, options)).toEqual(['a.txt', 'link.txt']);
    for (const path of ['keys', '../outside', 'out', 'nowhere']) {
      expect(await find({ pattern: '*', path }, options)).toEqual([`Error: not found: ${path}`]);
    }
  });

  it('does not follow a link to a folder, so that a circle ends', async () => {
    await writeAll('real/a.txt');
    await symlink('real', folder.resolve('link'));
    await symlink('..', folder.resolve('real/up'));
    expect(await find({ pattern: '*' })).toEqual(['real/a.txt']);
    expect(await find({ pattern: '*', path: 'link' })).toEqual(['link/a.txt']);
  });

  it('names files below an alias by it', async () => {
    await writeAll('work/a.txt', 'photos/deep/b.txt', 'photos/.gitignore');
    const options = {
      workspace: folder.resolve('work'),
      externalFolders: { photos: folder.resolve('photos') },
    };
    expect(await find({ pattern: '*.txt', path: 'photos' }, options)).toEqual(['photos/deep/b.txt']);
  });

  it('says what it cut, and keeps the first names', async () => {
    await Promise.all(Array.from({ length: 501 }, (_, index) => folder.write(`f${1000 + index}`, '')));
    const lines = await find({ pattern: 'f*' });
    expect(lines.slice(498)).toEqual([
      ...['f1498', 'f1499'],
      '[cut: the first 500 of 501 files are listed; use a narrower pattern or path]',
    ]);
    expect((await find({ pattern: 'f*' }, { locale: 'zh-CN' })).at(-1)).toBe(
      '[已截断:共 501 个文件,只列出前 500 个;请缩小 pattern 或 path 的范围]',
    );
    expect((await find({ pattern: 'f[0-9]*[0-8]' })).join()).not.toContain('cut');
  });

  it('stops at its bounds and says at which', async () => {
    await writeAll('a/b/c/d.txt', 'a/1.txt', 'a/2.txt', 'e.txt');
    const bounded = (bounds: Partial<typeof defaultWalkBounds>) =>
      createFindFilesTool({ ...defaultWalkBounds, ...bounds });
    const content = async (bounds: Partial<typeof defaultWalkBounds>) =>
      contentOf(await run({ pattern: '*.txt' }, {}, bounded(bounds)));
    expect(await content({ depth: 2 })).toBe(
      'a/1.txt\na/2.txt\ne.txt\n[incomplete: folders more than 2 levels down were not looked at; start at a folder further down with path]',
    );
    expect(await content({ entries: 2 })).toBe(
      'a/1.txt\n[incomplete: only the first 2 files and folders were looked at; start at a folder further down with path]',
    );
    expect(await content({ durationMs: -1 })).toContain('[incomplete: it took longer than');
  });

  it('refuses a file as its start, and patterns that stand for too much', async () => {
    await writeAll('a.txt');
    expect(await find({ pattern: '*', path: 'a.txt' })).toEqual([
      'Error: not a folder: a.txt. Read files with read_file.',
    ]);
    expect(await run({ pattern: '{a,b}'.repeat(10) })).toMatchObject({ isError: true });
    expect(await find({ pattern: 'x'.repeat(1001) }, { locale: 'zh-CN' })).toEqual([
      '错误:glob 超过 1000 个字符。请缩短,或分多次调用。',
    ]);
    expect((await find({ glob: '*' }))[0]).toContain('INVALID_ARGUMENTS');
  });

  it.skipIf(process.platform === 'win32')('waits for no pipe, and a name stays one line', async () => {
    execFileSync('mkfifo', [folder.resolve('pipe.txt'), folder.resolve('.gitignore')]);
    await writeAll('two\nlines.txt', '图 片.txt');
    expect(await find({ pattern: '*.txt' })).toEqual(['two\\x0alines.txt', '图 片.txt']);
  });

  it('does not read a .gitignore that is a link or far too large', async () => {
    await writeAll('work/a.txt', 'work/big/b.txt', 'work/big/.gitignore');
    await folder.write('outside', '*.txt');
    await folder.write('work/big/.gitignore', '*.txt\n');
    await truncate(folder.resolve('work/big/.gitignore'), 5 * 1024 ** 3);
    await symlink('../outside', folder.resolve('work/.gitignore'));
    expect(await find({ pattern: '*.txt' }, { workspace: folder.resolve('work') })).toEqual(['a.txt', 'big/b.txt']);
    expect(await find({ pattern: '*.txt', path: 'big' }, { workspace: folder.resolve('work') })).toEqual(['big/b.txt']);
  });

  it('lists nothing of a folder whose place a link has taken', async () => {
    await writeAll('work/x/a.txt', 'outside/secret.txt');
    await symlink(folder.resolve('outside'), folder.resolve('link'));
    const swap = await swapFolder(folder.path, { folder: 'work/x', link: 'link' });
    try {
      const seen = new Set<string>();
      for (let round = 0; round < 1500; round += 1) {
        seen.add(contentOf(await run({ pattern: '*', include_ignored: true }, { workspace: folder.resolve('work') })));
      }
      expect([...seen].filter((content) => content.includes('secret'))).toEqual([]);
    } finally {
      await swap.stop();
    }
  });

  it('ends when the turn is stopped', async () => {
    await mkdir(folder.resolve('x'));
    const signal = AbortSignal.abort();
    await expect(run({ pattern: '*' }, { signal })).rejects.toThrow();
  });

  it('names its pattern in the activity line', () => {
    expect(tool.activity?.({ pattern: '*.ts' })).toEqual({ kind: 'SEARCH', target: '*.ts' });
    expect(tool.activity?.({})).toBeUndefined();
  });
});
