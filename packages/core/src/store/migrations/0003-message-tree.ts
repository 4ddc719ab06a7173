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
    await schema.createIndex('messages_by_parent').on('messages').columns(['session_id', 'parent_seq']).execute();
    await sql`
      update messages set parent_seq = ordered.parent_seq, depth = ordered.depth
      from (
        select session_id, seq,
          lag(seq) over (partition by session_id order by seq) as parent_seq,
          row_number() over (partition by session_id order by seq) as depth
        from messages
      ) as ordered
      where messages.session_id = ordered.session_id and messages.seq = ordered.seq
    `.execute(kysely);
    await sql`
      update session_counters set head_seq =
        (select max(messages.seq) from messages where messages.session_id = session_counters.session_id)
    `.execute(kysely);
  },
};
