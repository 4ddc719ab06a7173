import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface FolderSwap {
  /** The folder is a folder again, or at least nobody touches it any more. */
  stop(): Promise<void>;
}

/**
 * Another process that puts a link in the place of a folder and takes it back, over and over:
 * between any two steps of the code under test there are steps of it. All names lie in `root`.
 */
export async function swapFolder(
  root: string,
  names: { readonly folder: string; readonly link: string },
): Promise<FolderSwap> {
  const [folder, link] = [JSON.stringify(names.folder), JSON.stringify(names.link)];
  const script = `
    const { renameSync } = require('node:fs');
    console.log('swapping');
    for (;;) {
      renameSync(${folder}, 'aside');
      renameSync(${link}, ${folder});
      renameSync(${folder}, ${link});
      renameSync('aside', ${folder});
    }`;
  const child = spawn(process.execPath, ['-e', script], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return {
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
