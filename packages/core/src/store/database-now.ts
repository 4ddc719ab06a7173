import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './codec.ts';

/** Milliseconds since 1970 by the database's own clock, which all of its processes share. */
export function databaseNowMs(kind: DatabaseKind): RawBuilder<number> {
  return kind === 'sqlite'
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
}

/** The same clock as ISO-8601 in UTC with milliseconds, as instants are stored. */
export function databaseNowIso(kind: DatabaseKind): RawBuilder<string> {
  return kind === 'sqlite'
    ? sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`
    : sql<string>`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
