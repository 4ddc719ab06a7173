import { join } from 'node:path';
import type { Logger } from '../base/logger.ts';
import { silentLogger } from '../base/logger.ts';
import type { Session } from '../content/session.ts';
import { ApprovalRepository } from './approval-repository.ts';
import { BlobFiles } from './blob-files.ts';
import type { CheckReport, MaintenanceOptions } from './check-report.ts';
import type { CollectionReport } from './collection-report.ts';
import { ContentGraph } from './content-graph.ts';
import { createDatabase, type DatabaseTarget } from './database.ts';
import { DraftRepository } from './draft-repository.ts';
import { EventRepository } from './event-repository.ts';
import { FileChangeRepository } from './file-change-repository.ts';
import { type Fork, forkSession } from './fork-session.ts';
import { guardDatabase } from './guard-database.ts';
import { HeldSession } from './held-session.ts';
import { openForReading, openForWriting } from './open-connection.ts';
import { restrictFile } from './prepare-home.ts';
import { QueueRepository } from './queue-repository.ts';
import { MOUNT_TABLE, refuseNetworkHome } from './refuse-network-home.ts';
import { type SessionLease, SessionLeases } from './session-leases.ts';
import { SessionRepository } from './session-repository.ts';
import { supportedStore } from './supported-store.ts';
import { TurnHistory } from './turn-history.ts';
import { TurnRecords } from './turn-records.ts';

/** The owner of everything on one's own machine, where there are no accounts. */
const LOCAL_OWNER = 'local';

export interface OpenStoreOptions {
  /** The home folder. Made, for its user alone, when it does not exist. */
  readonly home: string;
  /** Where records are kept; by default in the file `fovea.db` of the home folder. */
  readonly database?: DatabaseTarget;
  readonly logger?: Logger;
  /** How long a lease lasts without being renewed; by default `LEASE_MS`. */
  readonly leaseMs?: number;
  /** `read`: also what cannot be written is opened, for reading only; by default `write`. */
  readonly need?: 'read' | 'write';
  /** A lower one than `STORAGE_REVISION` makes an older build of this one. */
  readonly supportedRevision?: number;
  /** A file in the form of Linux's list of what is mounted; by default that list. */
  readonly mountTable?: string;
}

/** Everything that Fovea remembers. */
export interface Store {
  /** Every write throws why, with the code of what stands in its way. */
  readonly isReadOnly: boolean;
  readonly turnRecords: TurnRecords;
  readonly sessions: SessionRepository;
  readonly blobs: BlobFiles;
  readonly contentGraph: ContentGraph;
  readonly approvals: ApprovalRepository;
  readonly fileChanges: FileChangeRepository;
  readonly leases: SessionLeases;
  readonly queue: QueueRepository;
  readonly events: EventRepository;
  readonly turns: TurnHistory;
  readonly drafts: DraftRepository;
  /**
   * A session that begins with the messages of another one; see `fork-session.ts`. Durable when it
   * resolves. Throws `SESSION_NOT_FOUND`, `UNSUPPORTED_REVISION`, `RECORD_INVALID`, `STORE_UNAVAILABLE`.
   */
  forkSession(sourceId: string, fork: Fork): Promise<Session>;
  /** Looks at every record and every stored byte, and changes nothing; see `check-store.ts`. Throws `STORE_UNAVAILABLE`. */
  check(options: MaintenanceOptions): Promise<CheckReport>;
  /** Deletes the bytes that nothing leads to; see `collect-garbage.ts`. Throws `STORE_UNAVAILABLE`. */
  collectGarbage(options: MaintenanceOptions): Promise<CollectionReport>;
  /** What a turn writes through: every write is guarded by the lease, and throws `LEASE_LOST` without it. */
  underLease(lease: SessionLease): LeasedStore;
  /** Waits for nothing: end the turns first. */
  close(): Promise<void>;
}

/** The repositories of a turn that runs under a lease. */
export interface LeasedStore extends Pick<Store, 'turnRecords' | 'approvals' | 'fileChanges' | 'events' | 'queue'> {
  /** The session as a whole: rewind and deletion. */
  readonly session: HeldSession;
}

/**
 * Opens the store in `home`. Records that exist are not changed, except by migrations.
 *
 * Throws `STORE_UNAVAILABLE` with the reason when the folder or database cannot be used, and
 * `UNSUPPORTED_REVISION` when a newer build wrote it, which leaves it untouched. A store that was
 * upgraded by a newer build while it is open refuses every write with `UNSUPPORTED_REVISION`.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const logger = options.logger ?? silentLogger;
  const target = options.database ?? { kind: 'sqlite', path: join(options.home, 'fovea.db') };
  const supported = { ...supportedStore, revision: options.supportedRevision ?? supportedStore.revision };
  await refuseNetworkHome(options.home, options.mountTable ?? MOUNT_TABLE);
  const open = options.need === 'read' ? openForReading : openForWriting;
  const { connection, writeRefusal } = await open({ home: options.home, target, supported });
  try {
    if (target.kind === 'sqlite' && writeRefusal === undefined) await restrictFile(target.path, logger);
    const blobs = await BlobFiles.open(join(options.home, 'blobs'), { writeRefusal });
    const database = createDatabase(connection, {
      migration: supported.migrations.length,
      supportedRevision: supported.revision,
      ...(writeRefusal && { writeRefusal }),
    });
    logger.debug('store-open', { home: options.home, database: target.kind });
    return {
      isReadOnly: writeRefusal !== undefined,
      turnRecords: new TurnRecords(database, LOCAL_OWNER),
      sessions: new SessionRepository(database, LOCAL_OWNER),
      blobs,
      contentGraph: new ContentGraph(database, LOCAL_OWNER),
      approvals: new ApprovalRepository(database, LOCAL_OWNER),
      fileChanges: new FileChangeRepository(database, LOCAL_OWNER),
      events: new EventRepository(database, LOCAL_OWNER),
      turns: new TurnHistory(database, LOCAL_OWNER),
      drafts: new DraftRepository(database, LOCAL_OWNER),
      forkSession(sourceId, fork) {
        const place = { sourceId, owner: LOCAL_OWNER, kind: database.kind, codec: database.codec };
        return database.write((writer) => forkSession(writer, place, fork));
      },
      async check(checkOptions) {
        const { checkStore } = await import('./check-store.ts');
        return checkStore({ database, blobs, ...checkOptions });
      },
      async collectGarbage(collectOptions) {
        const { collectGarbage } = await import('./collect-garbage.ts');
        return collectGarbage({ database, blobs, ...collectOptions });
      },
      leases: new SessionLeases(database, LOCAL_OWNER, options.leaseMs),
      queue: new QueueRepository(database, LOCAL_OWNER),
      underLease(lease) {
        const guarded = guardDatabase(database, lease);
        return {
          turnRecords: new TurnRecords(guarded, LOCAL_OWNER, lease.epoch),
          approvals: new ApprovalRepository(guarded, LOCAL_OWNER),
          fileChanges: new FileChangeRepository(guarded, LOCAL_OWNER),
          events: new EventRepository(guarded, LOCAL_OWNER),
          queue: new QueueRepository(guarded, LOCAL_OWNER),
          session: new HeldSession(guarded, { id: lease.sessionId, owner: LOCAL_OWNER }),
        };
      },
      async close() {
        await database.close();
        logger.debug('store-close', { home: options.home });
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
