// A home and a workspace for `driver.mjs`. Some of the workspace's pictures lie in the home already, stored an hour ago
// and held by nothing: a collection takes them away while a submission puts them again.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { drawPicture } from './draw-picture.mjs';
import { makeOldHome } from './make-old-home.mjs';
import { prepareHome } from './open-fovea.mjs';

export const pictureCount = 24;
const forgotten = 16;

export function pictureName(number) {
  return `shot-${number}.png`;
}

/** @param {{ baseUrl: string, isOld: boolean }} options `isOld`: the home was left by an older build */
export async function preparePlace({ baseUrl, isOld }) {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-kill-'));
  const place = { home: join(folder, 'home'), workspace: join(folder, 'workspace') };
  await prepareHome({ ...place, baseUrl });
  await writeFile(join(place.workspace, 'notes.txt'), 'notes\n');
  for (let number = 0; number < pictureCount; number++) {
    const bytes = drawPicture(number);
    await writeFile(join(place.workspace, pictureName(number)), bytes);
    if (number < forgotten) await forget(place.home, bytes);
  }
  if (isOld) await makeOldHome(place);
  return { ...place, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function forget(home, bytes) {
  const hex = createHash('sha256').update(bytes).digest('hex');
  const path = join(home, 'blobs', hex.slice(0, 2), hex.slice(2, 4), hex);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(path, hourAgo, hourAgo);
}
