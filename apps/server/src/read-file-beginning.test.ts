import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { readFileBeginning } from './read-file-beginning.ts';

async function createFolder() {
  const folder = await createTemporaryFolder();
  onTestFinished(() => folder.remove());
  return folder;
}

describe('readFileBeginning', () => {
  it('reads no more than it was asked for', async () => {
    const file = await (await createFolder()).write('a.txt', 'abcdef');
    const read = async (maxBytes: number) => Buffer.from((await readFileBeginning(file, maxBytes)) ?? []).toString();
    expect(await read(3)).toBe('abc');
    expect(await read(9)).toBe('abcdef');
  });

  it.runIf(process.platform !== 'win32')('gives nothing of folders, pipes and devices, and at once', async () => {
    const folder = await createFolder();
    execFileSync('mkfifo', [folder.resolve('pipe')]);
    await symlink('/dev/zero', folder.resolve('device'));
    for (const path of [folder.path, folder.resolve('pipe'), folder.resolve('device')]) {
      expect(await readFileBeginning(path, 10)).toBeUndefined();
    }
    await expect(readFileBeginning(folder.resolve('absent'), 10)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
