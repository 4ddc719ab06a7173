import type { Migration } from './migration.ts';

export const queue: Migration = {
  number: 5,
  revision: 3,
  minReader: 3,
  minWriter: 3,
  async run(kysely, { codec }) {
    const { schema } = kysely;
    const json = codec.jsonType;
    await schema
      .createTable('session_queues')
      .addColumn('session_id', 'text', (column) => column.primaryKey().references('sessions.id').onDelete('cascade'))
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('schema_version', 'integer', (column) => column.notNull())
      .addColumn('last_position', 'integer', (column) => column.notNull())
      .addColumn('held_through', 'integer', (column) => column.notNull())
      .addColumn('held_because', 'text')
      .execute();
    await schema
      .createTable('queue_items')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('intent', 'text', (column) => column.notNull())
      .addColumn('submission_id', 'text', (column) => column.notNull())
      .addColumn('content_digest', 'text', (column) => column.notNull())
      .addColumn('schema_version', 'integer', (column) => column.notNull())
      .addColumn('body', json)
      .addColumn('turn_id', 'text', (column) => column.notNull())
      .addColumn('joined_turn_id', 'text')
      .addColumn('error', json)
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('queue_items_submission', ['session_id', 'submission_id'])
      .execute();
    await schema
      .createIndex('queue_items_by_position')
      .on('queue_items')
      .columns(['session_id', 'state', 'position'])
      .execute();
    await schema.createIndex('queue_items_by_turn').on('queue_items').column('turn_id').execute();
  },
};
