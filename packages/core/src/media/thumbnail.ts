import { decodeGate } from './decode-gate.ts';
import { DEFAULT_EDGE_PX } from './fit-size.ts';
import { loadSharp } from './load-sharp.ts';
import { readLayout } from './read-layout.ts';
import { openUpright } from './upright-pipeline.ts';
import { uprightSize } from './upright-size.ts';

/** The media type of every thumbnail. */
export const THUMBNAIL_MEDIA_TYPE = 'image/webp';

/**
 * A small upright copy of an admitted picture's first frame for people to see, at most `maxSidePx`
 * on the longest side (and never above the default variant's), never enlarged, without metadata.
 * Throws `CORRUPT` when the bytes are no picture.
 */
export async function makeThumbnail(bytes: Uint8Array, maxSidePx: number): Promise<Uint8Array> {
  const layout = readLayout(bytes);
  const { widthPx, heightPx } = uprightSize(layout);
  const factor = Math.min(1, Math.min(maxSidePx, DEFAULT_EDGE_PX) / Math.max(widthPx, heightPx));
  const sharp = await loadSharp();
  return decodeGate().run(async () => {
    const size = {
      widthPx: Math.max(1, Math.round(widthPx * factor)),
      heightPx: Math.max(1, Math.round(heightPx * factor)),
    };
    const pipeline = await openUpright(sharp, bytes, { layout, size });
    const buffer = await pipeline.webp({ quality: 80 }).toBuffer();
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  });
}
