import { AppError, toAppError } from '../base/app-error.ts';
import type { Connection } from './connection.ts';
import { connect, type DatabaseTarget } from './database.ts';
import { migrate } from './migrate.ts';
import { openPrivateCopy } from './open-private-copy.ts';
import { prepareHome } from './prepare-home.ts';
import { readStoreMeta } from './store-meta.ts';
import type { SupportedStore } from './supported-store.ts';

export interface OpenConnectionOptions {
  readonly home: string;
  readonly target: DatabaseTarget;
  readonly supported: SupportedStore;
}

/** A connection whose tables this build reads. */
export interface OpenedConnection {
  readonly connection: Connection;
  /** Why nothing can be written; absent: it can. */
  readonly writeRefusal?: AppError;
}

/** Prepares the home and brings the tables up to date. Throws as `openStore`. */
export async function openForWriting({ home, target, supported }: OpenConnectionOptions): Promise<OpenedConnection> {
  await prepareHome(home, target);
  const connection = await connect(target);
  return closeOnFailure(connection, async () => {
    await migrate(connection, supported);
    return { connection };
  });
}

/**
 * What can be written, else what can be read: a home without write access, a full disk, a store that
 * a newer build upgraded or an older one is working with. Throws why it cannot be written when it
 * cannot be read either.
 */
export async function openForReading(options: OpenConnectionOptions): Promise<OpenedConnection> {
  try {
    return await openForWriting(options);
  } catch (error) {
    const { code, message, data } = toAppError(error);
    const writeRefusal = new AppError(code, `the store can only be read: ${message}`, { data, cause: error });
    const connection = await connectForReading(options);
    if (connection === undefined) throw error;
    return { connection, writeRefusal };
  }
}

async function connectForReading({ target, supported }: OpenConnectionOptions): Promise<Connection | undefined> {
  try {
    return await connectInPlace(target, supported);
  } catch {
    if (target.kind === 'postgres') return undefined;
  }
  return openPrivateCopy(target.path, supported).catch(() => undefined);
}

async function connectInPlace(target: DatabaseTarget, supported: SupportedStore): Promise<Connection> {
  const connection = await connect(target, { isReadOnly: true });
  return closeOnFailure(connection, async () => {
    const { migration } = await readStoreMeta(connection, connection.kysely, supported);
    if (migration < supported.migrations.length) throw new AppError('STORE_UNAVAILABLE', 'its tables are older ones');
    return connection;
  });
}

async function closeOnFailure<Value>(connection: Connection, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    // The store of a newer build stays as it is, its log included.
    if (toAppError(error).code === 'UNSUPPORTED_REVISION') await connection.abandon();
    else await connection.close();
    throw error;
  }
}
