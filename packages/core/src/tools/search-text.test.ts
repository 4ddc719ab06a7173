import { execFileSync } from 'node:child_process';
import { symlink, truncate } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { swapFolder } from '../testing/swap-folder.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createSearchTextTool } from './search-text.ts';
import type { ToolOutcome } from './tool.ts';
import { defaultWalkBounds } from './walk-files.ts';

const tool = createSearchTextTool();
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

function run(toolArguments: unknown, options: Partial<ToolContextOptions> = {}, searcher = tool): Promise<ToolOutcome> {
  return searcher.run(toolArguments, createToolContext({ workspace: folder.path, ...options }));
}

function resultOf(outcome: ToolOutcome): unknown {
  const parsed = parseJson(outcome.content);
  return parsed.ok ? parsed.value : outcome.content;
}

async function search(toolArguments: unknown, options: Partial<ToolContextOptions> = {}): Promise<string> {
  const result = resultOf(await run(toolArguments, options));
  return typeof result === 'object' && result !== null && 'content' in result ? String(result.content) : '';
}

describe('search_text', () => {
  it('gives lines with file and number, file after file', async () => {
    await folder.write('b.ts', 'one\ntwo needle\r\nneedle three');
    await folder.write('src/a.ts', 'needle\n');
    await folder.write('.git/config', 'needle');
    expect(resultOf(await run({ pattern: 'needle' }))).toEqual({
      content: 'b.ts\n2: two needle\n3: needle three\n\nsrc/a.ts\n1: needle',
      hits: 3,
      files: 2,
    });
    expect(await search({ pattern: 'needle', path: 'src' })).toBe('src/a.ts\n1: needle');
    expect(await search({ pattern: 'needle', path: 'b.ts' })).toBe('b.ts\n2: two needle\n3: needle three');
    expect(await search({ pattern: 'needle', glob: 'src/**' })).toBe('src/a.ts\n1: needle');
  });

  it('takes expressions, plain text, and case as it is told', async () => {
    await folder.write('a.txt', 'f(x)\nF(X)\nfx\nÄ 图');
    expect(await search({ pattern: 'f(x)' })).toBe('a.txt\n3: fx');
    expect(await search({ pattern: 'f(x)', literal: true })).toBe('a.txt\n1: f(x)');
    expect(await search({ pattern: 'f(x)', literal: true, ignore_case: true })).toBe('a.txt\n1: f(x)\n2: F(X)');
    expect(await search({ pattern: '(?i)^fx$' })).toBe('a.txt\n3: fx');
    expect(await search({ pattern: '\\p{Script=Han}' })).toBe('a.txt\n4: Ä 图');
    // Without the flag u, in which this is an error.
    expect(await search({ pattern: '\\-|\\_|fx' })).toBe('a.txt\n3: fx');
  });

  it('shows lines around hits once, with a mark where some are left out', async () => {
    await folder.write('a.txt', '1\n2\nhit\n4\nhit\n6\n7\n8\nhit');
    expect(await search({ pattern: 'hit', context_lines: 1 })).toBe(
      'a.txt\n2- 2\n3: hit\n4- 4\n5: hit\n6- 6\n--\n8- 8\n9: hit',
    );
  });

  it('cuts a long line around its hit, never through a character', async () => {
    await folder.write('a.txt', `${'😀'.repeat(300)}needle${'x'.repeat(300)}`);
    const [, line = ''] = (await search({ pattern: 'needle' })).split('\n');
    expect(line).toMatch(/^1: …(?:😀)+needlex+…$/u);
    expect(line.length).toBeLessThan(310);
  });

  it('respects .gitignore and never reads what may not be read', async () => {
    await folder.write('work/.gitignore', 'dist');
    await folder.write('work/dist/a.txt', 'needle');
    await folder.write('work/.env', 'needle');
    await folder.write('outside.txt', 'needle');
    await symlink('../outside.txt', folder.resolve('work/link.txt'));
    const options = { workspace: folder.resolve('work'), forbidden: ['.env'] };
    expect(await search({ pattern: 'needle' }, options)).toBe(
      '(nothing found; files that .gitignore leaves out were not looked at: set include_ignored to true for those)',
    );
    expect(await search({ pattern: 'needle', include_ignored: true }, options)).toBe('dist/a.txt\n1: needle');
    for (const path of ['.env', 'link.txt', '../outside.txt']) {
      expect(await search({ pattern: 'needle', path }, options)).toBe(`Error: not found: ${path}`);
    }
  });

  it('counts the files that it does not search: binary, other encodings, too large', async () => {
    await folder.write('a.bin', 'needle\0');
    await folder.write('utf16.txt', Buffer.from('\ufeffneedle', 'utf16le'));
    await folder.write('latin.txt', Buffer.from('needle \xe4', 'latin1'));
    await folder.write('sparse.log', 'needle');
    await truncate(folder.resolve('sparse.log'), 5 * 1024 ** 3);
    await folder.write('z.txt', '\ufeffneedle');
    expect(await search({ pattern: '^needle' })).toBe(
      'z.txt\n1: needle\n\n[files not searched: 3 binary or not UTF-8, 1 larger than 5 MB]',
    );
    expect(await search({ pattern: 'nothing' }, { locale: 'zh-CN' })).toBe(
      '(没有找到;未查看 .gitignore 排除的文件,如需查看请将 include_ignored 设为 true)\n[未搜索的文件:3 个为二进制或非 UTF-8,1 个超过 5 MB]',
    );
    expect(await search({ pattern: 'x', path: 'sparse.log' })).toContain('too large (5 GB)');
  });

  it('stops at 200 hits and says so, and not at exactly 200', async () => {
    await folder.write('a.txt', 'x\n'.repeat(200));
    expect(resultOf(await run({ pattern: 'x' }))).toMatchObject({ hits: 200, files: 1 });
    expect(await search({ pattern: 'x' })).not.toContain('cut');
    await folder.write('b.txt', 'x');
    const cut = resultOf(await run({ pattern: 'x' }));
    expect(cut).toMatchObject({ hits: 200, files: 1 });
    expect(JSON.stringify(cut)).toContain(
      '[cut: only the first 200 hits are shown; use a narrower pattern, path or glob]',
    );
    expect(JSON.stringify(cut)).not.toContain('b.txt');
  });

  it('keeps the whole result below 31,000 characters', async () => {
    await folder.write('a.txt', `${'y'.repeat(500)}\n`.repeat(150));
    const content = await search({ pattern: 'y' });
    expect(content.length).toBeLessThan(31_000);
    expect(content).toContain('[cut: only the first 98 hits are shown');
  });

  it('ends an expression that would never end, names the file, and keeps what it had', async () => {
    await folder.write('a.txt', 'aaab');
    await folder.write('b.txt', `${'a'.repeat(60)}!`);
    await folder.write('c.txt', 'aaab');
    const impatient = createSearchTextTool({ ...defaultWalkBounds, patienceMs: 300 });
    const outcome = await run({ pattern: '^(a+)+b$' }, {}, impatient);
    expect(outcome.isError).toBe(true);
    expect(resultOf(outcome)).toEqual({
      content:
        'a.txt\n1: aaab\n\nError: the search was ended: the expression took longer than 0.3 s on b.txt. Repeated groups such as (a+)+ cause this. Use a simpler expression, or set literal to true.',
      hits: 1,
      files: 1,
    });
    expect((await run({ pattern: '^(a+)+b$', path: 'b.txt' }, { locale: 'zh-CN' }, impatient)).content).toContain(
      '在 b.txt 上耗时超过 0.3 秒',
    );
  });

  it('lets the program go on while it searches', async () => {
    await folder.write('b.txt', `${'a'.repeat(60)}!`);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    await run({ pattern: '^(a+)+b$' }, {}, createSearchTextTool({ ...defaultWalkBounds, patienceMs: 500 }));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  it('says what is wrong with an expression', async () => {
    expect(await search({ pattern: 'a(' })).toMatch(
      /^Error: the pattern is no valid regular expression \(Invalid regular expression: .*\)\. Correct it, or set literal to true/,
    );
    expect(await search({ pattern: 'a(' }, { locale: 'zh-CN' })).toContain('不是有效的正则表达式');
    expect(await run({ pattern: 'a', glob: '{a,b}'.repeat(10) })).toMatchObject({ isError: true });
  });

  it.skipIf(process.platform === 'win32')('waits for no pipe, and a name stays one line', async () => {
    execFileSync('mkfifo', [folder.resolve('pipe')]);
    await folder.write('two\nlines', 'needle');
    expect(await search({ pattern: 'needle' })).toBe('two\\x0alines\n1: needle');
    expect(await search({ pattern: 'needle', path: 'pipe' })).toBe('Error: not a regular file but a pipe: pipe');
  });

  it('reads nothing through a link that takes the place of a folder', async () => {
    await folder.write('work/x/a.txt', 'needle inside');
    await folder.write('outside/a.txt', 'needle secret');
    await symlink(folder.resolve('outside'), folder.resolve('link'));
    const swap = await swapFolder(folder.path, { folder: 'work/x', link: 'link' });
    try {
      const seen = new Set<string>();
      for (let round = 0; round < 60; round += 1) {
        seen.add(await search({ pattern: 'needle' }, { workspace: folder.resolve('work') }));
      }
      expect([...seen].filter((content) => content.includes('secret'))).toEqual([]);
    } finally {
      await swap.stop();
    }
  });

  it('searches a thousand files', async () => {
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) =>
        folder.write(`d${index % 30}/f${index}.txt`, `line\nvalue ${index}\n`),
      ),
    );
    expect(resultOf(await run({ pattern: 'value 999$' }))).toEqual({
      content: 'd9/f999.txt\n2: value 999',
      hits: 1,
      files: 1,
    });
  });
});
