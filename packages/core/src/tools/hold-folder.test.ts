import { expect, it } from 'vitest';
import { holdFolder } from './hold-folder.ts';

// The one of processes is such a file system on every Linux.
it.runIf(process.platform === 'linux')('takes a folder whose file system syncs none as synced', async () => {
  const folder = await holdFolder('/proc/sys');
  await expect(folder?.sync()).resolves.toBeUndefined();
  await folder?.close();
});
