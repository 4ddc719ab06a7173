import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Each message knows the one before it, so that a conversation can take another course. */
export const messageTree: Migration = {
  number: 3,
  revision: 3,
  minReader: 3,
  minWriter: 3,
  async run(kysely) {
    const { schema } = kysely;
    await schema.alterTable('messages').addColumn('parent_seq', 'integer').execute();
    await schema
      .alterTable('messages')
      .addColumn('depth', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.alterTable('session_counters').addColumn('head_seq', 'integer').execute();
    await sql`
      update messages set
        parent_seq = (select max(earlier.seq) from messages as earlier
          where earlier.session_id = messages.session_id and earlier.seq < messages.seq),
        depth = (select count(*) from messages as earlier
          where earlier.session_id = messages.session_id and earlier.seq <= messages.seq)
    `.execute(kysely);
    await sql`
      update session_counters set head_seq =
        (select max(messages.seq) from messages where messages.session_id = session_counters.session_id)
    `.execute(kysely);
  },
};
