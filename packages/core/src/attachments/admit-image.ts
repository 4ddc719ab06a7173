import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { KIB } from '../base/units.ts';
import type { ImageRef } from '../content/attachment-ref.ts';
import type { ImageLimits } from '../media/image-limits.ts';
import { isForeignMedia, sniffContent } from '../media/sniff.ts';
import { verifyImage } from '../media/verify.ts';
import type { FileAccess } from './access-policy.ts';
import type { BlobSink } from './blob-sink.ts';
import { type OpenSource, openSource } from './open-source.ts';
import { toReference } from './to-reference.ts';

/** A picture that was taken into the store. */
export interface AdmittedImage {
  readonly reference: ImageRef;
  readonly frames: number;
  /** Relative to the workspace, or below an alias; forward slashes. */
  readonly displayPath: string;
}

/** A picture that was read and found whole, with the very bytes that were checked; not stored yet. */
export interface VerifiedImage {
  readonly bytes: Uint8Array;
  readonly admitted: AdmittedImage;
}

export interface AdmitImageOptions {
  readonly path: string;
  readonly access: FileAccess;
  readonly limits: ImageLimits;
  readonly blobs: BlobSink;
  readonly signal?: AbortSignal;
}

/**
 * Takes one picture from a path into the store: opened once, read once, verified, and stored as
 * exactly those bytes. Refuses with the codes of `openSource`, of its `read` and of `verifyImage`;
 * throws `STORE_UNAVAILABLE`.
 */
export async function admitImage(options: AdmitImageOptions): Promise<Result<AdmittedImage, Refusal>> {
  const source = await openSource(options.path, options.access);
  if (!source.ok) return source;
  try {
    return await admitSource(source.value, options);
  } finally {
    await source.value.close();
  }
}

/** {@link admitImage} of a file that is open already. Does not close it. */
export async function admitSource(
  source: OpenSource,
  options: Pick<AdmitImageOptions, 'limits' | 'blobs' | 'signal'>,
): Promise<Result<AdmittedImage, Refusal>> {
  const { limits, blobs, signal } = options;
  const verified = await verifySource(source, { limits, ...(signal && { signal }) });
  if (!verified.ok) return verified;
  const { bytes, admitted } = verified.value;
  // The last moment at which nothing has happened yet.
  if (signal?.aborted === true) return fail({ code: 'CANCELED', name: source.path });
  await blobs.put(admitted.reference.digest, bytes);
  return ok(admitted);
}

/** As much of a file that is too large as says what it is. */
const START_BYTES = 256 * KIB;

/**
 * Reads an open source once and verifies what was read. Does not close it. Of a file that is too
 * large only the beginning is read: a film is refused as a film, not as a picture to be made smaller.
 */
export async function verifySource(
  source: OpenSource,
  options: { readonly limits: ImageLimits; readonly signal?: AbortSignal },
): Promise<Result<VerifiedImage, Refusal>> {
  const { limits, signal } = options;
  if (source.sizeBytes > limits.maxBytes) return fail(await refuseTooLarge(source, limits));
  const bytes = await source.read({ maxBytes: limits.maxBytes, ...(signal && { signal }) });
  if (!bytes.ok) return bytes;
  const facts = await verifyImage(bytes.value, { name: source.path, limits, ...(signal && { signal }) });
  if (!facts.ok) return facts;
  const admitted = {
    reference: toReference(facts.value, source.displayPath),
    frames: facts.value.frames,
    displayPath: source.displayPath,
  };
  return ok({ bytes: bytes.value, admitted });
}

async function refuseTooLarge(source: OpenSource, limits: ImageLimits): Promise<Refusal> {
  const { path: name, sizeBytes: actual } = source;
  const start = await source.readStart(START_BYTES);
  if (!start.ok) return start.error;
  const { format, mediaType, isText } = await sniffContent(start.value);
  if (format === undefined && (isText || isForeignMedia(mediaType))) {
    const facts = await verifyImage(start.value, { name, limits: { ...limits, maxBytes: START_BYTES } });
    if (!facts.ok) return facts.error;
  }
  return { code: 'TOO_MANY_BYTES', name, actual, limit: limits.maxBytes };
}
