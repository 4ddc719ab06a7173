import type { BlobFiles } from './blob-files.ts';
import { checkReachableBlobs, countLooseFiles } from './check-blobs.ts';
import { checkDatabase } from './check-database.ts';
import { checkMessages } from './check-messages.ts';
import { checkQueueItems } from './check-queue-items.ts';
import { checkReferences } from './check-references.ts';
import type { CheckReport, MaintenanceOptions } from './check-report.ts';
import { checkRows } from './check-rows.ts';
import { isInForce } from './content-graph.ts';
import type { Database } from './database.ts';
import { type CheckScene, checkPart, FaultList } from './fault-list.ts';

export interface CheckOptions extends Pick<MaintenanceOptions, 'onProgress'> {
  readonly database: Database;
  readonly blobs: BlobFiles;
}

/**
 * Looks at every row and every byte that one leads to, and changes nothing, so that it works on a
 * store that can only be read. Holds a page of rows and one blob at a time.
 *
 * Runs beside turns and other processes: what two tables say of each other is read in one statement,
 * which sees both in the same moment. Throws `STORE_UNAVAILABLE` when the store cannot be read at all.
 */
export async function checkStore({ database, blobs, onProgress }: CheckOptions): Promise<CheckReport> {
  const faults = new FaultList();
  const counts: CheckScene['counts'] = {
    sessions: 0,
    messages: 0,
    oldMessages: 0,
    turns: 0,
    runningTurns: 0,
    queueItems: 0,
    edges: 0,
    expiredEdges: 0,
    blobs: 0,
    unreferencedBlobs: 0,
    leftovers: 0,
  };
  let done = 0;
  let total = 0;
  const scene: CheckScene = {
    database,
    blobs,
    faults,
    counts,
    advance() {
      done += 1;
      total = Math.max(total, done);
      onProgress?.({ done, total });
    },
  };
  await checkDatabase(scene);
  await checkPart(scene, 'content_edges', async () => {
    total = await countSteps(scene);
  });
  await checkRows(scene);
  await checkPart(scene, 'messages', () => checkMessages(scene));
  await checkPart(scene, 'queue_items', () => checkQueueItems(scene));
  await checkReferences(scene);
  await checkPart(scene, 'content_edges', () => checkReachableBlobs(scene));
  await checkPart(scene, 'content_edges', () => countLooseFiles(scene));
  return { faults: faults.faults, faultCount: faults.count, counts };
}

/** Counts edges, and what takes time: messages and the bytes that edges lead to. */
async function countSteps({ database, counts }: CheckScene): Promise<number> {
  const { edges, digests } = await database.read((reader) =>
    reader
      .selectFrom('content_edges')
      .select((expression) => [
        expression.fn.countAll<number>().as('edges'),
        expression.fn.count<number>('digest').distinct().as('digests'),
      ])
      .executeTakeFirstOrThrow(),
  );
  const { inForce } = await database.read((reader) =>
    reader
      .selectFrom('content_edges')
      .select((expression) => expression.fn.countAll<number>().as('inForce'))
      .where(isInForce(database.kind))
      .executeTakeFirstOrThrow(),
  );
  const { messages } = await database.read((reader) =>
    reader
      .selectFrom('messages')
      .select((expression) => expression.fn.countAll<number>().as('messages'))
      .executeTakeFirstOrThrow(),
  );
  counts.edges = edges;
  counts.expiredEdges = Math.max(0, edges - inForce);
  return messages + digests;
}
