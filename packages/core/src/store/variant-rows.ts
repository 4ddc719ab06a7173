import type { Selectable } from 'kysely';
import type { Digest } from '../base/ids.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import type { Codec } from './codec.ts';
import type { Reader, Writer } from './database.ts';
import { parseVariant } from './records.ts';
import type { VariantsTable } from './tables.ts';

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

/**
 * Adds the record unless there is one of its key; gives the digest of the one that is there then. It
 * is locked until the transaction ends, so that its bytes are not collected meanwhile.
 */
export async function writeVariant(
  writer: Writer,
  { owner, codec }: VariantPlace,
  record: VariantRecord,
): Promise<Digest> {
  const row: Selectable<VariantsTable> = await writer
    .insertInto('variants')
    .values({
      owner,
      original_digest: record.originalDigest,
      variant_key: record.variantKey,
      digest: record.digest,
      media_type: record.mediaType,
      size_bytes: record.sizeBytes,
      width_px: record.widthPx,
      height_px: record.heightPx,
      changes: codec.encodeJson(record.changes),
    })
    .onConflict((conflict) => conflict.columns(['owner', 'original_digest', 'variant_key']).doUpdateSet({ owner }))
    .returningAll()
    .executeTakeFirstOrThrow();
  return parseVariant(row, codec).digest;
}

/** Locks a record until the transaction ends; `false` when garbage was collected since it was found. */
export async function lockVariant(
  writer: Writer,
  { owner }: Pick<VariantPlace, 'owner'>,
  { originalDigest, variantKey, digest }: VariantRecord,
): Promise<boolean> {
  const locked = await writer
    .updateTable('variants')
    .set({ owner })
    .where('owner', '=', owner)
    .where('original_digest', '=', originalDigest)
    .where('variant_key', '=', variantKey)
    .where('digest', '=', digest)
    .returning('digest')
    .executeTakeFirst();
  return locked !== undefined;
}
