import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnStatus } from '../content/events.ts';
import { sampleQueueItem } from '../testing/sample-queue.ts';
import { sampleSession, sampleTurn, sampleUserMessage } from '../testing/sample-records.ts';
import { createStoreCases } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';

const NOW = '2026-01-02T00:00:00.000Z';

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

describe.each<DatabaseKind>(['sqlite', 'postgres'])('what waits behind a turn on %s', (kind) => {
  /** Ends a turn behind which one item waits; gives why it is held and what would run. */
  async function endTurn(status: TurnStatus, hasEffects: boolean): Promise<unknown> {
    let held: unknown;
    await cases.withStore(kind, async ({ store }) => {
      await store.sessions.create(sampleSession('ses_1'));
      await store.queue.enqueue(sampleQueueItem('x'));
      await store.queue.enqueue(sampleQueueItem('y'));
      await store.turnRecords.startTurn(
        sampleTurn('turn_x', 'ses_1'),
        sampleUserMessage('msg_x', { turnId: 'turn_x' }),
      );
      if (hasEffects) await store.turnRecords.noteEffects('turn_x');
      await store.turnRecords.endTurn('turn_x', { status, endedAt: NOW });
      held = {
        because: (await store.queue.snapshot('ses_1')).held?.because,
        runs: await store.queue.hasRunnable('ses_1'),
      };
      // A second end of the same turn changes nothing.
      await store.queue.resume('ses_1');
      await store.turnRecords.endTurn('turn_x', { status, endedAt: NOW });
      expect(await store.queue.hasRunnable('ses_1')).toBe(true);
    });
    return held;
  }

  it.each<[TurnStatus, boolean, string | undefined]>([
    ['completed', true, undefined],
    ['failed', false, 'failed'],
    ['stopped', false, 'stopped'],
    ['interrupted', false, undefined],
    ['interrupted', true, 'interrupted'],
  ])('is held with its end when it was %s (effects: %s): %s', async (status, hasEffects, because) => {
    expect(await endTurn(status, hasEffects)).toEqual({ because, runs: because === undefined });
  });
});
