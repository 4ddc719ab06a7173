import { type DataUriFault, parseDataUri } from '../base/data-uri.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { ImageLimits } from '../media/image-limits.ts';
import { verifyImage } from '../media/verify.ts';
import type { AdmittedImage } from './admit-image.ts';
import type { BlobSink } from './blob-sink.ts';
import { toReference } from './to-reference.ts';

export interface AdmitBytesOptions {
  /** What the giver calls it; part of the reference and of a refusal. */
  readonly name: string;
  readonly limits: ImageLimits;
  readonly blobs: BlobSink;
  readonly signal?: AbortSignal;
}

/**
 * Takes one picture that is in memory into the store. Refuses with the codes of `verifyImage`;
 * throws `STORE_UNAVAILABLE`.
 */
export async function admitBytes(
  bytes: Uint8Array,
  options: AdmitBytesOptions,
): Promise<Result<AdmittedImage, Refusal>> {
  const { name, limits, blobs, signal } = options;
  const facts = await verifyImage(bytes, { name, limits, ...(signal && { signal }) });
  if (!facts.ok) return facts;
  if (signal?.aborted === true) return fail({ code: 'CANCELED', name });
  await blobs.put(facts.value.digest, bytes);
  return ok({ reference: toReference(facts.value, name), frames: facts.value.frames, displayPath: name });
}

/**
 * Takes the picture of a data URI into the store. Its label is no evidence: the bytes decide, as
 * they do everywhere. A payload that is no base64, or was cut, is `CORRUPT`; a text that is no data
 * URI at all is `NOT_AN_IMAGE`. Otherwise as {@link admitBytes}.
 */
export async function admitDataUri(uri: string, options: AdmitBytesOptions): Promise<Result<AdmittedImage, Refusal>> {
  const { name, limits } = options;
  const parsed = parseDataUri(uri, { maxBytes: limits.maxBytes });
  return parsed.ok ? admitBytes(parsed.value.bytes, options) : fail(refuseByFault(parsed.error, name, limits));
}

function refuseByFault(fault: DataUriFault, name: string, limits: ImageLimits): Refusal {
  switch (fault.kind) {
    case 'too-large':
      return { code: 'TOO_MANY_BYTES', name, actual: fault.sizeBytes, limit: limits.maxBytes };
    case 'not-a-data-uri':
      return { code: 'NOT_AN_IMAGE', name, trueType: 'text/plain' };
    case 'no-payload':
      return { code: 'EMPTY', name };
    case 'bad-base64':
      return { code: 'CORRUPT', name, detail: 'its base64 is not valid' };
    case 'bad-percent-encoding':
      return { code: 'CORRUPT', name, detail: 'its percent-encoding is not valid' };
  }
}
