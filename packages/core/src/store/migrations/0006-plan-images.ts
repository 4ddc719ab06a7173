import { sql } from 'kysely';
import { isRecord } from '../../base/parse-json.ts';
import type { Migration } from './migration.ts';

/** A plan's pictures become rows of their own: a list of all was written again with each new one. */
export const planImages: Migration = {
  number: 6,
  revision: 3,
  minReader: 3,
  minWriter: 3,
  async run(kysely, { codec }) {
    const { schema } = kysely;
    await schema
      .createTable('plan_images')
      .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('endpoint_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('original_digest', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('plan_images_key', ['session_id', 'endpoint_id', 'position'])
      .execute();
    const plans = await sql<Record<'session_id' | 'endpoint_id' | 'owner' | 'images', string>>`
      select session_id, endpoint_id, owner, images from plans
    `.execute(kysely);
    for (const plan of plans.rows) {
      const decoded = codec.decodeJson(plan.images);
      const images: readonly unknown[] = decoded.ok && Array.isArray(decoded.value) ? decoded.value : [];
      for (const [position, image] of images.entries()) {
        if (!isRecord(image)) continue;
        await sql`
          insert into plan_images (session_id, endpoint_id, position, owner, original_digest, digest)
          values (${plan.session_id}, ${plan.endpoint_id}, ${position}, ${plan.owner},
            ${String(image['originalDigest'])}, ${String(image['digest'])})
        `.execute(kysely);
      }
    }
    await schema.alterTable('plans').dropColumn('images').execute();
  },
};
