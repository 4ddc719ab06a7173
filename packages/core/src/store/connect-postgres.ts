import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { AppError } from '../base/app-error.ts';
import type { Connection } from './connection.ts';
import { copyPostgres } from './copy-postgres.ts';
import type { Tables } from './tables.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Opens a pool of connections to a PostgreSQL database and checks that one can be had. */
export async function connectPostgres(connectionString: string): Promise<Connection> {
  const pool = new pg.Pool({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: { getTypeParser: (oid: number) => parserOf(oid) },
  });
  // A connection that breaks while idle is replaced at the next query, which reports what is wrong.
  pool.on('error', () => {});
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await pool.query('select 1');
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
  const place = placeOf(connectionString);
  return {
    kind: 'postgres',
    place,
    kysely,
    async prepare() {},
    copyBeforeUpgrade: (transaction, name) => copyPostgres(transaction, { ...name, place }),
    close: () => kysely.destroy(),
    abandon: () => kysely.destroy(),
  };
}

/** Host and name of the database, without user and password. */
export function placeOf(connectionString: string): string {
  if (!URL.canParse(connectionString)) return 'PostgreSQL';
  const { host, pathname } = new URL(connectionString);
  return `${host}${pathname} (PostgreSQL)`;
}

/** Values as SQLite gives them: JSON as text for the codec, 64-bit integers (`count` too) as numbers. */
function parserOf(oid: number): (text: string) => unknown {
  switch (oid) {
    case pg.types.builtins.JSON:
    case pg.types.builtins.JSONB:
      return (text) => text;
    case pg.types.builtins.INT8:
      return parseSafeInteger;
    default:
      return pg.types.getTypeParser(oid, 'text');
  }
}

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new AppError('RECORD_INVALID', 'a stored number is too large');
  return value;
}
