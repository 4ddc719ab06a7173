import { AppError } from '../base/app-error.ts';
import { base64Length, encodeBase64 } from '../base/base64.ts';
import type { Digest } from '../base/ids.ts';
import { KIB } from '../base/units.ts';
import type { RequestImage } from '../content/request.ts';

const slotMarker = Symbol('image-slot');

/**
 * Stands in a request body where the base64 of a picture goes. It is a string for the endpoint; the
 * bytes are read while the body is written, so that no body with pictures is ever held as one string.
 */
export interface ImageSlot {
  readonly [slotMarker]: true;
  /** What precedes the base64 inside the same JSON string: `data:image/png;base64,` or nothing. */
  readonly prefix: string;
  readonly digest: Digest;
  readonly sizeBytes: number;
}

const SENDABLE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** The slot of a picture, as a data URL or as bare base64. Throws `INTERNAL` for a type that no endpoint takes. */
export function createImageSlot(image: RequestImage, form: 'data-url' | 'base64'): ImageSlot {
  if (!SENDABLE_TYPES.has(image.mediaType)) {
    throw new AppError('INTERNAL', `a picture of the type ${image.mediaType} must not be sent`);
  }
  const prefix = form === 'data-url' ? `data:${image.mediaType};base64,` : '';
  return { [slotMarker]: true, prefix, digest: image.digest, sizeBytes: image.sizeBytes };
}

/** A serialised request body, in order: JSON text, and pictures whose base64 goes between. */
export interface JsonBody {
  readonly pieces: readonly (string | ImageSlot)[];
  /** Length of the whole body as UTF-8, with the base64 of every picture. */
  readonly sizeBytes: number;
}

const TEXT_PIECE_CHARACTERS = 64 * KIB;
/** A multiple of three, so that each piece but the last encodes without padding. */
const IMAGE_PIECE_BYTES = 192 * KIB;

/**
 * Serialises a plain value as `JSON.stringify` does, with {@link ImageSlot}s as strings. The same
 * value gives the same text. Lone surrogates, which strict servers refuse, become U+FFFD.
 */
export function writeJsonBody(value: unknown): JsonBody {
  const pieces: (string | ImageSlot)[] = [];
  let sizeBytes = 0;
  let pending = '';

  function flush(): void {
    if (pending === '') return;
    pieces.push(pending);
    sizeBytes += Buffer.byteLength(pending);
    pending = '';
  }

  function writeText(text: string): void {
    pending += text;
    if (pending.length >= TEXT_PIECE_CHARACTERS) flush();
  }

  function writeSlot(slot: ImageSlot): void {
    writeText(`"${slot.prefix}`);
    flush();
    pieces.push(slot);
    sizeBytes += base64Length(slot.sizeBytes);
    writeText('"');
  }

  function writeValue(part: unknown): void {
    if (typeof part === 'string') writeText(JSON.stringify(toWellFormed(part)));
    else if (Array.isArray(part)) writeArray(part);
    else if (isImageSlot(part)) writeSlot(part);
    else if (typeof part === 'object' && part !== null) writeObject(part);
    else writeText(JSON.stringify(part) ?? 'null');
  }

  function writeArray(items: readonly unknown[]): void {
    writeText('[');
    items.forEach((item, index) => {
      if (index > 0) writeText(',');
      writeValue(item);
    });
    writeText(']');
  }

  function writeObject(object: object): void {
    let separator = '{';
    for (const [key, entry] of Object.entries(object)) {
      if (entry === undefined) continue;
      writeText(`${separator}${JSON.stringify(toWellFormed(key))}:`);
      writeValue(entry);
      separator = ',';
    }
    writeText(separator === '{' ? '{}' : '}');
  }

  writeValue(value);
  flush();
  return { pieces, sizeBytes };
}

/**
 * The bytes of a body, in chunks of at most about 256 KiB. Throws what `readBlob` throws, and
 * `BLOB_DAMAGED` when a picture does not have the size that the body was planned with.
 */
export async function* encodeJsonBody(
  body: JsonBody,
  readBlob: (digest: Digest) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (const piece of body.pieces) {
    if (typeof piece === 'string') {
      yield Buffer.from(piece);
      continue;
    }
    const bytes = await readBlob(piece.digest);
    if (bytes.length !== piece.sizeBytes) {
      throw new AppError('BLOB_DAMAGED', 'a stored picture does not have its recorded size', {
        data: { digest: piece.digest, sizeBytes: bytes.length, expectedBytes: piece.sizeBytes },
      });
    }
    for (let start = 0; start < bytes.length; start += IMAGE_PIECE_BYTES) {
      yield Buffer.from(encodeBase64(bytes.subarray(start, start + IMAGE_PIECE_BYTES)), 'latin1');
    }
  }
}

function isImageSlot(value: unknown): value is ImageSlot {
  return typeof value === 'object' && value !== null && slotMarker in value;
}

const LONE_SURROGATES = /\p{Surrogate}/gu;

function toWellFormed(text: string): string {
  return text.replace(LONE_SURROGATES, '\uFFFD');
}
