import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { MIB } from '../base/units.ts';

/** More than any picture that is admitted; what has this name and is larger was not stored here. */
export const LARGEST_BLOB_BYTES = 64 * MIB;

/**
 * The content of a regular file; `undefined` where something else has the name, or the size is not
 * the one expected. Whoever can write into the folder may have put a pipe or a link to a device
 * there: it is never waited for, and never read without end. Rejects with the system's error.
 */
export async function readStored(path: string, sizeBytes?: number): Promise<Buffer | undefined> {
  // Opening a device or a socket can fail or have effects of its own. The look at the handle decides.
  if (!(await stat(path)).isFile()) return undefined;
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > LARGEST_BLOB_BYTES) return undefined;
    return sizeBytes === undefined || facts.size === sizeBytes ? await readBytes(file, facts.size) : undefined;
  } finally {
    await file.close();
  }
}

/** As many bytes as the file has now: one that grows meanwhile is not followed. */
async function readBytes(file: FileHandle, sizeBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(sizeBytes);
  let filled = 0;
  while (filled < sizeBytes) {
    const { bytesRead } = await file.read(buffer, filled, sizeBytes - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
