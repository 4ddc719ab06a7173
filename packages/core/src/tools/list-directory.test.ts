import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createListDirectoryTool } from './list-directory.ts';
import type { ToolOutcome } from './tool.ts';

const tool = createListDirectoryTool();
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

function run(toolArguments: unknown, options: Partial<ToolContextOptions> = {}): Promise<ToolOutcome> {
  return tool.run(toolArguments, createToolContext({ workspace: folder.path, ...options }));
}

function resultOf(outcome: ToolOutcome): unknown {
  const parsed = parseJson(outcome.content);
  return parsed.ok ? parsed.value : outcome.content;
}

describe('list_directory', () => {
  it('lists names with kind and size, sorted, hidden ones too', async () => {
    await folder.write('b.txt', 'x'.repeat(1536));
    await folder.write('.hidden', '');
    await mkdir(folder.resolve('assets'));
    await symlink('b.txt', folder.resolve('c-link'));
    await symlink('assets', folder.resolve('d-link'));
    const expected = {
      content: '.hidden  (0 B)\nassets/\nb.txt  (1.5 KB)\nc-link  (1.5 KB, link)\nd-link/  (link)',
      entries: 5,
    };
    expect(resultOf(await run({}))).toEqual(expected);
    expect(resultOf(await run({ path: '.' }))).toEqual(expected);
    expect(resultOf(await run({ path: folder.path }))).toEqual(expected);
  });

  it('leaves out what may not be read, what leads outside, and dangling links', async () => {
    await folder.write('outside/o.txt', 'o');
    await folder.write('work/a.txt', 'a');
    await folder.write('work/.env', 'TOKEN=1');
    await folder.write('work/keys/id', 'k');
    await symlink(folder.resolve('outside'), folder.resolve('work/way-out'));
    await symlink('nowhere', folder.resolve('work/dangling'));
    const options = { workspace: folder.resolve('work'), forbidden: ['.env', folder.resolve('work/keys')] };
    expect(resultOf(await run({}, options))).toEqual({ content: 'a.txt  (1 B)', entries: 1 });
    expect(resultOf(await run({ path: 'keys' }, options))).toEqual({
      content: 'Error: not found: keys',
      total_lines: 0,
    });
  });

  it('stops at 500 entries and says so', async () => {
    await Promise.all(
      Array.from({ length: 501 }, (_, index) => folder.write(`f${String(index).padStart(3, '0')}`, '')),
    );
    const cut = JSON.stringify(resultOf(await run({})));
    expect(cut).toContain('f499');
    expect(cut).not.toContain('f500');
    expect(cut).toContain('[cut: only the first 500 entries are listed]');
    expect(cut).toContain('"entries":500');
  });

  it('does not say that exactly 500 entries were cut', async () => {
    await Promise.all(Array.from({ length: 500 }, (_, index) => folder.write(`f${index}`, '')));
    expect((await run({})).content).not.toContain('cut');
  });

  it('names an empty folder', async () => {
    expect(resultOf(await run({}))).toEqual({ content: '(empty folder)', entries: 0 });
  });

  it('refuses a file and what does not exist', async () => {
    await folder.write('a.txt', 'a');
    expect(await run({ path: 'a.txt' })).toMatchObject({ isError: true });
    expect(resultOf(await run({ path: 'a.txt' }))).toEqual({
      content: 'Error: not a folder: a.txt. Read files with read_file.',
      total_lines: 0,
    });
    expect(resultOf(await run({ path: 'no' }, { locale: 'zh-CN' }))).toEqual({
      content: '错误:文件不存在:no',
      total_lines: 0,
    });
  });

  it.skipIf(process.platform === 'win32')(
    'does not wait for a pipe and does not let a name look like two',
    async () => {
      execFileSync('mkfifo', [folder.resolve('pipe')]);
      await folder.write('two\nlines', '');
      expect(resultOf(await run({}))).toEqual({ content: 'pipe  (special file)\ntwo\\x0alines  (0 B)', entries: 2 });
    },
  );

  it('names its target in the activity line', () => {
    expect(tool.activity?.({ path: 'src' })).toEqual({ kind: 'LIST', target: 'src' });
    expect(tool.activity?.({})).toEqual({ kind: 'LIST', target: '.' });
  });
});
