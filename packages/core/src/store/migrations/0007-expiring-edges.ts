import type { Migration } from './migration.ts';

/** Drafts and unsent uploads hold their pictures for a time and not for ever. */
export const expiringEdges: Migration = {
  number: 7,
  revision: 3,
  minReader: 3,
  minWriter: 3,
  async run(kysely) {
    await kysely.schema.alterTable('content_edges').addColumn('expires_at', 'text').execute();
  },
};
