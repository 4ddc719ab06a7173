import type { Migration } from './migration.ts';

export const fileChanges: Migration = {
  number: 2,
  revision: 3,
  minReader: 3,
  minWriter: 3,
  async run(kysely) {
    const { schema } = kysely;
    await schema
      .createTable('file_changes')
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('turn_id', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('display_path', 'text', (column) => column.notNull())
      .addColumn('before_digest', 'text')
      .addColumn('after_digest', 'text', (column) => column.notNull())
      .addColumn('undone_at', 'text')
      .addPrimaryKeyConstraint('file_changes_key', ['session_id', 'seq'])
      .execute();
    await schema
      .createTable('approvals')
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('approvals_key', ['session_id', 'key'])
      .execute();
  },
};
