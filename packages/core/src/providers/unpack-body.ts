import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** A body as it is to be read. */
export interface UnpackedBody {
  readonly stream: Readable;
  /** How the bytes of `stream` are still packed, where this build cannot unpack them: `zstd`. */
  readonly packing?: string;
}

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** More layers are no honest answer. */
const MAX_LAYERS = 2;

/**
 * The body without its compression. None is asked for, and some servers and proxies pack all the same.
 *
 * It is unpacked while it is read: what bounds an answer bounds it unpacked. Destroying the stream
 * destroys the body. Source: RFC 9110 section 8.4.
 */
export function unpackBody(body: Readable, contentEncoding: string | undefined): UnpackedBody {
  const layers = (contentEncoding ?? '').split(',').map((layer) => layer.trim().toLowerCase());
  const packed = layers.filter((layer) => layer !== '' && layer !== 'identity');
  const isKnown = packed.length <= MAX_LAYERS && packed.every((layer) => Object.hasOwn(UNPACKERS, layer));
  if (!isKnown) return { stream: body, packing: packed.join(', ').slice(0, 40) };
  let stream = body;
  for (const layer of packed.toReversed()) {
    const unpacker = UNPACKERS[layer]?.();
    // Whoever reads the end of the pipe is told what broke.
    if (unpacker !== undefined) stream = pipeline(stream, unpacker, () => undefined);
  }
  return { stream };
}

/** Whether an error of the stream says that its bytes are not packed as the answer said. */
export function isUnpackError(error: unknown): boolean {
  return /^(?:Z_(?!BUF_ERROR)|ERR__ERROR_)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
