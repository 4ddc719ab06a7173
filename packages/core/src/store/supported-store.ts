import { firstTables } from './migrations/0001-first-tables.ts';
import { fileChanges } from './migrations/0002-file-changes.ts';
import { messageTree } from './migrations/0003-message-tree.ts';
import { leasesAndEvents } from './migrations/0004-leases-and-events.ts';
import { queue } from './migrations/0005-queue.ts';
import { planImages } from './migrations/0006-plan-images.ts';
import { expiringEdges } from './migrations/0007-expiring-edges.ts';
import type { Migration } from './migrations/migration.ts';
import { STORAGE_REVISION } from './storage-revision.ts';

/** What one build can read and write; an older one in tests. */
export interface SupportedStore {
  readonly revision: number;
  /** In the order of their numbers. */
  readonly migrations: readonly Migration[];
}

export const supportedStore: SupportedStore = {
  revision: STORAGE_REVISION,
  migrations: [firstTables, fileChanges, messageTree, leasesAndEvents, queue, planImages, expiringEdges],
};
