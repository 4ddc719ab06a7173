import type { Digest } from '../base/ids.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import type { Codec } from './codec.ts';
import type { Reader, Writer } from './database.ts';
import { parseVariant } from './records.ts';

interface VariantPlace {
  readonly owner: string;
  readonly codec: Codec;
}

export async function readVariant(
  reader: Reader,
  { owner, codec }: VariantPlace,
  { originalDigest, variantKey }: Pick<VariantRecord, 'originalDigest' | 'variantKey'>,
): Promise<VariantRecord | undefined> {
  const row = await reader
    .selectFrom('variants')
    .selectAll()
    .where('owner', '=', owner)
    .where('original_digest', '=', originalDigest)
    .where('variant_key', '=', variantKey)
    .executeTakeFirst();
  return row === undefined ? undefined : parseVariant(row, codec);
}

/** Adds the record unless there is one of its key; gives the digest of the one that is there then. */
export async function writeVariant(writer: Writer, place: VariantPlace, record: VariantRecord): Promise<Digest> {
  await writer
    .insertInto('variants')
    .values({
      owner: place.owner,
      original_digest: record.originalDigest,
      variant_key: record.variantKey,
      digest: record.digest,
      media_type: record.mediaType,
      size_bytes: record.sizeBytes,
      width_px: record.widthPx,
      height_px: record.heightPx,
      changes: place.codec.encodeJson(record.changes),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await readVariant(writer, place, record))?.digest ?? record.digest;
}
