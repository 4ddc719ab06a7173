import { open } from 'node:fs/promises';

/** Makes the names in a folder durable. Rejects with the system's error. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders; its file systems keep names durable without it.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
