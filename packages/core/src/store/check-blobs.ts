import { sql } from 'kysely';
import { isAppError } from '../base/app-error.ts';
import { type Digest, isDigest } from '../base/ids.ts';
import type { StoreFaultKind } from './check-report.ts';
import { isInForce } from './content-graph.ts';
import type { Reader } from './database.ts';
import { type CheckScene, readRows } from './fault-list.ts';
import { countTemporary, type ListedBlob, listBlobs } from './list-blobs.ts';

const DIGESTS_A_PAGE = 200;

const variantDigest = sql<Digest>`variants.digest`.as('digest');

/** Everything that an edge or a variant leads to is there and is what its digest says, one after the other. */
export async function checkReachableBlobs(scene: CheckScene): Promise<void> {
  for await (const { digest } of readRows<NamedDigest>((last) => readDigests(scene, last?.digest))) {
    await checkBlob(scene, digest);
    scene.counts.blobs += 1;
    scene.advance();
  }
}

/** What lies in the folders and belongs to nothing. */
export async function countLooseFiles({ database, blobs, counts }: CheckScene): Promise<void> {
  let waiting: ListedBlob[] = [];
  const countWaiting = async () => {
    const digests = waiting.map(({ digest }) => digest);
    waiting = [];
    if (digests.length === 0) return;
    const named = await database.read((reader) => selectNamed(reader, digests).execute());
    counts.unreferencedBlobs += digests.length - named.length;
  };
  for await (const files of listBlobs(blobs.folder)) {
    waiting.push(...files);
    if (waiting.length >= DIGESTS_A_PAGE) await countWaiting();
  }
  await countWaiting();
  counts.leftovers += (await countTemporary(blobs.folder)) + (await blobs.trash.list()).length;
}

interface NamedDigest {
  readonly digest: Digest;
}

async function checkBlob(scene: CheckScene, digest: Digest): Promise<void> {
  const fault = await findFault(scene, digest);
  if (fault === undefined) return;
  // What led to it may be gone by now, and a collection was right.
  const place = await findPlace(scene, digest);
  if (place !== undefined) scene.faults.add({ ...fault, place, digest });
}

async function findFault(
  { blobs }: CheckScene,
  digest: Digest,
): Promise<{ readonly kind: StoreFaultKind; readonly message: string } | undefined> {
  if (!isDigest(digest)) return { kind: 'row-invalid', message: 'what should be a digest is none' };
  try {
    await blobs.verify(digest);
    return undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { kind: error.code === 'BLOB_MISSING' ? 'blob-missing' : 'blob-damaged', message: error.message };
  }
}

async function findPlace({ database }: CheckScene, digest: Digest): Promise<string | undefined> {
  const edge = await database.read((reader) =>
    reader
      .selectFrom('content_edges')
      .select(['session_id', 'kind', 'source_id'])
      .where('digest', '=', digest)
      .where(isInForce(database.kind))
      .limit(1)
      .executeTakeFirst(),
  );
  if (edge !== undefined) return `content_edges ${edge.session_id}/${edge.kind}/${edge.source_id}`;
  const variant = await database.read((reader) =>
    reader
      .selectFrom('variants')
      .select(['original_digest', 'variant_key'])
      .where('digest', '=', digest)
      .limit(1)
      .executeTakeFirst(),
  );
  return variant === undefined ? undefined : `variants ${variant.original_digest}/${variant.variant_key}`;
}

function readDigests({ database }: CheckScene, last: string | undefined): Promise<readonly NamedDigest[]> {
  return database.read((reader) =>
    reader
      .selectFrom((from) =>
        from
          .selectFrom('content_edges')
          .select('digest')
          .where(sql<boolean>`digest > ${last ?? ''}`)
          .where(isInForce(database.kind))
          .union(
            from
              .selectFrom('variants')
              .select(variantDigest)
              .where('digest', '>', last ?? ''),
          )
          .as('named'),
      )
      .select('digest')
      .orderBy('digest')
      .limit(DIGESTS_A_PAGE)
      .execute(),
  );
}

/** Also by an edge whose time is over: the next collection deletes that first. */
function selectNamed(reader: Reader, digests: readonly Digest[]) {
  return reader
    .selectFrom('content_edges')
    .select('digest')
    .where('digest', 'in', digests)
    .union(reader.selectFrom('variants').select(variantDigest).where('digest', 'in', digests));
}
