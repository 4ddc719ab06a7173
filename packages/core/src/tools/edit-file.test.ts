import { readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createEditFileTool } from './edit-file.ts';
import type { FileChange, ToolContext, ToolOutcome } from './tool.ts';

const tool = createEditFileTool();
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

type Options = Partial<ToolContextOptions> & Pick<ToolContext, 'journal' | 'granted'>;

function run(toolArguments: unknown, options: Partial<Options> = {}): Promise<ToolOutcome> {
  const { journal, granted, ...rest } = options;
  const context = createToolContext({ workspace: folder.path, ...rest });
  return tool.run(toolArguments, { ...context, ...(journal && { journal }), ...(granted && { granted }) });
}

async function edit(oldText: string, newText: string, options: Partial<Options> = {}): Promise<string> {
  return contentOf(await run({ path: 'a.txt', old_text: oldText, new_text: newText }, options));
}

function contentOf(outcome: ToolOutcome): string {
  const parsed = parseJson(outcome.content);
  const value = parsed.ok ? parsed.value : undefined;
  return typeof value === 'object' && value !== null && 'content' in value ? String(value.content) : outcome.content;
}

function textOf(name = 'a.txt'): Promise<string> {
  return readFile(folder.resolve(name), 'utf8');
}

describe('edit_file', () => {
  it('replaces the only place and shows what changed', async () => {
    await folder.write('a.txt', 'one\ntwo\nthree\n');
    const outcome = await run({ path: 'a.txt', old_text: 'two\nthr', new_text: '2\nthr' });
    expect(outcome).toEqual({
      isError: false,
      content: '{"content":"File edited: a.txt (1 place, +1 -1 lines; now 3 lines, 12 B)","path":"a.txt"}',
      attachments: [],
      diff: {
        path: 'a.txt',
        isNew: false,
        addedLines: 1,
        removedLines: 1,
        text: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three',
        isCut: false,
      },
    });
    expect(await textOf()).toBe('one\n2\nthree\n');
    expect(await edit('2\n', '', { locale: 'zh-CN' })).toBe('文件已编辑:a.txt(1 处,+0 -1 行;现为 2 行,10 B)');
    expect(await textOf()).toBe('one\nthree\n');
  });

  it('takes text as it is written, not as a pattern', async () => {
    await folder.write('a.txt', 'a.c $& [x]');
    await edit('a.c $&', "$1 $& $'");
    expect(await textOf()).toBe("$1 $& $' [x]");
  });

  it('changes nothing where several places could be meant', async () => {
    await folder.write('a.txt', 'x\ny\nx\nx\nx\nx\nx\n');
    expect(await edit('x', 'z')).toBe(
      'Error: old_text occurs 6 times in a.txt (lines 1, 3, 4, 5, 6, ...), so nothing was changed. Add lines around it until it occurs once, or set replace_all to true to change every place.',
    );
    expect(await edit('x', 'z', { locale: 'zh-CN' })).toBe(
      '错误:old_text 在 a.txt 中出现 6 次(第 1、3、4、5、6 行等),未作任何更改。请加入前后的行使其唯一,或将 replace_all 设为 true 替换所有位置。',
    );
    // Two readings that overlap are two.
    expect(await edit('x\nx\nx\nx', 'z')).toContain('occurs 2 times');
    expect(await textOf()).toBe('x\ny\nx\nx\nx\nx\nx\n');
    const outcome = await run({ path: 'a.txt', old_text: 'x', new_text: 'z', replace_all: true });
    expect(contentOf(outcome)).toBe('File edited: a.txt (6 places, +6 -6 lines; now 7 lines, 14 B)');
    expect(await textOf()).toBe('z\ny\nz\nz\nz\nz\nz\n');
  });

  it('takes line ends as equal and keeps those of the file, with its byte order mark', async () => {
    await folder.write('a.txt', '\ufeffa\r\nb\r\nc\r\n');
    await edit('a\nb\n', 'a\nx\ny\n');
    expect(await textOf()).toBe('\ufeffa\r\nx\r\ny\r\nc\r\n');
    await folder.write('a.txt', 'a\nb\n');
    await edit('a\r\nb', 'x\r\ny');
    expect(await textOf()).toBe('x\ny\n');
    await folder.write('a.txt', 'a\r\nb\nc\r\nd\n');
    await edit('a\nb', 'a\nB');
    expect(await textOf()).toBe('a\r\nB\nc\r\nd\n');
    await edit('B\nc\nd', 'b\nC\nD');
    expect(await textOf()).toBe('a\r\nb\r\nC\r\nD\n');
    await folder.write('a.txt', 'x\r\n\r\ny\r\n');
    await edit('\n\ny', '\ny');
    expect(await textOf()).toBe('x\r\ny\r\n');
  });

  it('says what comes near when the text does not occur', async () => {
    await folder.write('a.txt', 'if (x) {\n\treturn  1;\n}\nsay(“Hi – you”);\n');
    expect(await edit('if (x) {\n  return 1;\n}', '')).toBe(
      'Error: old_text does not occur in a.txt, so nothing was changed. Lines 1 to 3 differ from it only in white space. They are exactly:\nif (x) {\n\treturn  1;\n}',
    );
    expect(await edit('Say("Hi - you")', '')).toBe(
      'Error: old_text does not occur in a.txt, so nothing was changed. Line 4 differs from it only in case, quotes, dashes or white space. It is exactly:\nsay(“Hi – you”);',
    );
    expect(await edit('else {\n  return 1;\n}', '')).toBe(
      'Error: old_text does not occur in a.txt, so nothing was changed. Something like it begins at line 2: read the file there and copy the text exactly.',
    );
    expect(await edit('nowhere', '')).toBe(
      'Error: old_text does not occur in a.txt, so nothing was changed. Nothing like it is there either: read the file again, it may have changed.',
    );
    expect(await edit(' \n ', '')).toContain('Nothing like it');
    expect(await edit('return 1;', '', { locale: 'zh-CN' })).toBe(
      '错误:a.txt 中没有 old_text,未作任何更改。第 2 行仅空白不同,原文为:\n\treturn  1;',
    );
    expect(await edit('无', '', { locale: 'zh-CN' })).toBe(
      '错误:a.txt 中没有 old_text,未作任何更改。也没有相近的内容:文件可能已更改,请重新读取。',
    );
  });

  it('answers for long texts too, also where line after line is the same', async () => {
    await folder.write('a.txt', '}\n'.repeat(300_000));
    expect(await edit(`${'}\n'.repeat(100_000)}!`, '')).toContain('Something like it begins at line 1:');
    await folder.write('a.txt', `${'a line\n'.repeat(200_000)}the last one\n`);
    expect(await edit('something else, and longer\n  the last one ', '')).toContain('Nothing like it');
    expect(await edit('else\n  the last one ', '')).toContain('Something like it begins at line 200001:');
  });

  it('changes each of very many places, whatever ends the lines', async () => {
    await folder.write('a.txt', 'x\r\ny\r\n'.repeat(20_000));
    const change = (oldText: string, newText: string) =>
      run({ path: 'a.txt', old_text: oldText, new_text: newText, replace_all: true });
    expect(contentOf(await change('x\ny', 'xx'))).toContain('20000 places');
    expect(await textOf()).toBe('xx\r\n'.repeat(20_000));
    await change('x', '');
    expect(await textOf()).toBe('\r\n'.repeat(20_000));
  });

  it('leaves a second byte order mark where it is', async () => {
    await folder.write('a.txt', '\ufeff\ufeffone\ntwo\n');
    await edit('two', '2');
    expect(await textOf()).toBe('\ufeff\ufeffone\n2\n');
  });

  it('refuses what is not there, no text, of another encoding or far too large', async () => {
    const refused = async (path: string) => contentOf(await run({ path, old_text: 'a', new_text: 'b' }));
    expect(await refused('no.txt')).toBe('Error: not found: no.txt. Make the file with write_file.');
    await folder.write('a.bin', Buffer.from([97, 0]));
    expect(await refused('a.bin')).toContain('this is not a text file but binary data');
    await folder.write('w.txt', Buffer.from('\ufeffa', 'utf16le'));
    expect(await refused('w.txt')).toContain('encoded as UTF-16LE');
    await folder.write('big.txt', 'a');
    await truncate(folder.resolve('big.txt'), 5 * 1024 ** 3);
    expect(await refused('big.txt')).toContain('too large (5 GB)');
    await folder.write('a.txt', 'a'.repeat(2000));
    const grown = await run({ path: 'a.txt', old_text: 'a', new_text: 'b'.repeat(10_000), replace_all: true });
    expect(contentOf(grown)).toContain('would be too large (19.1 MB)');
    expect(contentOf(await run({ path: 'a.txt', old_text: '', new_text: '' }))).toContain('INVALID_ARGUMENTS');
    expect(await edit('a', 'x\0')).toContain('NUL character (character 2)');
    expect(await textOf()).toBe('a'.repeat(2000));
  });

  it('notes the change before it makes it, and leaves alone what changed meanwhile', async () => {
    await folder.write('a.txt', 'one two');
    const noted: FileChange[] = [];
    const journal = {
      record: async (change: FileChange) => {
        noted.push(change);
        expect(await textOf()).toBe('one two');
      },
    };
    await edit('two', '2', { journal });
    expect(noted).toHaveLength(1);
    expect(noted[0]).toMatchObject({ displayPath: 'a.txt', before: Buffer.from('one two') });
    const meanwhile = { record: () => writeFile(folder.resolve('a.txt'), 'theirs') };
    expect(await edit('2', 'x', { journal: meanwhile })).toContain('the file changed while it was read');
    expect(await textOf()).toBe('theirs');
    expect(await edit('theirs', 'theirs')).toContain('Nothing changed');
  });

  it('edits outside the workspace only what was allowed', async () => {
    await folder.write('outside.txt', 'old');
    await folder.write('work/.env', 'old');
    await symlink('../outside.txt', folder.resolve('work/link.txt'));
    const options = { workspace: folder.resolve('work'), forbidden: ['.env'] };
    const call = (path: string) => ({ path, old_text: 'old', new_text: 'new' });
    expect(contentOf(await run(call('link.txt'), options))).toContain('was not allowed');
    expect(contentOf(await run(call('.env'), options))).toContain('may not be written');
    const granted = await tool.demand?.(call('link.txt'), createToolContext(options));
    expect(granted).toEqual({ kind: 'write', target: folder.resolve('outside.txt'), isInsideWorkspace: false });
    expect((await run(call('link.txt'), { ...options, ...(granted && { granted }) })).isError).toBe(false);
    expect(await textOf('outside.txt')).toBe('new');
  });

  it('names its path in the activity line', () => {
    expect(tool.activity?.({ path: 'a.txt' })).toEqual({ kind: 'EDIT', target: 'a.txt' });
    expect(tool.activity?.({})).toBeUndefined();
  });
});
