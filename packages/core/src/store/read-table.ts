import { type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import { readRows } from './fault-list.ts';
import type { Tables } from './tables.ts';

const ROWS_A_PAGE = 100;

/**
 * Every row of a table, page by page in the order of its key: memory stays bounded, and no lock is
 * held between two pages.
 */
export function readTable<Name extends keyof Tables, Row extends Selectable<Tables[Name]>>(
  database: Database,
  name: Name,
  key: readonly (keyof Row & string)[],
): AsyncGenerator<Row, void> {
  const order = sql.join(key.map((column) => sql.ref(column)));
  return readRows<Row>((last) =>
    database.read(async (reader) => {
      const rows = reader.selectFrom(sql<Record<string, unknown>>`${sql.table(name)}`.as('rows')).selectAll();
      const behind =
        last === undefined
          ? rows
          : rows.where(sql<boolean>`(${order}) > (${sql.join(key.map((column) => sql.val(last[column])))})`);
      // Kysely's types do not follow a table that is a parameter; its rows have all of its columns.
      return (await behind.orderBy(order).limit(ROWS_A_PAGE).execute()) as readonly unknown[] as readonly Row[];
    }),
  );
}
