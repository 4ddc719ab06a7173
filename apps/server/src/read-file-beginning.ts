import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/**
 * At most `maxBytes` from the beginning of a regular file; `undefined` for anything else, which is
 * never waited for and never read: a pipe, a device, a socket, or a folder. Rejects with the
 * system's error.
 */
export async function readFileBeginning(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  // Opening a device or a socket can fail or have effects of its own. The look at the handle decides.
  if (!(await stat(path)).isFile()) return undefined;
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return undefined;
    const buffer = Buffer.alloc(maxBytes);
    let filled = 0;
    while (filled < maxBytes) {
      const { bytesRead } = await file.read(buffer, filled, maxBytes - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}
