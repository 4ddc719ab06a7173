import { readFile, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from './temporary-folder.ts';

describe('createTemporaryFolder', () => {
  it('writes files in folders, and is gone when it is removed', async () => {
    const folder = await createTemporaryFolder();
    const path = await folder.write('a/b.txt', 'hello');
    expect(path).toBe(folder.resolve('a/b.txt'));
    expect(await readFile(path, 'utf8')).toBe('hello');
    await folder.remove();
    await expect(stat(folder.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
