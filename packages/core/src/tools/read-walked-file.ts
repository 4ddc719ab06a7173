import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';

/** Why a file that a walk found was not read. */
export type UnreadFile = { readonly kind: 'too-large'; readonly sizeBytes: number } | { readonly kind: 'unreadable' };

/**
 * The content of a file that a walk has judged. `realPath` is free of links: where a link or
 * another file has taken its place since, nothing is read. Never waits for a pipe or a device.
 */
export async function readWalkedFile(
  realPath: string,
  { maxBytes }: { readonly maxBytes: number },
): Promise<Uint8Array<ArrayBuffer> | UnreadFile> {
  let handle: FileHandle | undefined;
  try {
    // Windows has neither flag.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    handle = await open(realPath, flags);
    const stats = await handle.stat();
    if (!stats.isFile() || !(await isStillAt(handle, realPath))) return { kind: 'unreadable' };
    if (stats.size > maxBytes) return { kind: 'too-large', sizeBytes: stats.size };
    // A buffer of its own: it is handed to another thread.
    const buffer = new Uint8Array(stats.size);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } catch {
    return { kind: 'unreadable' };
  } finally {
    await handle?.close();
  }
}

/** Linux tells the path of what is open; elsewhere the name must still lead to the same file. */
async function isStillAt(handle: FileHandle, realPath: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const told = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (told !== undefined) return told === realPath;
  }
  const [opened, named] = await Promise.all([handle.stat({ bigint: true }), lstat(realPath, { bigint: true })]);
  return opened.dev === named.dev && opened.ino === named.ino;
}
