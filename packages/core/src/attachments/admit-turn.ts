import type { Locale } from '../base/locale.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { ImageInputCapability } from '../catalog/wire-api.ts';
import type { ImageRef } from '../content/attachment-ref.ts';
import type { RefusedItem } from '../content/events.ts';
import { toRefusedItem } from '../content/to-refused-item.ts';
import type { FileAccess } from './access-policy.ts';
import { type VerifiedImage, verifySource } from './admit-image.ts';
import type { BlobSink } from './blob-sink.ts';
import type { AdmissionLimits } from './limits.ts';
import { type OpenSource, openSource } from './open-source.ts';

export interface AdmitTurnOptions {
  /** Paths in the user's order. */
  readonly attachments: readonly string[];
  readonly access: FileAccess;
  readonly limits: AdmissionLimits;
  readonly blobs: BlobSink;
  /** Of the model that will answer. */
  readonly imageInput: ImageInputCapability;
  /** `channel/model`, for the refusal. */
  readonly model: string;
  /** Language of the refusals. */
  readonly locale: Locale;
  readonly signal?: AbortSignal;
}

interface IndexedRefusal {
  readonly index: number;
  readonly refusal: Refusal;
}

type Admission<Value> = Result<Value, readonly IndexedRefusal[]>;

/**
 * May this turn begin: takes all its pictures into the store, or none. Every bad one is named by
 * its place and its name; nothing is stored before all of them have been verified.
 *
 * Refuses with the codes of `admitImage` and with `MODEL_CANNOT_SEE`, `TOO_MANY_ITEMS`,
 * `BATCH_TOO_LARGE`; throws `STORE_UNAVAILABLE`.
 */
export async function admitTurn(
  options: AdmitTurnOptions,
): Promise<Result<readonly ImageRef[], readonly RefusedItem[]>> {
  const { attachments, blobs, locale, signal } = options;
  if (attachments.length === 0) return ok([]);
  const early = refuseBeforeReading(options);
  const verified: Admission<readonly VerifiedImage[]> = early.length > 0 ? fail(early) : await verifyAll(options);
  if (!verified.ok) return fail(verified.error.map(({ index, refusal }) => toRefusedItem(index, refusal, locale)));
  if (signal?.aborted === true) {
    const canceled = attachments.map((name, index) => ({ index, refusal: { code: 'CANCELED', name } as const }));
    return fail(canceled.map(({ index, refusal }) => toRefusedItem(index, refusal, locale)));
  }
  for (const { bytes, admitted } of verified.value) await blobs.put(admitted.reference.digest, bytes);
  return ok(verified.value.map(({ admitted }) => admitted.reference));
}

function refuseBeforeReading(options: AdmitTurnOptions): readonly IndexedRefusal[] {
  const { attachments, imageInput, limits, model } = options;
  if (imageInput === 'no') {
    return attachments.map((name, index) => ({ index, refusal: { code: 'MODEL_CANNOT_SEE', name, detail: model } }));
  }
  const limit = limits.attachmentsPerMessage;
  if (attachments.length <= limit) return [];
  const actual = attachments.length;
  return attachments
    .slice(limit)
    .map((name, place) => ({ index: limit + place, refusal: { code: 'TOO_MANY_ITEMS', name, actual, limit } }));
}

/** Opens all, then reads and verifies all, each from the handle that was opened. */
async function verifyAll(options: AdmitTurnOptions): Promise<Admission<readonly VerifiedImage[]>> {
  const { attachments, access, limits, signal } = options;
  const sources = await Promise.all(attachments.map((path) => openSource(path, access)));
  try {
    const tooLarge = refuseSum(sources, options);
    if (tooLarge.length > 0) return fail(tooLarge);
    const imageLimits = {
      maxBytes: limits.attachmentBytes,
      maxPixels: limits.attachmentPixels,
      maxFrames: limits.imageFrames,
    };
    return collect(
      await Promise.all(
        sources.map((source) =>
          source.ok ? verifySource(source.value, { limits: imageLimits, ...(signal && { signal }) }) : source,
        ),
      ),
    );
  } finally {
    await Promise.all(sources.map((source) => (source.ok ? source.value.close() : undefined)));
  }
}

/** By the sizes of the open files, before any is read. Names the one that exceeds the sum and all behind it. */
function refuseSum(
  sources: readonly Result<OpenSource, Refusal>[],
  options: AdmitTurnOptions,
): readonly IndexedRefusal[] {
  const limit = options.limits.messageBytes;
  const sizes = sources.map((source) => (source.ok ? source.value.sizeBytes : 0));
  const actual = sizes.reduce((sum, size) => sum + size, 0);
  // One file that is too large by itself is refused for that, not for the sum.
  const isSingle = sizes.some((size) => size > options.limits.attachmentBytes);
  if (actual <= limit || isSingle) return [];
  let sum = 0;
  return sizes.flatMap((size, index) => {
    sum += size;
    const name = options.attachments[index] ?? '';
    return sum > limit ? [{ index, refusal: { code: 'BATCH_TOO_LARGE', name, actual, limit } as const }] : [];
  });
}

function collect(results: readonly Result<VerifiedImage, Refusal>[]): Admission<readonly VerifiedImage[]> {
  const bad = results.flatMap((result, index) => (result.ok ? [] : [{ index, refusal: result.error }]));
  if (bad.length > 0) return fail(bad);
  return ok(results.flatMap((result) => (result.ok ? [result.value] : [])));
}
