import { sql } from 'kysely';
import { type CheckScene, checkPart } from './fault-list.ts';

/** What SQLite is asked to name at most. */
const MOST_LINES = 100;

/** What SQLite itself says of the file and of references between tables. PostgreSQL enforces both. */
export async function checkDatabase(scene: CheckScene): Promise<void> {
  const { database, faults } = scene;
  if (database.kind !== 'sqlite') return;
  await checkPart(scene, 'database', async () => {
    const lines = await database.read((reader) =>
      reader
        .selectFrom(sql<{ integrity_check: string }>`pragma_integrity_check(${sql.lit(MOST_LINES)})`.as('line'))
        .select('integrity_check')
        .execute(),
    );
    for (const { integrity_check: line } of lines) {
      if (line !== 'ok') faults.add({ kind: 'database-damaged', place: 'database', message: line });
    }
  });
  await checkPart(scene, 'foreign keys', async () => {
    const rows = await database.read((reader) =>
      reader
        .selectFrom(sql<{ table: string; rowid: number; parent: string }>`pragma_foreign_key_check`.as('line'))
        .select(['table', 'rowid', 'parent'])
        .limit(MOST_LINES)
        .execute(),
    );
    for (const { table, rowid, parent } of rows) {
      const message = `the row names a row of ${parent} that is not there`;
      faults.add({ kind: 'reference-dangling', place: `${table} row ${rowid}`, message });
    }
  });
}
