import type { Digest } from '../base/ids.ts';
import type { BlobFiles } from './blob-files.ts';
import type { DiscardedBlob } from './blob-trash.ts';
import type { MaintenanceOptions } from './check-report.ts';
import { findCutoff, YOUNG_MS } from './collection-cutoff.ts';
import type { CollectionReport } from './collection-report.ts';
import type { Database, Reader } from './database.ts';
import { deleteTemporary, type ListedBlob, listBlobs } from './list-blobs.ts';
import { toStoreError } from './store-error.ts';

/** So long a temporary file may belong to somebody who writes it. */
const TEMPORARY_MS = 24 * 60 * 60 * 1000;

/** Files that are decided in one transaction; below every database's limit of parameters. */
const FILES_A_DECISION = 200;

/** The first byte of digests, which are spread evenly over it, is the measure of progress. */
const FIRST_BYTES = 256;

export interface CollectOptions extends MaintenanceOptions {
  readonly database: Database;
  readonly blobs: BlobFiles;
}

type Tally = { -readonly [Key in 'kept' | 'collected' | 'young' | 'bytesFreed' | 'variants']: number };

/**
 * Deletes the bytes that no edge leads to, expired drafts before them. Runs beside turns, other
 * processes and other collections, and may be killed at any point.
 *
 * The rule: bytes are deleted when no edge leads to them after they were moved out of the way, and
 * they were put before the cutoff. Whoever needs them from then on puts them again, which writes
 * them anew; whoever put them before, and has not stored yet what needs them, has made them young.
 * The records of variants, which lead to bytes without a put, are deleted with the same look.
 *
 * Throws `STORE_UNAVAILABLE`; what was not decided then lies in the trash until the next collection.
 */
export async function collectGarbage(options: CollectOptions): Promise<CollectionReport> {
  const { database, blobs, nowMs, onProgress } = options;
  try {
    const expiredEdges = await deleteExpiredEdges(database, nowMs);
    const cutoffMs = await findCutoff(database, nowMs);
    const tally = emptyTally();
    const sweep = { ...options, cutoffMs, tally };
    const leftBehind = { ...sweep, tally: emptyTally() };
    for (const left of inPieces(await blobs.trash.list())) await decide(left, leftBehind);
    let waiting: ListedBlob[] = [];
    for await (const files of listBlobs(blobs.folder)) {
      waiting.push(...files);
      if (waiting.length < FILES_A_DECISION) continue;
      onProgress?.({ done: firstByteOf(waiting), total: FIRST_BYTES });
      await sweepFiles(waiting, sweep);
      waiting = [];
    }
    await sweepFiles(waiting, sweep);
    onProgress?.({ done: FIRST_BYTES, total: FIRST_BYTES });
    const leftovers = await deleteTemporary(blobs.folder, nowMs - TEMPORARY_MS);
    return {
      // What was put back from the trash was met again, and is counted, in its place.
      blobs: { kept: tally.kept, young: tally.young, collected: tally.collected + leftBehind.tally.collected },
      bytesFreed: tally.bytesFreed + leftBehind.tally.bytesFreed,
      expiredEdges,
      variants: tally.variants + leftBehind.tally.variants,
      leftovers,
    };
  } catch (error) {
    throw toStoreError(error, 'garbage cannot be collected');
  }
}

function emptyTally(): Tally {
  return { kept: 0, collected: 0, young: 0, bytesFreed: 0, variants: 0 };
}

interface Sweep extends CollectOptions {
  readonly cutoffMs: number;
  readonly tally: Tally;
}

async function sweepFiles(files: readonly ListedBlob[], sweep: Sweep): Promise<void> {
  const { database, blobs, cutoffMs, tally } = sweep;
  for (const piece of inPieces(files)) {
    const digests = piece.map(({ digest }) => digest);
    const held = await database.read((reader) => findHeld(reader, digests));
    const free = piece.filter(({ digest }) => !held.has(digest));
    const old = free.filter(({ modifiedMs }) => modifiedMs < cutoffMs);
    tally.kept += piece.length - free.length;
    tally.young += free.length - old.length;
    const discarded: DiscardedBlob[] = [];
    for (const { digest } of old) {
      const blob = await blobs.trash.discard(digest);
      if (blob !== undefined) discarded.push(blob);
    }
    await decide(discarded, sweep);
  }
}

/** Looks again, now that whoever puts the bytes writes them anew. */
async function decide(discarded: readonly DiscardedBlob[], sweep: Sweep): Promise<void> {
  const { blobs, cutoffMs, tally } = sweep;
  if (discarded.length === 0) return;
  const old = discarded.filter(({ modifiedMs }) => modifiedMs < cutoffMs);
  const { free, variants } = await letGo([...new Set(old.map(({ digest }) => digest))], sweep);
  tally.variants += variants;
  for (const blob of discarded) {
    const isYoung = blob.modifiedMs >= cutoffMs;
    if (isYoung || !free.has(blob.digest)) {
      await blobs.trash.restore(blob);
      tally[isYoung ? 'young' : 'kept'] += 1;
    } else if (await blobs.trash.delete(blob)) {
      tally.collected += 1;
      tally.bytesFreed += blob.sizeBytes;
    }
  }
}

/**
 * Which of the bytes nothing leads to, without the records of variants that lead to these. The
 * records are locked first: a session that is about to use one has its edge, or finds no record.
 */
async function letGo(
  digests: readonly Digest[],
  { database }: Sweep,
): Promise<{ readonly free: ReadonlySet<Digest>; readonly variants: number }> {
  if (digests.length === 0) return { free: new Set(), variants: 0 };
  return database.write(async (writer) => {
    await writer
      .updateTable('variants')
      .set((expression) => ({ size_bytes: expression.ref('size_bytes') }))
      .where('digest', 'in', digests)
      .execute();
    const held = await findHeld(writer, digests);
    const free = digests.filter((digest) => !held.has(digest));
    if (free.length === 0) return { free: new Set(), variants: 0 };
    const deleted = await writer.deleteFrom('variants').where('digest', 'in', free).returning('digest').execute();
    return { free: new Set(free), variants: deleted.length };
  });
}

/** Of every owner. What is expired was deleted before; what expires meanwhile is the next collection's. */
async function findHeld(reader: Reader, digests: readonly Digest[]): Promise<ReadonlySet<Digest>> {
  const rows = await reader
    .selectFrom('content_edges')
    .select('digest')
    .distinct()
    .where('digest', 'in', digests)
    .execute();
  return new Set(rows.map(({ digest }) => digest));
}

/**
 * Edges that lead nowhere any more, and did so some time ago: whoever just saw that a draft has a
 * picture may be storing the message with it.
 */
async function deleteExpiredEdges(database: Database, nowMs: number): Promise<number> {
  const before = new Date(nowMs - YOUNG_MS).toISOString();
  return database.write(async (writer) => {
    const deleted = await writer
      .deleteFrom('content_edges')
      .where('expires_at', '<', before)
      .returning('digest')
      .execute();
    return deleted.length;
  });
}

function firstByteOf(files: readonly ListedBlob[]): number {
  return Number.parseInt(files[0]?.digest.slice('sha256:'.length, 'sha256:'.length + 2) ?? '0', 16);
}

function inPieces<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / FILES_A_DECISION) }, (_unused, piece) =>
    items.slice(piece * FILES_A_DECISION, (piece + 1) * FILES_A_DECISION),
  );
}
