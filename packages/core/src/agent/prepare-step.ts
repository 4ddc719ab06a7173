import { AppError, toAppError } from '../base/app-error.ts';
import type { Digest } from '../base/ids.ts';
import type { Transcript } from '../content/messages.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import { makeVariant, variantKey } from '../media/variant.ts';
import { collectPictures, type TranscriptPicture } from './collect-pictures.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { ModelTarget, TurnServices } from './turn-services.ts';

/** Originals that are read and encoded at once: each may be as large as an attachment may be. */
const PICTURES_AT_ONCE = 4;

/** A variant whose bytes failed twice is given up: it was made anew after the first time. */
const LOSSES_BEFORE_GIVING_UP = 2;

export interface PrepareStepInput {
  readonly sessionId: string;
  readonly turnId: string;
  readonly transcript: Transcript;
  readonly target: Pick<ModelTarget, 'imageInput' | 'limitRow'>;
  /** Variants that this session's latest request to this endpoint sent. */
  readonly sentDigests: ReadonlySet<Digest>;
  /** How often the stored bytes of a variant could not be read in this turn. */
  readonly losses: ReadonlyMap<Digest, number>;
  readonly signal: AbortSignal;
}

/** The facts that the context of one step is built from. */
export interface PreparedStep {
  /** By the original's digest; a picture whose bytes are gone has none. */
  readonly variants: ReadonlyMap<Digest, VariantRecord>;
  readonly pictures: ReadonlyMap<Digest, TranscriptPicture>;
}

/**
 * Finds, or makes and stores, the wire variant of every picture of the transcript. A model that
 * takes no pictures needs none, and nothing is read for it.
 *
 * An old picture whose bytes are gone is left out, so that the conversation goes on. Throws
 * `BLOB_MISSING` or `BLOB_DAMAGED` when it is one of the current turn, `CANCELED` when the signal
 * is aborted, `STORE_UNAVAILABLE`.
 */
export async function prepareStep(
  input: PrepareStepInput,
  services: Pick<TurnServices, 'records' | 'blobs' | 'logger'>,
): Promise<PreparedStep> {
  const pictures = collectPictures(input.transcript, input.turnId);
  const variants = new Map<Digest, VariantRecord>();
  if (input.target.imageInput === 'no') return { variants, pictures };
  const found = await mapConcurrently([...pictures.values()], PICTURES_AT_ONCE, async (picture) => {
    if (input.signal.aborted) throw new AppError('CANCELED', 'The turn was stopped.');
    return { digest: picture.digest, variant: await findOrMakeVariant(picture, input, services) };
  });
  for (const { digest, variant } of found) {
    if (variant !== undefined) variants.set(digest, variant);
  }
  return { variants, pictures };
}

async function findOrMakeVariant(
  picture: TranscriptPicture,
  input: PrepareStepInput,
  services: Pick<TurnServices, 'records' | 'blobs' | 'logger'>,
): Promise<VariantRecord | undefined> {
  try {
    return await variantOf(picture, input, services);
  } catch (error) {
    if (input.signal.aborted) throw new AppError('CANCELED', 'The turn was stopped.', { cause: error });
    const { code, message } = toAppError(error);
    if (code === 'STORE_UNAVAILABLE') throw error;
    services.logger.error('variant-failed', { digest: picture.digest, code });
    if (!picture.isOfCurrentTurn) return undefined;
    throw new AppError(code, `The picture ${picture.name} cannot be sent: ${message}`, {
      data: { digest: picture.digest, name: picture.name },
      cause: error,
    });
  }
}

async function variantOf(
  { digest }: TranscriptPicture,
  { sessionId, target, sentDigests, losses, signal }: PrepareStepInput,
  { records, blobs }: Pick<TurnServices, 'records' | 'blobs'>,
): Promise<VariantRecord> {
  const key = variantKey(target.limitRow);
  const known = await records.findVariant(digest, key);
  const lossCount = known === undefined ? 0 : (losses.get(known.digest) ?? 0);
  if (lossCount >= LOSSES_BEFORE_GIVING_UP) throw new AppError('BLOB_MISSING', 'its stored bytes are gone');
  if (known !== undefined && lossCount === 0) {
    // Another session may have made it: this one needs its own edge, else its bytes may be collected.
    if (!sentDigests.has(known.digest)) await records.saveVariant(sessionId, known);
    return known;
  }
  const made = await makeVariant(await blobs.get(digest), target.limitRow, signal);
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
