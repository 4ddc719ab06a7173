import { type DatabaseConnection, type Driver, Kysely, SqliteDialect, SqliteDriver } from 'kysely';
import Libsql from 'libsql';
import type { Connection } from './database.ts';
import type { Tables } from './records.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

/**
 * Opens an SQLite file through libsql. The file must exist; it is not changed before `prepare`.
 *
 * `synchronous = FULL`, because in WAL mode `NORMAL` leaves a commit in the page cache: a turn that
 * was acknowledged could be gone after a power cut. Source: SQLite manual, "PRAGMA synchronous".
 */
export async function connectSqlite(path: string): Promise<Connection> {
  const database = new Libsql(path);
  const kysely = new Kysely<Tables>({ dialect: new ImmediateDialect({ database }) });
  await retryWhileBusy(() => database.exec('pragma foreign_keys = on; pragma synchronous = full'));
  let isPrepared = false;
  return {
    kind: 'sqlite',
    kysely,
    async prepare() {
      await retryWhileBusy(() => database.exec('pragma journal_mode = wal'));
      isPrepared = true;
    },
    async close() {
      // Leaves an empty log. When another process reads just now, its own end does it.
      if (isPrepared) database.prepare('pragma wal_checkpoint(truncate)').all([]);
      await kysely.destroy();
    },
  };
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
