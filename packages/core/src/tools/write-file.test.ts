import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import { locales } from '../base/locale.ts';
import { parseJson } from '../base/parse-json.ts';
import { compileFloors } from '../testing/compile-floors.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import type { FileChange, ToolContext, ToolDemand, ToolOutcome } from './tool.ts';
import { createWriteFileTool } from './write-file.ts';

const tool = createWriteFileTool();
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

async function judge(path: string, options: Partial<ToolContextOptions> = {}): Promise<ToolDemand | undefined> {
  const context = createToolContext({ workspace: folder.path, ...options });
  return tool.demand?.({ path, content: '' }, context);
}

function contentOf(outcome: ToolOutcome): unknown {
  const parsed = parseJson(outcome.content);
  const value = parsed.ok ? parsed.value : undefined;
  return typeof value === 'object' && value !== null && 'content' in value ? value.content : outcome.content;
}

function textOf(name: string): Promise<string> {
  return readFile(folder.resolve(name), 'utf8');
}

describe('write_file', () => {
  it('makes a file with its folders and tells of it in both languages', async () => {
    const outcome = await run({ path: 'src/deep/a.ts', content: 'one\ntwo\n' });
    expect(outcome).toEqual({
      isError: false,
      content: '{"content":"File created: src/deep/a.ts (2 lines, 8 B)","path":"src/deep/a.ts"}',
      attachments: [],
      diff: {
        path: 'src/deep/a.ts',
        isNew: true,
        addedLines: 2,
        removedLines: 0,
        text: '--- /dev/null\n+++ b/src/deep/a.ts\n@@ -0,0 +1,2 @@\n+one\n+two',
        isCut: false,
      },
    });
    expect(await textOf('src/deep/a.ts')).toBe('one\ntwo\n');
    expect(await readdir(folder.resolve('src/deep'))).toEqual(['a.ts']);
    expect(contentOf(await run({ path: '图.txt', content: '' }, { locale: 'zh-CN' }))).toBe(
      '文件已创建:图.txt(0 行,0 B)',
    );
  });

  it('replaces a text and shows what changed', async () => {
    await folder.write('a.txt', 'one\ntwo\nthree\n');
    const outcome = await run({ path: 'a.txt', content: 'one\n2\nthree\nfour\n' });
    expect(contentOf(outcome)).toBe('File written: a.txt (+2 -1 lines; now 4 lines, 17 B)');
    expect(outcome.diff).toMatchObject({ isNew: false, addedLines: 2, removedLines: 1 });
    expect(outcome.diff?.text).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four');
    expect(contentOf(await run({ path: './a.txt', content: 'x' }, { locale: 'zh-CN' }))).toBe(
      '文件已写入:a.txt(+1 -4 行;现为 1 行,1 B)',
    );
  });

  it('keeps line ends, byte order mark and mode of the file', async () => {
    await folder.write('dos.txt', '\ufeffa\r\nb\r\n');
    await chmod(folder.resolve('dos.txt'), 0o754);
    const outcome = await run({ path: 'dos.txt', content: 'a\nc\n' });
    expect(outcome.content).toContain('The file ends its lines with CRLF; the new text was given the same.');
    expect(outcome.diff).toMatchObject({ addedLines: 1, removedLines: 1 });
    expect(await textOf('dos.txt')).toBe('\ufeffa\r\nc\r\n');
    expect((await stat(folder.resolve('dos.txt'))).mode & 0o777).toBe(0o754);
    await folder.write('unix.txt', 'a\nb\n');
    await run({ path: 'unix.txt', content: 'a\r\nc\r\n' });
    expect(await textOf('unix.txt')).toBe('a\nc\n');
    await folder.write('mixed.txt', 'a\nb\r\n');
    await run({ path: 'mixed.txt', content: 'a\r\nc\n' });
    expect(await textOf('mixed.txt')).toBe('a\r\nc\n');
    await run({ path: 'dos.txt', content: '\ufeffone mark' });
    expect(await textOf('dos.txt')).toBe('\ufeffone mark');
  });

  it('notes the change durably before it makes it', async () => {
    await folder.write('a.txt', 'old');
    const seen: unknown[] = [];
    const journal = {
      record: async (change: FileChange) => {
        seen.push({ ...change, onDisk: await textOf('a.txt') });
      },
    };
    await run({ path: 'a.txt', content: 'new' }, { journal });
    expect(seen).toEqual([
      {
        path: folder.resolve('a.txt'),
        displayPath: 'a.txt',
        before: Buffer.from('old'),
        after: new TextEncoder().encode('new'),
        onDisk: 'old',
      },
    ]);
    const failing = { record: () => Promise.reject(new AppError('STORE_UNAVAILABLE', 'full')) };
    await expect(run({ path: 'a.txt', content: 'newer' }, { journal: failing })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(await textOf('a.txt')).toBe('new');
    await expect(run({ path: 'x/b.txt', content: 'b' }, { journal: failing })).rejects.toThrow();
    expect(await readdir(folder.path)).toEqual(['a.txt']);
  });

  it('notes and changes nothing where nothing would change', async () => {
    await folder.write('a.txt', 'same\r\n');
    const journal = { record: () => Promise.reject(new Error('asked')) };
    const outcome = await run({ path: 'a.txt', content: 'same\n' }, { journal });
    expect(contentOf(outcome)).toBe('Nothing changed: a.txt has exactly this content already.');
    expect(outcome.diff).toBeUndefined();
  });

  it('refuses to write text over what is no text, and text into the name of a picture', async () => {
    const files = new Map<string, Uint8Array | string>([
      ['data.bin', Buffer.from([1, 0, 2])],
      ['logo', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
      ['wide.txt', Buffer.from('\ufefftext', 'utf16le')],
      ['latin.txt', Buffer.from('Gr\xfc\xdfe', 'latin1')],
    ]);
    for (const [name, bytes] of files) {
      await folder.write(name, bytes);
      const outcome = await run({ path: name, content: 'text' });
      expect(outcome.isError).toBe(true);
      expect(await readFile(folder.resolve(name))).toEqual(Buffer.from(bytes));
    }
    expect(contentOf(await run({ path: 'wide.txt', content: '' }))).toContain('encoded as UTF-16LE');
    expect(contentOf(await run({ path: 'logo', content: '' }))).toContain('image/png');
    expect(contentOf(await run({ path: 'new.PNG', content: 'iVBOR' }))).toBe(
      'Error: the name claims a picture, and this tool writes text: new.PNG. Make the picture with a command (run_command), write SVG, or choose another name.',
    );
    expect(contentOf(await run({ path: 'new.svg', content: '<svg/>' }))).toContain('File created');
  });

  it('refuses NUL, half characters, folders and too much', async () => {
    await mkdir(folder.resolve('sub'));
    await folder.write('file', 'x');
    await folder.write('sparse.txt', '');
    await truncate(folder.resolve('sparse.txt'), 5 * 1024 ** 3);
    const cases: readonly (readonly [unknown, string])[] = [
      [
        { path: 'a', content: 'a\0b' },
        'Error: the text holds a NUL character (character 2), which no text file has. Leave it out.',
      ],
      [{ path: 'a', content: '\ud83d' }, 'half of a character'],
      [{ path: 'sub', content: '' }, 'Error: not a regular file but a folder: sub'],
      [{ path: 'sub/', content: '' }, 'Error: this names a folder: sub/.'],
      [{ path: 'file/a', content: '' }, 'Error: a part of the path is a file, not a folder: file/a.'],
      [{ path: 'a\0b', content: '' }, 'Error: not found'],
      [{ path: 'a', content: 'x'.repeat(10 * 1024 * 1024 + 1) }, 'too large (10 MB); files are written up to 10 MB'],
      [{ path: 'sparse.txt', content: '' }, 'too large (5 GB)'],
      [{ path: 'n'.repeat(300), content: '' }, 'ENAMETOOLONG'],
      [{ path: 'a' }, 'INVALID_ARGUMENTS'],
    ];
    for (const [toolArguments, expected] of cases) {
      const outcome = await run(toolArguments);
      expect(outcome.isError).toBe(true);
      expect(contentOf(outcome)).toContain(expected);
    }
    expect(await readdir(folder.path)).toEqual(['file', 'sparse.txt', 'sub']);
  });

  it.skipIf(process.platform === 'win32')('waits for no pipe and writes to no device', async () => {
    execFileSync('mkfifo', [folder.resolve('pipe')]);
    await symlink('/dev/null', folder.resolve('null'));
    expect(contentOf(await run({ path: 'pipe', content: 'x' }))).toBe('Error: not a regular file but a pipe: pipe');
    const granted: ToolDemand = { kind: 'write', target: '/dev/null', isInsideWorkspace: false };
    expect(contentOf(await run({ path: 'null', content: 'x' }, { granted }))).toBe(
      'Error: not a regular file but a device: null',
    );
  });

  it('writes through a link inside the workspace, and takes one that leads out for the place it leads to', async () => {
    await folder.write('work/real.txt', 'old');
    await folder.write('outside/o.txt', 'old');
    await symlink('real.txt', folder.resolve('work/link.txt'));
    await symlink('../outside', folder.resolve('work/out'));
    await symlink('nowhere', folder.resolve('work/dangling'));
    const options = { workspace: folder.resolve('work') };
    expect(contentOf(await run({ path: 'link.txt', content: 'new' }, options))).toContain('File written: real.txt');
    expect((await lstat(folder.resolve('work/link.txt'))).isSymbolicLink()).toBe(true);
    expect(await textOf('work/real.txt')).toBe('new');
    for (const path of ['out/o.txt', 'out/new.txt', '../outside/o.txt', folder.resolve('outside/o.txt')]) {
      expect(contentOf(await run({ path, content: 'new' }, options))).toContain(`writing ${path} was not allowed`);
    }
    expect(contentOf(await run({ path: 'dangling', content: 'new' }, options))).toBe(
      'Error: not a regular file but a link: dangling',
    );
    expect(contentOf(await run({ path: 'dangling/x', content: 'new' }, options))).toContain('a link: dangling/x');
    expect(await readdir(folder.resolve('outside'))).toEqual(['o.txt']);
    expect(await textOf('outside/o.txt')).toBe('old');
  });

  it('writes outside only what was allowed, exactly there', async () => {
    await folder.write('outside/o.txt', 'old');
    await mkdir(folder.resolve('work'));
    const workspace = folder.resolve('work');
    const target = folder.resolve('outside/o.txt');
    const demand = await judge('../outside/o.txt', { workspace });
    expect(demand).toEqual({ kind: 'write', target, isInsideWorkspace: false });
    const others: readonly ToolDemand[] = [
      { kind: 'write', target: folder.resolve('outside/p.txt'), isInsideWorkspace: false },
      { kind: 'write', target, isInsideWorkspace: true },
      { kind: 'execute', target },
      { kind: 'read' },
    ];
    for (const granted of others) {
      const outcome = await run({ path: '../outside/o.txt', content: 'new' }, { workspace, granted });
      expect(contentOf(outcome)).toContain('was not allowed');
    }
    expect(await textOf('outside/o.txt')).toBe('old');
    const outcome = await run(
      { path: '../outside/o.txt', content: 'new' },
      { workspace, ...(demand && { granted: demand }) },
    );
    expect(outcome.diff?.path).toBe(target);
    expect(await textOf('outside/o.txt')).toBe('new');
  });

  it('judges where a write leads: links followed, what is not there by what is', async () => {
    await mkdir(folder.resolve('work/.git/hooks'), { recursive: true });
    await mkdir(folder.resolve('outside'));
    await folder.write('work/a.txt', '');
    await folder.write('photos/x', '');
    await symlink('../outside', folder.resolve('work/out'));
    await symlink('.git/hooks', folder.resolve('work/hooks'));
    const options = {
      workspace: folder.resolve('work'),
      externalFolders: { photos: folder.resolve('photos') },
    };
    const inside = (target: string) => ({ kind: 'write', target, isInsideWorkspace: true });
    const outside = (target: string) => ({ kind: 'write', target: folder.resolve(target), isInsideWorkspace: false });
    expect(await judge('a.txt', options)).toEqual(inside('a.txt'));
    expect(await judge('x/../y/z.txt', options)).toEqual(inside('y/z.txt'));
    expect(await judge(folder.resolve('work/new'), options)).toEqual(inside('new'));
    expect(await judge('out/new/z.txt', options)).toEqual(outside('outside/new/z.txt'));
    expect(await judge('../workx', options)).toEqual(outside('workx'));
    expect(await judge('photos/new.txt', options)).toEqual(outside('photos/new.txt'));
    expect(await judge('hooks/pre-commit', options)).toEqual({ kind: 'execute', target: '.git/hooks/pre-commit' });
    expect(await judge('sub/.GIT/config', options)).toEqual({ kind: 'execute', target: 'sub/.GIT/config' });
    // These will be refused, whatever anybody says.
    expect(await judge('.env', { ...options, forbidden: ['.env'] })).toEqual({ kind: 'read' });
    expect(await judge('a.txt/b', options)).toEqual({ kind: 'read' });
    expect(await tool.demand?.({ path: 7 }, createToolContext({ workspace: folder.path }))).toEqual({ kind: 'read' });
  });

  it('does not write where git starts programs unless just that was allowed', async () => {
    await mkdir(folder.resolve('.git/hooks'), { recursive: true });
    const path = '.git/hooks/pre-commit';
    expect(contentOf(await run({ path, content: 'x' }))).toContain('was not allowed');
    const granted = await judge(path);
    expect(contentOf(await run({ path, content: 'x' }, granted ? { granted } : {}))).toContain('File created');
  });

  it('never writes what is forbidden, and does not say whether it is there', async () => {
    await folder.write('work/.env', 'TOKEN=1');
    await folder.write('home/key', 'k');
    await symlink('.env', folder.resolve('work/env.txt'));
    await symlink('../home/key', folder.resolve('work/key.txt'));
    const options = {
      workspace: folder.resolve('work'),
      forbidden: ['.env', '*.pem', folder.resolve('home')],
      granted: { kind: 'write', target: folder.resolve('home/key'), isInsideWorkspace: false } as const,
    };
    const paths = ['.env', '.ENV', 'sub/.env', 'new.pem', '.env/x', 'env.txt', 'key.txt', '../home/key', '../home/new'];
    for (const locale of locales) {
      for (const path of paths) {
        const outcome = await run({ path, content: 'x' }, { ...options, locale });
        expect(contentOf(outcome)).toContain(locale === 'en' ? `${path} may not be written` : `不能写入 ${path}`);
      }
    }
    expect(await textOf('work/.env')).toBe('TOKEN=1');
    expect(await readdir(folder.resolve('home'))).toEqual(['key']);
  });

  it('leaves alone what changed after it was read', async () => {
    await folder.write('a.txt', 'old');
    const change = (action: () => Promise<unknown>) => ({
      record: async () => {
        await action();
      },
    });
    const journal = change(() => writeFile(folder.resolve('a.txt'), 'theirs'));
    const expected = 'Error: the file changed while it was read: a.txt. Try again.';
    expect(contentOf(await run({ path: 'a.txt', content: 'ours' }, { journal }))).toBe(expected);
    expect(await textOf('a.txt')).toBe('theirs');
    const made = change(() => folder.write('b.txt', 'theirs'));
    expect(await run({ path: 'b.txt', content: 'ours' }, { journal: made })).toMatchObject({ isError: true });
    expect(await textOf('b.txt')).toBe('theirs');
    expect(await readdir(folder.path)).toEqual(['a.txt', 'b.txt']);
  });

  it('writes nowhere when a link takes the place of its folder', async () => {
    await folder.write('work/sub/a.txt', 'old');
    await folder.write('outside/a.txt', 'old');
    const swap = {
      record: async () => {
        await rename(folder.resolve('work/sub'), folder.resolve('moved'));
        await symlink('../outside', folder.resolve('work/sub'));
      },
    };
    const outcome = await run(
      { path: 'sub/a.txt', content: 'new' },
      { workspace: folder.resolve('work'), journal: swap },
    );
    expect(outcome.isError).toBe(true);
    expect(await textOf('outside/a.txt')).toBe('old');
    expect(await textOf('moved/a.txt')).toBe('old');
    expect(await readdir(folder.resolve('moved'))).toEqual(['a.txt']);
    const swapNew = {
      record: async () => {
        await symlink('../outside', folder.resolve('work/fresh'));
      },
    };
    const made = await run(
      { path: 'fresh/b.txt', content: 'new' },
      { workspace: folder.resolve('work'), journal: swapNew },
    );
    expect(made.isError).toBe(true);
    expect(await readdir(folder.resolve('outside'))).toEqual(['a.txt']);
  });

  it('takes a hard link apart instead of changing the other name', async () => {
    await folder.write('outside.txt', 'old');
    await mkdir(folder.resolve('work'));
    await link(folder.resolve('outside.txt'), folder.resolve('work/a.txt'));
    await run({ path: 'a.txt', content: 'new' }, { workspace: folder.resolve('work') });
    expect(await textOf('outside.txt')).toBe('old');
    expect(await textOf('work/a.txt')).toBe('new');
  });

  it('changes nothing after the turn was stopped', async () => {
    await folder.write('a.txt', 'old');
    const controller = new AbortController();
    const journal = {
      record: async () => {
        controller.abort();
      },
    };
    await expect(run({ path: 'a.txt', content: 'new' }, { journal, signal: controller.signal })).rejects.toThrow();
    expect(await textOf('a.txt')).toBe('old');
  });

  it.skipIf(process.platform !== 'linux' || spawnSync('unshare', ['-rm', 'true']).status !== 0)(
    'leaves the old file whole when the disk is full',
    async () => {
      const floors = await compileFloors(['base', 'content', 'catalog', 'media', 'attachments', 'tools']);
      try {
        const script = childScript(
          floors.folder,
          `
          const outcome = await tool.run({ path: 'a.txt', content: 'y'.repeat(500_000) }, context);
          await tool.run({ path: 'new/er/b.txt', content: 'y'.repeat(500_000) }, context);
          console.log(JSON.stringify([outcome.content, await readFile('a.txt', 'utf8'), await readdir('.')]));`,
        );
        const command = `mount -t tmpfs -o size=256k none "$0" && cd "$0" && printf old > a.txt && exec "$1" --input-type=module -e "$2"`;
        const words = ['-rm', 'sh', '-c', command, folder.path, process.execPath, script];
        const told = execFileSync('unshare', words, { encoding: 'utf8' });
        const parsed = parseJson(told);
        expect(parsed.ok && parsed.value).toEqual([expect.stringContaining('ENOSPC'), 'old', ['a.txt']]);
      } finally {
        await floors.remove();
      }
    },
  );

  it('leaves one whole file when its process is killed while it writes', async () => {
    const floors = await compileFloors(['base', 'content', 'catalog', 'media', 'attachments', 'tools']);
    try {
      const sizes = [3_000_000, 4_000_000];
      const script = childScript(
        floors.folder,
        `
        console.log('ready');
        for (let round = 0; ; round += 1) {
          const letter = round % 2 === 0 ? 'b' : 'c';
          await tool.run({ path: 'a.txt', content: letter.repeat(round % 2 === 0 ? ${sizes[0]} : ${sizes[1]}) }, context);
        }`,
      );
      await folder.write('a.txt', 'a');
      const known = new Set(['a.txt']);
      for (let round = 0; round < 8; round += 1) {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
          cwd: folder.path,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        await once(child.stdout, 'data');
        // Until the new content is being written; where nothing is written beside the file, at any moment.
        for (let look = 0; look < 5000; look += 1) {
          const names = await readdir(folder.path);
          if (names.some((name) => !known.has(name))) break;
        }
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
        const text = await textOf('a.txt');
        const letter = text.charAt(0);
        expect([1, ...sizes]).toContain(text.length);
        expect(text === letter.repeat(text.length)).toBe(true);
        for (const name of await readdir(folder.path)) known.add(name);
      }
      // At least once it died between the new file and its name.
      expect(known.size).toBeGreaterThan(1);
    } finally {
      await floors.remove();
    }
  });

  it('names its path in the activity line', () => {
    expect(tool.activity?.({ path: 'a.txt' })).toEqual({ kind: 'WRITE', target: 'a.txt' });
    expect(tool.activity?.({})).toBeUndefined();
  });
});

/** A module that has `tool` and a `context` over its current folder. */
function childScript(floors: string, body: string): string {
  const file = pathToFileURL(join(floors, 'tools/write-file.js')).href;
  return `
    import { readFile, readdir } from 'node:fs/promises';
    const { createWriteFileTool } = await import(${JSON.stringify(file)});
    const tool = createWriteFileTool();
    const access = { workspace: process.cwd(), externalFolders: {}, forbidden: [] };
    const context = { access, locale: 'en', signal: new AbortController().signal };
    ${body}`;
}
