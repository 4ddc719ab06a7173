import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageInput } from '../content/image-input.ts';
import { sampleAttachment, sampleQueueItem } from '../testing/sample-queue.ts';
import { sampleDigest, sampleSession, sampleTurn, sampleUserMessage } from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';

const NOW = '2026-01-02T00:00:00.000Z';

const pictures: ImageInput[] = [
  { attachment: sampleAttachment('a') },
  { url: 'https://host/a.png' },
  { attachment: sampleAttachment('b') },
  { attachment: sampleAttachment('a') },
];

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

/** The edges as `kind source digest's digit`. */
async function edges({ query }: StoreCase): Promise<readonly string[]> {
  const rows = await query('select kind, source_id, digest from content_edges order by kind, source_id, digest');
  return rows.map(({ kind, source_id, digest }) => `${kind} ${source_id} ${String(digest).at(-1)}`);
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('the queue and the content graph on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () =>
    cases.withStore(kind, async (storeCase) => {
      await storeCase.store.sessions.create(sampleSession('ses_1'));
      await storeCase.store.queue.enqueue(sampleQueueItem('x', { imageInputs: pictures }));
      await use(storeCase);
    });

  it(
    'holds the pictures of an item that waits, and lets the session read them',
    given(async (storeCase) => {
      expect(await edges(storeCase)).toEqual(['queue-item item_x a', 'queue-item item_x b']);
      expect(await storeCase.store.contentGraph.canRead('ses_1', sampleDigest('b'))).toBe(true);
    }),
  );

  it(
    'holds them once for the message alone when its turn is over',
    given(async (storeCase) => {
      const { turnRecords } = storeCase.store;
      const message = sampleUserMessage('msg_x', { turnId: 'turn_x', imageInputs: pictures });
      await turnRecords.startTurn(sampleTurn('turn_x', 'ses_1'), message);
      expect(await edges(storeCase)).toEqual([
        'message msg_x a',
        'message msg_x b',
        'queue-item item_x a',
        'queue-item item_x b',
      ]);
      await turnRecords.endTurn('turn_x', { status: 'completed', endedAt: NOW });
      expect(await edges(storeCase)).toEqual(['message msg_x a', 'message msg_x b']);
    }),
  );

  it(
    'holds nothing any more when the item is removed, and what other items hold stays',
    given(async (storeCase) => {
      const { queue } = storeCase.store;
      await queue.enqueue(sampleQueueItem('y', { imageInputs: [{ attachment: sampleAttachment('a') }] }));
      await queue.remove('ses_1', 'item_x');
      expect(await edges(storeCase)).toEqual(['queue-item item_y a']);
      await queue.remove('ses_1', 'item_y');
      expect(await edges(storeCase)).toEqual([]);
    }),
  );

  it(
    'holds them for the message when the item joined a running turn',
    given(async (storeCase) => {
      const { queue, turnRecords } = storeCase.store;
      await queue.enqueue(sampleQueueItem('s', { intent: 'steer', imageInputs: pictures.slice(2, 3) }));
      await turnRecords.startTurn(sampleTurn('turn_x', 'ses_1'), sampleUserMessage('msg_x', { turnId: 'turn_x' }));
      await turnRecords.joinSteering({ id: 'turn_x', sessionId: 'ses_1' }, ({ imageInputs }) =>
        sampleUserMessage('msg_s', { turnId: 'turn_x', imageInputs: [...imageInputs] }),
      );
      await turnRecords.endTurn('turn_x', { status: 'completed', endedAt: NOW });
      expect(await edges(storeCase)).toEqual(['message msg_s b']);
    }),
  );

  it(
    'adds no edge for a submission that is repeated or refused',
    given(async (storeCase) => {
      const { queue } = storeCase.store;
      const other = { ...sampleQueueItem('x', { imageInputs: pictures }), itemId: 'item_other' };
      await queue.enqueue(other);
      await expect(queue.enqueue({ ...other, contentDigest: 'other' })).rejects.toMatchObject({
        code: 'SUBMISSION_CONFLICT',
      });
      expect(await edges(storeCase)).toEqual(['queue-item item_x a', 'queue-item item_x b']);
    }),
  );
});
