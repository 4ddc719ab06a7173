import type { Migration } from './migration.ts';

export const firstTables: Migration = {
  number: 1,
  revision: 3,
  minReader: 3,
  minWriter: 3,
  async run(kysely, { codec }) {
    const { schema } = kysely;
    const json = codec.jsonType;
    await schema
      .createTable('sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('workspace', 'text', (column) => column.notNull())
      .addColumn('external_folders', json, (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('profile', 'text', (column) => column.notNull())
      .addColumn('model_locale', 'text', (column) => column.notNull())
      .addColumn('prompt_head', 'text', (column) => column.notNull())
      .addColumn('storage_revision', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('sessions_by_use').on('sessions').columns(['owner', 'updated_at', 'id']).execute();
    await schema
      .createTable('session_counters')
      .addColumn('session_id', 'text', (column) => column.primaryKey().references('sessions.id').onDelete('cascade'))
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('last_message_seq', 'integer', (column) => column.notNull())
      .addColumn('message_count', 'integer', (column) => column.notNull())
      .addColumn('last_request_number', 'integer', (column) => column.notNull())
      .execute();
    await schema
      .createTable('messages')
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('turn_id', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('body', json, (column) => column.notNull())
      .addPrimaryKeyConstraint('messages_key', ['session_id', 'seq'])
      .addUniqueConstraint('messages_id', ['session_id', 'id'])
      .execute();
    await schema
      .createTable('turns')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('submission_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('started_at', 'text', (column) => column.notNull())
      .addColumn('ended_at', 'text')
      .addColumn('error', json)
      .addColumn('writer', json, (column) => column.notNull())
      .execute();
    await schema.createIndex('turns_by_session').on('turns').columns(['session_id', 'started_at', 'id']).execute();
    await schema
      .createTable('content_edges')
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('content_edges_key', ['session_id', 'digest', 'kind', 'source_id'])
      .execute();
    await schema.createIndex('content_edges_by_digest').on('content_edges').column('digest').execute();
    await schema
      .createTable('variants')
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('original_digest', 'text', (column) => column.notNull())
      .addColumn('variant_key', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('media_type', 'text', (column) => column.notNull())
      .addColumn('size_bytes', 'bigint', (column) => column.notNull())
      .addColumn('width_px', 'integer', (column) => column.notNull())
      .addColumn('height_px', 'integer', (column) => column.notNull())
      .addColumn('changes', json, (column) => column.notNull())
      .addPrimaryKeyConstraint('variants_key', ['owner', 'original_digest', 'variant_key'])
      .execute();
    await schema
      .createTable('plans')
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('endpoint_id', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('images', json, (column) => column.notNull())
      .addPrimaryKeyConstraint('plans_key', ['session_id', 'endpoint_id'])
      .execute();
  },
};
