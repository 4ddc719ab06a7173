import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import type { ByteRange } from './image-layout.ts';

/** Of what goes in and of what comes out. */
export const INFLATED_PIECE_BYTES = 1 << 18;

/**
 * Decompresses the pixel data of a PNG piece by piece, in another thread and without keeping any of it.
 * `unread` is called at the end with the bytes behind the compressed stream. Throws as `zlib` does.
 */
export async function* inflatePixels(
  bytes: Uint8Array,
  ranges: readonly ByteRange[],
  unread?: (sizeBytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const inflate = createInflate({ chunkSize: INFLATED_PIECE_BYTES });
  const source = Readable.from(joinPieces(bytes, ranges));
  source.once('error', (error) => inflate.destroy(error));
  for await (const piece of source.pipe(inflate)) yield piece;
  const sizeBytes = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  unread?.(sizeBytes - inflate.bytesWritten);
}

/** Many small pieces as few large ones. */
function* joinPieces(bytes: Uint8Array, ranges: readonly ByteRange[]): Generator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for (const { start, end } of ranges) {
    for (let at = start; at < end; at += INFLATED_PIECE_BYTES) {
      const part = bytes.subarray(at, Math.min(end, at + INFLATED_PIECE_BYTES));
      parts.push(part);
      sizeBytes += part.length;
      if (sizeBytes < INFLATED_PIECE_BYTES) continue;
      yield Buffer.concat(parts);
      parts = [];
      sizeBytes = 0;
    }
  }
  if (sizeBytes > 0) yield Buffer.concat(parts);
}
