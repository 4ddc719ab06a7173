import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import Libsql from 'libsql';
import { AppError } from '../base/app-error.ts';
import { KIB } from '../base/units.ts';
import type { Connection } from './connection.ts';
import { copySqlite, notUpgraded } from './copy-sqlite.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { toStoreError } from './store-error.ts';
import type { Tables } from './tables.ts';

/** The smallest size of the file, and the piece in which it grows. */
const SHARED_FILE_BYTES = 32 * KIB;

/**
 * What was let go of without being closed. libsql opens a database for writing also when it is asked
 * to read only, and the last connection that is closed, by a call or by the collector, moves the log
 * into the file: one that has to leave both as they are stays until the process ends.
 */
const abandoned: Libsql.Database[] = [];

/**
 * Opens an SQLite file through libsql. The file must exist; it is not changed before `prepare`, and
 * not at all with `isReadOnly`.
 *
 * `synchronous = FULL`, because in WAL mode `NORMAL` leaves a commit in the page cache: a turn that
 * was acknowledged could be gone after a power cut. Source: SQLite manual, "PRAGMA synchronous".
 */
export async function connectSqlite(path: string, { isReadOnly = false } = {}): Promise<Connection> {
  const database = new Libsql(path, { readonly: isReadOnly });
  const kysely = new Kysely<Tables>({ dialect: new ImmediateDialect({ database }) });
  let isExclusive = false;
  try {
    // Without the shared file nobody else can have the log open, and what is there can still be read.
    isExclusive = !isReadOnly && (await lacksRoomForSharedFile(path));
    if (isExclusive) database.exec('pragma locking_mode = exclusive');
    await retryWhileBusy(() => database.exec('pragma foreign_keys = on; pragma synchronous = full'));
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
  let isPrepared = false;
  const abandon = async (): Promise<void> => {
    // One that has the file alone would keep everybody out.
    if (isExclusive) await kysely.destroy();
    else abandoned.push(database);
  };
  return {
    kind: 'sqlite',
    place: path,
    kysely,
    async prepare() {
      await retryWhileBusy(() => database.exec('pragma journal_mode = wal'));
      isPrepared = true;
    },
    async copyBeforeUpgrade(_transaction, name) {
      // The copy is read through a second connection, which an exclusive one does not let in.
      if (isExclusive) throw toStoreError({ code: 'SQLITE_FULL' }, notUpgraded(path));
      await copySqlite(path, name);
    },
    async close() {
      if (isReadOnly) return abandon();
      if (isPrepared) emptyLog(database);
      await kysely.destroy();
    },
    abandon,
  };
}

/**
 * Whether the disk is too full for the file in which processes share their view of the log; SQLite
 * then opens nothing. Source: SQLite manual, "Write-Ahead Logging", section 2.1 and "Use of WAL
 * Without Shared-Memory".
 */
async function lacksRoomForSharedFile(path: string): Promise<boolean> {
  const shared = await stat(`${path}-shm`).catch(() => undefined);
  if (shared !== undefined && shared.size >= SHARED_FILE_BYTES) return false;
  const { bavail, bsize } = await statfs(dirname(path));
  return bavail * bsize < SHARED_FILE_BYTES;
}

/** When another process is reading or writing just now, the log stays: its own end empties it. */
function emptyLog(database: Libsql.Database): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // Everything in the log is durable, and the next opening reads it.
  }
}

class ImmediateDialect extends SqliteDialect {
  readonly #database: Libsql.Database;

  constructor(config: { readonly database: Libsql.Database }) {
    super(config);
    this.#database = config.database;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#database);
  }
}

/**
 * Begins every transaction with the write lock. A deferred one takes it at its first write, and
 * fails with `SQLITE_BUSY_SNAPSHOT` when another process has written since its first read.
 *
 * `exec` finishes its statement whatever happens; a prepared one that failed with `SQLITE_BUSY`
 * stays open in libsql, and the next commit fails because of it.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Libsql.Database;

  constructor(database: Libsql.Database) {
    super({ database });
    this.#database = database;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    // Waits until the one connection is free; `releaseConnection` frees it.
    await super.acquireConnection();
    return new PatientConnection(this.#database);
  }

  override async beginTransaction(_connection: DatabaseConnection): Promise<void> {
    await retryWhileBusy(() => this.#database.exec('begin immediate'));
  }

  override async commitTransaction(_connection: DatabaseConnection): Promise<void> {
    this.#database.exec('commit');
  }

  override async rollbackTransaction(_connection: DatabaseConnection): Promise<void> {
    // A full disk or a broken device ends the transaction by itself.
    if (this.#database.inTransaction) this.#database.exec('rollback');
  }
}

/**
 * Repeats a statement outside a transaction while the file is locked, as it is when another process
 * opens it for the first time or closes it for the last. It is the same prepared statement that is
 * repeated: one that failed with `SQLITE_BUSY` is open until it is run to its end.
 */
class PatientConnection implements DatabaseConnection {
  readonly #database: Libsql.Database;

  constructor(database: Libsql.Database) {
    this.#database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = await this.#repeat(() => this.#database.prepare(sql));
    // The rows have the columns that the query asked for: Kysely's own drivers trust it as well.
    if (statement.reader) return { rows: (await this.#repeat(() => statement.all([...parameters]))) as Row[] };
    const { changes } = await this.#repeat(() => statement.run([...parameters]));
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: streams are not used, and the interface asks for one.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new AppError('INTERNAL', 'queries are not streamed');
  }

  /** A transaction has the lock from its beginning: there, waiting could only hide a fault. */
  async #repeat<Value>(work: () => Value): Promise<Value> {
    return this.#database.inTransaction ? work() : retryWhileBusy(work);
  }
}
