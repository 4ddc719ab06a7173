import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { currentProcessMark, hasProcessEnded } from './process-mark.ts';

describe('hasProcessEnded', () => {
  const own = currentProcessMark();
  /** The largest number that Linux gives to a process is below this one. Source: proc(5), pid_max. */
  const unusedPid = 4_194_305;

  it('is false for a living process and true for one that is gone', () => {
    expect(hasProcessEnded(own)).toBe(false);
    expect(hasProcessEnded({ ...own, pid: unusedPid })).toBe(true);
  });

  it.runIf(process.platform === 'linux')('is true when the number belongs to a newer process', () => {
    expect(own.startedAt).toMatch(/^\d+$/);
    expect(hasProcessEnded({ ...own, startedAt: '1' })).toBe(true);
  });

  it('is true after the machine was started again', () => {
    expect(hasProcessEnded({ ...own, boot: 'an earlier one' })).toBe(true);
    expect(hasProcessEnded({ ...own, boot: 'an earlier one', namespace: 'pid:[1]' })).toBe(true);
  });

  it.runIf(process.platform === 'linux')('is true for one that has ended and whose parent never asks', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    const readStatus = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
    while ((await readStatus())[0] !== 'Z');
    expect(hasProcessEnded({ ...own, pid, startedAt: (await readStatus())[19] ?? '' })).toBe(true);
  });

  it('is never true for a process that cannot be seen from here', () => {
    expect(hasProcessEnded({ ...own, pid: unusedPid, host: 'elsewhere', boot: 'theirs' })).toBe(false);
    expect(hasProcessEnded({ ...own, pid: unusedPid, namespace: 'pid:[1]' })).toBe(false);
  });
});
