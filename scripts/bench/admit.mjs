// Admission of two large pictures from files into a store, against a bare complete decode of the same bytes and the same
// durable write. Both sides read the files, both decode every line and keep only the last pixel, and both find an empty
// store.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { admitImage } from '@fovea/core/attachments';
import { digestOf } from '@fovea/core/media';
import { openStore } from '@fovea/core/store';
import sharp from 'sharp';
import { photoJpeg, screenshotPng } from './inputs.mjs';

export const name = 'admit';
export const bound = 1.25;
export const unit = 'ms';

const limits = { maxBytes: 64 * 1024 * 1024, maxPixels: 50_000_000, maxFrames: 10_000 };

export async function prepare() {
  const inputs = [await photoJpeg(), await screenshotPng()];
  const home = await mkdtemp(join(tmpdir(), 'fovea-bench-'));
  const store = await openStore({ home });
  const pictures = inputs.map(({ bytes, ...input }) => ({ ...input, digest: digestOf(bytes) }));
  const access = { workspace: dirname(inputs[0].path), externalFolders: {}, forbidden: [] };
  return { home, store, pictures, access };
}

export async function ours({ store, pictures, access, home }) {
  for (const { path } of pictures) {
    const result = await admitImage({ path, access, limits, blobs: store.blobs });
    if (!result.ok) throw new Error(result.error.code);
  }
  await forget({ home, pictures });
}

export async function reference({ store, pictures, home }) {
  for (const { path, digest, widthPx, heightPx } of pictures) {
    const bytes = await readFile(path);
    const last = { left: widthPx - 1, top: heightPx - 1, width: 1, height: 1 };
    await sharp(bytes, { failOn: 'warning', sequentialRead: true }).extract(last).raw().toBuffer();
    await store.blobs.put(digest, bytes);
  }
  await forget({ home, pictures });
}

/** How long everything else in the process has to wait while 8 pictures are admitted at once. */
export async function notes({ store, pictures, access, home }) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const eight = Array.from({ length: 4 }, () => pictures).flat();
  await Promise.all(eight.map(({ path }) => admitImage({ path, access, limits, blobs: store.blobs })));
  delay.disable();
  await forget({ home, pictures });
  const toMs = (nanoseconds) => (nanoseconds / 1e6).toFixed(1);
  return [
    `event loop delayed by ${toMs(delay.max)} ms at most (mean ${toMs(delay.mean)}) while 8 pictures are admitted`,
  ];
}

export async function cleanUp({ store, home }) {
  await store.close();
  await rm(home, { recursive: true, force: true });
}

/** The next round has to write again. */
async function forget({ home, pictures }) {
  for (const { digest } of pictures) {
    const hex = digest.slice('sha256:'.length);
    await rm(join(home, 'blobs', hex.slice(0, 2), hex.slice(2, 4), hex));
  }
}
