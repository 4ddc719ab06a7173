import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseKind } from '../store/codec.ts';
import type { Connection } from '../store/connection.ts';
import { connect, type DatabaseTarget } from '../store/database.ts';
import { openStore, type Store } from '../store/open-store.ts';
import { checkStoreIn, expectDamage } from './check-stores.ts';
import { startPostgres, type TestPostgres } from './start-postgres.ts';

/** A new store for one test. */
export interface StoreCase {
  readonly store: Store;
  readonly home: string;
  readonly target: DatabaseTarget;
  /** A second store on the same records, as another process would have it. */
  reopen(): Promise<Store>;
  /** One statement past the repositories. */
  query(statement: string): Promise<Rows>;
  /** The store is not checked after the test; see `check-stores.ts`. */
  expectDamage(why: string): void;
}

/** Stores on both databases for one test file: `start` before all of its tests, `stop` after them. */
export interface StoreCases {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A home and a database in which nothing is yet. */
  newPlace(kind: DatabaseKind): Promise<{ readonly home: string; readonly target: DatabaseTarget }>;
  /** Rejects also when the store is not whole after the test. */
  withStore(kind: DatabaseKind, use: (given: StoreCase) => Promise<void>): Promise<void>;
}

export type Rows = readonly Record<string, unknown>[];

/** `execute` runs one statement as it is. */
export function createStoreCases(execute: (statement: string, connection: Connection) => Promise<Rows>): StoreCases {
  let postgres: TestPostgres | undefined;
  let folder = '';
  let homes = 0;

  async function newPlace(kind: DatabaseKind): Promise<{ readonly home: string; readonly target: DatabaseTarget }> {
    homes += 1;
    const home = join(folder, `${kind}-${homes}`);
    if (kind === 'sqlite') return { home, target: { kind, path: join(home, 'fovea.db') } };
    if (postgres === undefined) throw new Error('start() was not called');
    return { home, target: { kind, connectionString: await postgres.createDatabase() } };
  }

  return {
    newPlace,
    async start() {
      folder = await mkdtemp(join(tmpdir(), 'fovea-store-'));
      postgres = await startPostgres();
    },
    async stop() {
      await postgres?.stop();
      await rm(folder, { recursive: true, force: true });
    },
    async withStore(kind, use) {
      const { home, target } = await newPlace(kind);
      const store = await openStore({ home, database: target });
      const stores = [store];
      const connection = await connect(target);
      try {
        await use({
          store,
          home,
          target,
          async reopen() {
            const reopened = await openStore({ home, database: target });
            stores.push(reopened);
            return reopened;
          },
          query: (statement) => execute(statement, connection),
          expectDamage: (why) => expectDamage(home, why),
        });
        await checkStoreIn({ home, database: target });
      } finally {
        await connection.close();
        for (const opened of stores) await opened.close();
      }
    },
  };
}
