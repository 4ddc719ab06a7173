import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compileFloors } from '../testing/compile-floors.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';

async function isRunning(id: string): Promise<boolean> {
  const line = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
  return line !== '' && !/\) [ZX] /.test(line);
}

describe.runIf(process.platform === 'linux')('guardCommand', () => {
  it('ends a command, and what has left it, when the program that started it is killed', async () => {
    const folder = await createTemporaryFolder();
    onTestFinished(() => folder.remove());
    const floors = await compileFloors(['base', 'attachments', 'tools']);
    onTestFinished(() => floors.remove());
    const command = `trap "" TERM HUP; (setsid sleep 320 & echo $!); echo $$; sleep 321; sleep 322`;
    const script = `
      const { runProcess } = await import(${JSON.stringify(join(floors.folder, 'tools/run-process.js'))});
      await runProcess({
        command: ${JSON.stringify(`(${command}) > ids`)},
        ...{ folder: process.cwd(), timeoutMs: 60_000, graceMs: 1_000, endBytes: 100, mostBytes: 1_000 },
        signal: new AbortController().signal,
      });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder.path,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    let ids: readonly string[] = [];
    while (ids.length < 2)
      ids = (await readFile(folder.resolve('ids'), 'utf8').catch(() => '')).match(/\d+(?=\n)/g) ?? [];
    expect(await Promise.all(ids.map(isRunning))).toEqual([true, true]);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    for (const id of ids) while (await isRunning(id)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
