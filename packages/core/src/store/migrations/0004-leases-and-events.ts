import type { Migration } from './migration.ts';

export const leasesAndEvents: Migration = {
  number: 4,
  revision: 3,
  minReader: 3,
  minWriter: 3,
  async run(kysely, { codec }) {
    const { schema } = kysely;
    const json = codec.jsonType;
    await schema
      .alterTable('turns')
      .addColumn('epoch', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .alterTable('turns')
      .addColumn('has_effects', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable('session_leases')
      .addColumn('session_id', 'text', (column) => column.primaryKey().references('sessions.id').onDelete('cascade'))
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('process', json, (column) => column.notNull())
      .addColumn('epoch', 'integer', (column) => column.notNull())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('session_events')
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('turn_id', 'text', (column) => column.notNull())
      .addColumn('body', json, (column) => column.notNull())
      .addPrimaryKeyConstraint('session_events_key', ['session_id', 'seq'])
      .execute();
    await schema
      .createTable('step_snapshots')
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('turn_id', 'text', (column) => column.notNull())
      .addColumn('step', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('body', json, (column) => column.notNull())
      .addPrimaryKeyConstraint('step_snapshots_key', ['session_id', 'turn_id', 'step'])
      .execute();
  },
};
