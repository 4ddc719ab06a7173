import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { makeSolidPng } from '../testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createRunCommandTool } from './run-command.ts';
import type { ToolContext, ToolOutcome } from './tool.ts';

const tool = createRunCommandTool({ graceMs: 300, mostOutputBytes: 20_000_000 });
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

type Options = Partial<ToolContextOptions> & Pick<ToolContext, 'granted' | 'commandEnvironment'>;

function run(toolArguments: unknown, options: Partial<Options> = {}): Promise<ToolOutcome> {
  const { granted, commandEnvironment, ...rest } = options;
  const context = createToolContext({ workspace: folder.path, ...rest });
  return tool.run(toolArguments, {
    ...context,
    ...(granted && { granted }),
    ...(commandEnvironment && { commandEnvironment }),
  });
}

interface CommandResult {
  readonly content: string;
  readonly exit_code?: number;
  readonly signal?: string;
  readonly note?: string;
}

async function result(command: string, options: Partial<Options> = {}): Promise<CommandResult> {
  return resultOf(await run({ command }, options));
}

function resultOf(outcome: ToolOutcome): CommandResult {
  const parsed = parseJson(outcome.content);
  if (!parsed.ok) throw new Error(outcome.content);
  return parsed.value as CommandResult;
}

/** Which of the processes run: dead ones that nobody has collected do not. */
async function runningOf(ids: readonly string[]): Promise<readonly string[]> {
  const running = await Promise.all(
    ids.map(async (id) => {
      const line = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
      return line !== '' && !/\) [ZX] /.test(line) ? [id] : [];
    }),
  );
  return running.flat();
}

