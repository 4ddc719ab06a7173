export { ApprovalRepository } from './approval-repository.ts';
export { BlobFiles } from './blob-files.ts';
export { ContentGraph, type ResolvedReference } from './content-graph.ts';
export type { DatabaseTarget } from './database.ts';
export { FileChangeRepository } from './file-change-repository.ts';
export { type LeasedStore, type OpenStoreOptions, openStore, type Store } from './open-store.ts';
export { STORAGE_REVISION } from './records.ts';
export {
  type AcquiredLease,
  LEASE_RENEWAL_MS,
  type LeaseHolder,
  type SessionLease,
  SessionLeases,
} from './session-leases.ts';
export { type SessionChanges, SessionRepository } from './session-repository.ts';
export { TurnRecords } from './turn-records.ts';
