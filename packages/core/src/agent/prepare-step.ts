import { AppError, toAppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { Transcript } from '../content/messages.ts';
import { pictureKey } from '../content/picture-region.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import { makeVariant, variantKey } from '../media/variant.ts';
import { collectPictures, type TranscriptPicture } from './collect-pictures.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { ModelTarget, TurnServices } from './turn-services.ts';

/** Originals that are read and encoded at once: each may be as large as an attachment may be. */
const PICTURES_AT_ONCE = 4;

/** A variant whose bytes failed twice is given up: it was made anew after the first time. */
const LOSSES_BEFORE_GIVING_UP = 2;

/** How often the stored bytes of a variant could not be read, and what was wrong the last time. */
export interface VariantLoss {
  readonly count: number;
  readonly code: ErrorCode;
}

export interface PrepareStepInput {
  readonly sessionId: string;
  readonly turnId: string;
  readonly transcript: Transcript;
  readonly target: Pick<ModelTarget, 'imageInput' | 'limitRow'>;
  /** Variants that this session's latest request to this endpoint sent. */
  readonly sentDigests: ReadonlySet<Digest>;
  /** Variants whose stored bytes could not be read in this turn. */
  readonly losses: ReadonlyMap<Digest, VariantLoss>;
  readonly signal: AbortSignal;
}

/** The facts that the context of one step is built from. */
export interface PreparedStep {
  /** By `pictureKey`; a picture that cannot be sent has none. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  /** By the original's digest: why an old picture has no variant. */
  readonly faults: ReadonlyMap<Digest, ErrorCode>;
  /** By `pictureKey`. */
  readonly pictures: ReadonlyMap<string, TranscriptPicture>;
}

/**
 * Finds, or makes and stores, the wire variant of every picture of the transcript. A model that
 * takes no pictures needs none, and nothing is read for it.
 *
 * An old picture whose bytes are gone or damaged is left out, so that the conversation goes on. Throws
 * `BLOB_MISSING` or `BLOB_DAMAGED` when it is one of the current turn, `CANCELED` when the signal
 * is aborted, `STORE_UNAVAILABLE`, `LEASE_LOST`.
 */
export async function prepareStep(
  input: PrepareStepInput,
  services: Pick<TurnServices, 'records' | 'blobs' | 'logger'>,
): Promise<PreparedStep> {
  const pictures = collectPictures(input.transcript, input.turnId);
  const variants = new Map<string, VariantRecord>();
  const faults = new Map<Digest, ErrorCode>();
  if (input.target.imageInput === 'no') return { variants, faults, pictures };
  const results = await mapConcurrently([...pictures.values()], PICTURES_AT_ONCE, async (picture) => {
    if (input.signal.aborted) throw new AppError('CANCELED', 'The turn was stopped.');
    return { picture, found: await findOrMakeVariant(picture, input, services) };
  });
  for (const { picture, found } of results) {
    if (found.ok) variants.set(pictureKey(picture), found.value);
    else faults.set(picture.digest, found.error);
  }
  return { variants, faults, pictures };
}

async function findOrMakeVariant(
  picture: TranscriptPicture,
  input: PrepareStepInput,
  services: Pick<TurnServices, 'records' | 'blobs' | 'logger'>,
): Promise<Result<VariantRecord, ErrorCode>> {
  try {
    return ok(await variantOf(picture, input, services));
  } catch (error) {
    if (input.signal.aborted) throw new AppError('CANCELED', 'The turn was stopped.', { cause: error });
    const { code, message } = toAppError(error);
    if (code === 'STORE_UNAVAILABLE' || code === 'LEASE_LOST') throw error;
    services.logger.error('variant-failed', { digest: picture.digest, code });
    if (!picture.isOfCurrentTurn) return fail(code);
    throw new AppError(code, `The picture ${picture.name} cannot be sent: ${message}`, {
      data: { digest: picture.digest, name: picture.name },
      cause: error,
    });
  }
}

async function variantOf(
  { digest, region }: TranscriptPicture,
  { sessionId, target, sentDigests, losses, signal }: PrepareStepInput,
  { records, blobs }: Pick<TurnServices, 'records' | 'blobs'>,
): Promise<VariantRecord> {
  const key = variantKey(target.limitRow, region);
  const known = await records.findVariant(digest, key);
  const loss = known === undefined ? undefined : losses.get(known.digest);
  if (loss !== undefined && loss.count >= LOSSES_BEFORE_GIVING_UP) throw new AppError(loss.code, describeLoss(loss));
  if (known !== undefined && loss === undefined) {
    // Another session may have made it: this one needs its own edge, else its bytes may be collected.
    if (sentDigests.has(known.digest) || (await records.holdVariant(sessionId, known))) return known;
  }
  const made = await makeVariant(await blobs.get(digest), target.limitRow, {
    signal,
    ...(region && { region }),
  });
  await blobs.put(made.digest, made.bytes);
  const record: VariantRecord = {
    originalDigest: digest,
    variantKey: key,
    digest: made.digest,
    mediaType: made.mediaType,
    sizeBytes: made.sizeBytes,
    widthPx: made.widthPx,
    heightPx: made.heightPx,
    changes: made.changes,
  };
  await records.saveVariant(sessionId, record);
  return record;
}

function describeLoss({ code }: VariantLoss): string {
  return code === 'BLOB_DAMAGED' ? 'its stored bytes are damaged' : 'its stored bytes are gone';
}
