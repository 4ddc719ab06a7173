import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import { sampleSession } from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

function digest(number: number): Digest {
  return `sha256:${String(number).padStart(64, '0')}`;
}

function image(number: number) {
  return { originalDigest: digest(number), digest: digest(100_000 + number) };
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('plans on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () =>
    cases.withStore(kind, async (opened) => {
      await opened.store.sessions.create(sampleSession('ses_1'));
      await use(opened);
    });

  /** Stores a plan, and gives how many of its rows were there before and how many were written. */
  async function save({ store, query }: StoreCase, numbers: readonly number[]) {
    const plan = { sessionId: 'ses_1', endpointId: 'endpoint', images: numbers.map(image) };
    // A row that is written anew loses the mark.
    await query("update plan_images set owner = 'as it was'");
    await store.turnRecords.savePlan(plan);
    expect(await store.turnRecords.loadPlan('ses_1', 'endpoint')).toEqual(plan);
    const [counts] = await query(`select
      coalesce(sum(case when owner = 'as it was' then 1 else 0 end), 0) as kept,
      coalesce(sum(case when owner = 'local' then 1 else 0 end), 0) as written
      from plan_images`);
    return counts;
  }

  it(
    'write the picture that is new, and those behind one that changed',
    given(async (opened) => {
      expect(await save(opened, [])).toEqual({ kept: 0, written: 0 });
      expect(await save(opened, [1, 2, 3])).toEqual({ kept: 0, written: 3 });
      expect(await save(opened, [1, 2, 3, 4])).toEqual({ kept: 3, written: 1 });
      expect(await save(opened, [1, 2, 3, 4])).toEqual({ kept: 4, written: 0 });
      expect(await save(opened, [1, 2, 9, 4])).toEqual({ kept: 2, written: 2 });
      expect(await save(opened, [1, 2])).toEqual({ kept: 2, written: 0 });
      expect(await save(opened, [7, 2])).toEqual({ kept: 0, written: 2 });
      expect(await save(opened, [])).toEqual({ kept: 0, written: 0 });
    }),
  );

  it(
    'hold more pictures than one statement can write, in their order',
    given(async (opened) => {
      const numbers = Array.from({ length: 1201 }, (_unused, index) => 1201 - index);
      expect(await save(opened, numbers)).toEqual({ kept: 0, written: 1201 });
      expect(await save(opened, [...numbers, 2000])).toEqual({ kept: 1201, written: 1 });
    }),
  );

  it(
    'reach what is shown for a picture from each original that it is shown for',
    given(async ({ store, query }) => {
      const shared = [1, 2].map((number) => ({ originalDigest: digest(number), digest: digest(9) }));
      for (const images of [shared.slice(0, 1), shared]) {
        await store.turnRecords.savePlan({ sessionId: 'ses_1', endpointId: 'endpoint', images });
      }
      expect(await query('select source_id from content_edges order by source_id')).toEqual([
        { source_id: digest(1) },
        { source_id: digest(2) },
      ]);
    }),
  );

  it(
    'may name one picture twice, and reach the bytes of each',
    given(async (opened) => {
      const { store } = opened;
      expect(await save(opened, [1, 1, 2])).toEqual({ kept: 0, written: 3 });
      for (const number of [1, 2]) {
        expect(await store.contentGraph.canRead('ses_1', image(number).digest)).toBe(true);
      }
    }),
  );
});
