import { appendFile, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { openStandingFile, type StandingFile } from './standing-file.ts';

async function standing(): Promise<{
  readonly folder: TemporaryFolder;
  readonly path: string;
  readonly file: StandingFile;
}> {
  const folder = await createTemporaryFolder();
  onTestFinished(() => folder.remove());
  const path = await folder.write('a.txt', 'made by the turn');
  const file = await openStandingFile(path);
  if (typeof file === 'string') throw new Error(file);
  onTestFinished(() => file.close());
  return { folder, path, file };
}

it('removes and replaces what it has looked at', async () => {
  const { path, file } = await standing();
  expect(await file.replace(new TextEncoder().encode('before'))).toBe(true);
  expect(await readFile(path, 'utf8')).toBe('before');
  const again = await openStandingFile(path);
  if (typeof again === 'string') throw new Error(again);
  expect(await again.remove()).toBe(true);
  await again.close();
  expect(await openStandingFile(path)).toBe('absent');
});

it('leaves what was changed after it was looked at', async () => {
  const { path, file } = await standing();
  await appendFile(path, ', and by the user');
  expect(await file.remove()).toBe(false);
  expect(await file.replace(new Uint8Array())).toBe(false);
  expect(await readFile(path, 'utf8')).toBe('made by the turn, and by the user');
});

it('leaves another file that has the name now, and what lies in a folder that was moved', async () => {
  const { folder, path, file } = await standing();
  await rename(path, folder.resolve('b.txt'));
  await writeFile(path, 'by the user');
  expect(await file.remove()).toBe(false);
  expect(await readFile(path, 'utf8')).toBe('by the user');
  const moved = await folder.write('old/c.txt', 'c');
  const inside = await openStandingFile(moved);
  if (typeof inside === 'string') throw new Error(inside);
  await rename(folder.resolve('old'), folder.resolve('new'));
  expect(await inside.remove()).toBe(false);
  await inside.close();
  expect((await stat(folder.resolve('new/c.txt'))).size).toBe(1);
});