describe.skipIf(process.platform === 'win32')('run_command', () => {
  it('gives output and exit code, errors and output in the order in which they were written', async () => {
    const outcome = await run({ command: 'for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3' });
    expect(outcome).toEqual({
      isError: true,
      content: '{"content":"out 1\\nerr 1\\nout 2\\nerr 2\\nout 3\\nerr 3","exit_code":3}',
      attachments: [],
    });
    expect(await result('true')).toEqual({ content: '(no output)', exit_code: 0 });
    expect((await run({ command: 'true' })).isError).toBe(false);
    expect(await result('true', { locale: 'zh-CN' })).toEqual({ content: '(没有输出)', exit_code: 0 });
    expect(await result('kill -SEGV $$')).toMatchObject({ signal: 'SIGSEGV' });
    expect((await result('no-such-program')).exit_code).toBe(127);
    expect((await result('echo "(')).exit_code).toBe(2);
  });

  it('gives the command a real pipe: it can open its own outputs by name', async () => {
    expect(await result('echo a > /dev/stderr; echo b > /dev/stdout')).toEqual({ content: 'a\nb', exit_code: 0 });
  });

  it('has no standard input to wait for', async () => {
    expect(await result('cat; read line || echo none')).toEqual({ content: 'none', exit_code: 0 });
  });

  it('runs in the workspace or a folder below it, and nowhere else', async () => {
    await mkdir(folder.resolve('work/sub'), { recursive: true });
    await folder.write('work/file', '');
    await mkdir(folder.resolve('outside'));
    await symlink('../outside', folder.resolve('work/out'));
    const options = { workspace: folder.resolve('work'), externalFolders: { other: folder.resolve('outside') } };
    expect((await result('pwd', options)).content).toBe(folder.resolve('work'));
    expect(resultOf(await run({ command: 'pwd', cwd: 'sub' }, options)).content).toBe(folder.resolve('work/sub'));
    for (const cwd of ['out', '../outside', 'other', 'file', 'nowhere']) {
      const outcome = await run({ command: 'touch ran', cwd }, options);
      expect(outcome.isError).toBe(true);
      expect(outcome.content).toMatch(/not found|no folder below the workspace/);
    }
    expect((await result('ls ../outside', options)).content).toBe('(no output)');
  });

  it('gives exactly the environment of the session', async () => {
    process.env['FOVEA_TEST_SECRET'] = 'hidden';
    const names = async (options: Partial<Options>) =>
      (await result('env', options)).content
        .split('\n')
        .filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_)=|^FOVEA_COMMAND=[0-9a-f]{32}$/.test(line))
        .sort();
    const path = process.env['PATH'] ?? '';
    expect(await names({ commandEnvironment: { PATH: path, LANG: 'C', MINE: 'a b' } })).toEqual([
      ...['LANG=C', 'MINE=a b', `PATH=${path}`],
    ]);
    expect(await names({})).toEqual(['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin']);
    delete process.env['FOVEA_TEST_SECRET'];
  });

  it.runIf(process.platform === 'linux')('ends the whole group when its time is over, who ignores it too', async () => {
    const command = `
      sleep 300 & echo $!
      bash -c 'trap "" TERM; echo $$; sleep 301 & echo $!; while :; do sleep 302; done' &
      setsid bash -c 'echo $$; sleep 303' &
      echo $$; echo ready; wait`;
    const outcome = await run({ command, timeout_seconds: 1 });
    expect(outcome.isError).toBe(true);
    const { content, exit_code: exitCode, note } = resultOf(outcome);
    const ids = content.split('\n').filter((line) => /^\d+$/.test(line));
    expect(ids).toHaveLength(5);
    expect(await runningOf(ids)).toEqual([]);
    expect(exitCode).toBeUndefined();
    expect(note).toBe(
      'The command took longer than 1 s and was ended with all its processes. Run a smaller part of it, or give it more time with timeout_seconds (at most 600).',
    );
    const chinese = resultOf(await run({ command: 'sleep 9', timeout_seconds: 1 }, { locale: 'zh-CN' }));
    expect(chinese).toEqual({
      content: '(没有输出)',
      signal: 'SIGTERM',
      note: '命令运行超过 1 秒,已连同其所有进程一起终止。请运行其中较小的部分,或用 timeout_seconds(最多 600)延长时间。',
    });
  });

  it.runIf(process.platform === 'linux')('ends the whole group when the turn is stopped', async () => {
    const controller = new AbortController();
    const running = run(
      { command: 'trap "" TERM; (sleep 300; true) & echo $! > child; echo $$ > shell; wait; sleep 300' },
      { signal: controller.signal },
    );
    const stopped = expect(running).rejects.toThrow();
    let ids: readonly string[] = [];
    while (ids.length < 2) {
      const read = await Promise.all(
        ['child', 'shell'].map((name) => readFile(folder.resolve(name), 'utf8').catch(() => '')),
      );
      ids = read.map((text) => text.trim()).filter((text) => text !== '');
    }
    controller.abort();
    await stopped;
    expect(await runningOf(ids)).toEqual([]);
    await expect(run({ command: 'touch ran' }, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect((await result('ls ran')).exit_code).toBe(2);
  });

  it.runIf(process.platform === 'linux')('does not wait for what is left in the background, and ends it', async () => {
    const { content, exit_code: exitCode, note } = await result('sleep 300 & echo $!');
    expect(exitCode).toBe(0);
    expect(note).toBe('Processes that it had left running in the background were ended.');
    expect(await runningOf([content])).toEqual([]);
    const silent = await result('sleep 300 > /dev/null 2>&1 & echo $!');
    expect(silent.note).toBeDefined();
    expect(await runningOf([silent.content])).toEqual([]);
    // What still writes its last words is heard.
    expect(await result('(sleep 0.1; echo late) & echo early')).toEqual({ content: 'early\nlate', exit_code: 0 });
  });

  it.runIf(process.platform === 'linux')('ends what has left the group and its parents', async () => {
    const daemon = (seconds: number) => `(setsid bash -c 'echo $$ >> ids; sleep ${seconds}; :' > /dev/null 2>&1 &)`;
    const idsAfter = async (toolArguments: unknown): Promise<readonly string[]> => {
      await run(toolArguments);
      const ids = (await readFile(folder.resolve('ids'), 'utf8')).trim().split('\n');
      return runningOf(ids);
    };
    const written = 'until [ -s ids ]; do sleep 0.01; done';
    const ended = await result(`${daemon(310)}; ${written}`);
    expect(ended.note).toBe('Processes that it had left running in the background were ended.');
    expect(await idsAfter({ command: daemon(311) })).toEqual([]);
    expect(await idsAfter({ command: `${daemon(312)}; sleep 313`, timeout_seconds: 1 })).toEqual([]);
    // It starts another one when it is asked to end, and that one has nothing to do with it any more.
    const reborn = `(setsid bash -c 'trap "(setsid sleep 314 & echo \\$! >> ids); exit" TERM; while :; do sleep 0.05; done' &)`;
    expect(await idsAfter({ command: `${reborn}; sleep 315`, timeout_seconds: 1 })).toEqual([]);
    // It has no environment left, but its parent has.
    const bare = `(setsid bash -c 'env -i /bin/sleep 316 & echo $! >> ids; wait' &)`;
    expect(await idsAfter({ command: `${bare}; sleep 0.3` })).toEqual([]);
  });

  it('keeps both ends of a long output and says what is left out', async () => {
    const { content, exit_code: exitCode } = await result('echo first; seq 1 300000; echo last >&2; exit 4');
    expect(exitCode).toBe(4);
    expect(content.length).toBeLessThan(30_200);
    expect(content).toMatch(/^first\n1\n2\n[\s\S]*\n299999\n300000\nlast$/);
    expect(content).toMatch(/\n\[cut: about 1\.9 MB of the output are left out here\]\n\d{6}\n/);
    const chinese = await result('seq 1 9000', { locale: 'zh-CN' });
    expect(chinese.content).toMatch(/\n\d+\n\[已截断:此处略去约 \d+ KB 的输出\]\n\d+\n/);
    const oneLine = await result("head -c 100000 /dev/zero | tr '\\0' x");
    expect(oneLine.content).toMatch(/^x{10000}\n\[cut: about 68 KB of the output are left out here\]\nx{20000}$/);
  });

  it('ends a command that writes without end', async () => {
    const outcome = resultOf(await run({ command: 'yes' }));
    expect(outcome.note).toContain('wrote more than 19.1 MB and was ended');
    expect(outcome.content).toMatch(/^y\ny\n/);
  });

  it('cleans what is made for terminals, and replaces what is no UTF-8', async () => {
    const command = String.raw`printf '\033[31mred\033[0m \033]0;title\007 10%%\r20%%\nGr\xfc\xdfe\n'`;
    expect((await result(command)).content).toBe('20%\nGr\ufffd\ufffde');
  });

  it('names binary output by its kind and shows none of it', async () => {
    await folder.write('a.png', makeSolidPng('red', { widthPx: 40, heightPx: 40 }));
    const picture = await run({ command: 'cat a.png' });
    expect(resultOf(picture).content).toMatch(
      /^\[the output is PNG \(\d+ B\) and is not shown\. Write it to a file and look at it with view_image\.\]$/,
    );
    expect(picture.attachments).toEqual([]);
    expect((await result('cat a.png', { locale: 'zh-CN' })).content).toMatch(
      /^\[输出为 PNG\(\d+ B\),不予显示。请写入文件后用 view_image 查看。\]$/,
    );
    expect((await result('echo text | gzip')).content).toContain('the output is application/gzip (');
    expect((await result('head -c 3000 /dev/urandom')).content).toBe(
      '[the output is binary data of an unknown kind (2.9 KB) and is not shown. Write it to a file.]',
    );
  });

  it('says what it asks for, and runs nothing else than what was allowed', async () => {
    const context = createToolContext({ workspace: folder.path });
    expect(await tool.demand?.({ command: 'touch a' }, context)).toEqual({ kind: 'execute', target: 'touch a' });
    await mkdir(folder.resolve('sub'));
    expect(await tool.demand?.({ command: 'touch a', cwd: 'sub' }, context)).toEqual({
      kind: 'execute',
      target: 'touch a  (in sub)',
    });
    for (const toolArguments of [{ command: 7 }, { command: 'touch a', cwd: '..' }, { command: 'touch a', cwd: 'x' }]) {
      expect(await tool.demand?.(toolArguments, context)).toEqual({ kind: 'read' });
    }
    const granted = { kind: 'execute', target: 'touch b' } as const;
    expect(await result('touch a', { granted })).toMatchObject({
      content: 'Error: this command is not the one that was allowed. Call the tool again.',
    });
    expect((await result('touch b; ls b', { granted: { kind: 'execute', target: 'touch b; ls b' } })).content).toBe(
      'b',
    );
    expect(tool.activity?.({ command: 'ls' })).toEqual({ kind: 'RUN', target: 'ls' });
  });

  it('asks for no two calls with the same words, unless they do the same', async () => {
    const context = createToolContext({ workspace: folder.path });
    const folders = ['.', 'sub', 'a b', 'x")  (in "y', "it's", 'back\\slash', '-', 'new\nline', 'x)'];
    for (const name of folders) await mkdir(folder.resolve(name), { recursive: true });
    const targetOf = async (toolArguments: unknown): Promise<string> => {
      const demand = await tool.demand?.(toolArguments, context);
      return demand?.kind === 'execute' ? demand.target : '';
    };
    let commands: readonly string[] = ['rm -r out #', 'ls', 'ls "'];
    const seen = new Map<string, string>();
    for (let round = 0; round < 2; round += 1) {
      const targets: string[] = [];
      for (const command of commands) {
        for (const cwd of folders) {
          const target = await targetOf({ command, cwd });
          const call = JSON.stringify([command, cwd]);
          expect([seen.get(target) ?? call, target]).toEqual([call, target]);
          seen.set(target, call);
          targets.push(target);
        }
      }
      // What was shown once is a command line as well.
      commands = targets;
    }
    expect(seen.size).toBeGreaterThan(200);
    expect(await targetOf({ command: 'ls', cwd: `${folder.path}/./sub/` })).toBe(
      await targetOf({ command: 'ls', cwd: 'sub' }),
    );
  });

  it('runs in the folder that was allowed and in no other that took its name', async () => {
    await mkdir(folder.resolve('one'));
    await mkdir(folder.resolve('two'));
    await symlink('one', folder.resolve('link'));
    const call = { command: 'pwd', cwd: 'link' };
    const granted = await tool.demand?.(call, createToolContext({ workspace: folder.path }));
    expect(granted).toEqual({ kind: 'execute', target: 'pwd  (in one)' });
    await rm(folder.resolve('link'));
    await symlink('two', folder.resolve('link'));
    expect((await run(call, { ...(granted && { granted }) })).content).toContain('not the one that was allowed');
  });

  it('refuses arguments that make no command', async () => {
    for (const toolArguments of [
      {},
      { command: '' },
      { command: 'ls', timeout_seconds: 601 },
      { command: 'ls', shell: 'x' },
    ]) {
      expect((await run(toolArguments)).content).toContain('INVALID_ARGUMENTS');
    }
    expect((await result('echo a\0b')).content).toContain('NUL character');
  });

  it('runs many at once without losing any of their output', async () => {
    const results = await Promise.all(Array.from({ length: 12 }, (_, index) => result(`seq 1 400; echo end ${index}`)));
    expect(results.map(({ content }) => content.split('\n').length)).toEqual(Array.from({ length: 12 }, () => 401));
    expect(results.map(({ content }) => content.split('\n').at(-1))).toEqual(results.map((_, index) => `end ${index}`));
  });
});
