import { constants } from 'node:fs';
import { access, chmod, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../base/app-error.ts';
import type { Logger } from '../base/logger.ts';
import { silentLogger } from '../base/logger.ts';
import type { Session } from '../content/session.ts';
import { ApprovalRepository } from './approval-repository.ts';
import { BlobFiles } from './blob-files.ts';
import type { CheckReport, MaintenanceOptions } from './check-report.ts';
import type { CollectionReport } from './collection-report.ts';
import { ContentGraph } from './content-graph.ts';
import { connect, createDatabase, type DatabaseTarget } from './database.ts';
import { DraftRepository } from './draft-repository.ts';
import { EventRepository } from './event-repository.ts';
import { FileChangeRepository } from './file-change-repository.ts';
import { type Fork, forkSession } from './fork-session.ts';
import { guardDatabase } from './guard-database.ts';
import { HeldSession } from './held-session.ts';
import { makeFolder } from './make-folder.ts';
import { migrate } from './migrate.ts';
import { QueueRepository } from './queue-repository.ts';
import { type SessionLease, SessionLeases } from './session-leases.ts';
import { SessionRepository } from './session-repository.ts';
import { systemCode, toStoreError } from './store-error.ts';
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
}

/** Everything that Fovea remembers. */
export interface Store {
  readonly turnRecords: TurnRecords;
  readonly sessions: SessionRepository;
  readonly blobs: BlobFiles;
  readonly contentGraph: ContentGraph;
  readonly approvals: ApprovalRepository;
  readonly fileChanges: FileChangeRepository;
  readonly leases: SessionLeases;
  readonly queue: QueueRepository;
  readonly events: EventRepository;
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
 * `UNSUPPORTED_REVISION` when a newer build wrote it, which leaves it untouched.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const logger = options.logger ?? silentLogger;
  const target = options.database ?? { kind: 'sqlite', path: join(options.home, 'fovea.db') };
  await prepareHome(options.home, target);
  const connection = await connect(target);
  try {
    await migrate(connection);
    if (target.kind === 'sqlite') await restrictFile(target.path, logger);
    const blobs = await BlobFiles.open(join(options.home, 'blobs'));
    const database = createDatabase(connection);
    logger.debug('store-open', { home: options.home, database: target.kind });
    return {
      turnRecords: new TurnRecords(database, LOCAL_OWNER),
      sessions: new SessionRepository(database, LOCAL_OWNER),
      blobs,
      contentGraph: new ContentGraph(database, LOCAL_OWNER),
      approvals: new ApprovalRepository(database, LOCAL_OWNER),
      fileChanges: new FileChangeRepository(database, LOCAL_OWNER),
      events: new EventRepository(database, LOCAL_OWNER),
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

async function prepareHome(home: string, target: DatabaseTarget): Promise<void> {
  try {
    await makeFolder(home);
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw toStoreError(error, `the home folder ${home} cannot be used`);
  }
  if (target.kind === 'sqlite') await prepareFile(target.path);
}

async function prepareFile(path: string): Promise<void> {
  const operation = `the database ${path} cannot be opened`;
  try {
    await createPrivately(path);
    const facts = await stat(path);
    if (!facts.isFile()) {
      const kind = facts.isDirectory() ? 'a folder' : 'a pipe, device or socket';
      throw new AppError('STORE_UNAVAILABLE', `${operation}: it is ${kind}; move it away`, { data: { operation } });
    }
    // SQLite opens a read-only file without complaint and fails at the first write.
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw toStoreError(error, operation);
  }
}

/** An empty file is a valid database; libsql would make one that others can read. */
async function createPrivately(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** Best effort: some file systems know no modes, and the file may belong to another user who shares it. */
async function restrictFile(path: string, logger: Logger): Promise<void> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) await chmod(path, 0o600);
  } catch (error) {
    logger.warn('store-file-open-to-others', { path, systemCode: systemCode(error) });
  }
}
