import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAppError } from '../base/app-error.ts';
import { fail, ok } from '../base/result.ts';
import {
  QUEUE_ITEMS,
  QUEUE_SCHEMA,
  QUEUE_TEXT_BYTES,
  type QueueItem,
  type QueueItemState,
} from '../content/queue-item.ts';
import { sampleAttachment, sampleQueueItem } from '../testing/sample-queue.ts';
import { sampleDigest, sampleSession, sampleTurn, sampleUserMessage } from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import { codecOf, type DatabaseKind } from './codec.ts';
import { connect, createDatabase } from './database.ts';
import type { Store } from './open-store.ts';
import { QueueRepository } from './queue-repository.ts';

const NOW = '2026-01-02T00:00:00.000Z';

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

async function enqueue(store: Store, ...names: readonly string[]): Promise<void> {
  for (const name of names) await store.queue.enqueue(sampleQueueItem(name));
}

/** The items in their order, as `a b:blocked`. */
async function list(store: Store): Promise<string> {
  const { items } = await store.queue.snapshot('ses_1');
  return items.map(({ id, state }) => id.slice(5) + (state === 'queued' ? '' : `:${state}`)).join(' ');
}

async function next(store: Store): Promise<string | undefined> {
  return (await store.queue.nextRunnable('ses_1'))?.id.slice(5);
}

async function start(store: Store, name: string): Promise<void> {
  const message = sampleUserMessage(`msg_${name}`, { turnId: `turn_${name}` });
  await store.turnRecords.startTurn(sampleTurn(`turn_${name}`, 'ses_1'), message);
}

function end(store: Store, name: string): Promise<void> {
  return store.turnRecords.endTurn(`turn_${name}`, { status: 'completed', endedAt: NOW });
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('the queue on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () =>
    cases.withStore(kind, async (storeCase) => {
      await storeCase.store.sessions.create(sampleSession('ses_1'));
      await use(storeCase);
    });

  describe('accepting', () => {
    it(
      'answers with a receipt and gives the item back exactly, also U+0000, lone surrogates and both kinds of links',
      given(async ({ store, reopen }) => {
        const added = sampleQueueItem('a', {
          intent: 'steer',
          text: 'a\u0000b \ud800 图 🖼 "\\u0000"',
          imageInputs: [
            { attachment: { ...sampleAttachment('a'), name: 'x\u0000\udfff.png' } },
            { url: 'https://host/a.png' },
            { file: { channel: 'one', id: 'file-1' } },
          ],
          references: [{ kind: 'text', path: 'a.txt', text: '\u0000', sizeBytes: 1, isCut: false }],
          model: 'one/model',
          consent: 'yes-all',
          edits: 'msg_9',
        });
        expect(await store.queue.enqueue(added)).toEqual({
          sessionId: 'ses_1',
          submissionId: 'sub_a',
          itemId: 'item_a',
          turnId: 'turn_a',
          state: 'queued',
          isRepeated: false,
        });
        const item = {
          ...added.submission,
          id: 'item_a',
          sessionId: 'ses_1',
          position: 1,
          state: 'queued',
          turnId: 'turn_a',
          createdAt: added.createdAt,
        };
        const other = await reopen();
        expect(await other.queue.snapshot('ses_1')).toEqual({
          sessionId: 'ses_1',
          access: 'read-write',
          items: [item],
        });
        expect(await other.queue.nextRunnable('ses_1')).toEqual(item);
      }),
    );

    it(
      'gives the same receipt to the same submission and adds nothing, also when its turn is over',
      given(async ({ store, reopen }) => {
        const receipt = await store.queue.enqueue(sampleQueueItem('a'));
        const again = { ...sampleQueueItem('a'), itemId: 'item_other', turnId: 'turn_other' };
        expect(await (await reopen()).queue.enqueue(again)).toEqual({ ...receipt, isRepeated: true });
        expect(await list(store)).toBe('a');
        await start(store, 'a');
        await end(store, 'a');
        const done = { ...receipt, state: 'done', isRepeated: true };
        expect(await store.queue.enqueue(again)).toEqual(done);
        expect(await store.queue.findReceipt('ses_1', { submissionId: 'sub_a', contentDigest: 'digest of a' })).toEqual(
          done,
        );
        expect(await store.queue.receiptOf('ses_1', 'sub_a')).toEqual(done);
        expect(await list(store)).toBe('');
      }),
    );

    it(
      'refuses other content under the id of a submission, and finds nothing under an id that is new',
      given(async ({ store }) => {
        await enqueue(store, 'a');
        const conflict = { code: 'SUBMISSION_CONFLICT', data: { sessionId: 'ses_1', submissionId: 'sub_a' } };
        await expect(
          store.queue.enqueue({ ...sampleQueueItem('a'), itemId: 'item_b', contentDigest: 'other' }),
        ).rejects.toMatchObject(conflict);
        const other = { submissionId: 'sub_a', contentDigest: 'other' };
        await expect(store.queue.findReceipt('ses_1', other)).rejects.toMatchObject(conflict);
        expect(await store.queue.findReceipt('ses_1', { ...other, submissionId: 'sub_b' })).toBeUndefined();
        expect(await store.queue.receiptOf('ses_1', 'sub_b')).toBeUndefined();
        expect(await list(store)).toBe('a');
      }),
    );

    it(
      'makes one item and one receipt of one submission that two bring at once, and keeps positions unique',
      given(async ({ store, reopen }) => {
        const stores = [store, await reopen()];
        const receipts = await Promise.all(
          stores.flatMap(({ queue }, index) =>
            ['a', 'b', 'c'].map((name) =>
              queue.enqueue({
                ...sampleQueueItem(name),
                itemId: `item_${name}${index}`,
                turnId: `turn_${name}${index}`,
              }),
            ),
          ),
        );
        const { items } = await store.queue.snapshot('ses_1');
        expect(items.map(({ position }) => position)).toEqual([1, 2, 3]);
        expect(items.map(({ submissionId }) => submissionId).sort()).toEqual(['sub_a', 'sub_b', 'sub_c']);
        expect(receipts.filter(({ isRepeated }) => !isRepeated)).toHaveLength(3);
        const ids = new Set(receipts.map(({ itemId }) => itemId));
        expect([...ids].sort()).toEqual(items.map(({ id }) => id).sort());
      }),
    );

    it(
      'takes as many items as may wait and refuses the next until one is done',
      given(async ({ store }) => {
        for (let index = 0; index < QUEUE_ITEMS; index += 1) await enqueue(store, String(index));
        const full = { code: 'QUEUE_FULL', data: { limit: 64 } };
        await expect(enqueue(store, 'more')).rejects.toMatchObject(full);
        expect(await store.queue.enqueue(sampleQueueItem('5'))).toMatchObject({ isRepeated: true });
        await start(store, '0');
        await expect(enqueue(store, 'more')).rejects.toMatchObject(full);
        await end(store, '0');
        await enqueue(store, 'more');
        await expect(enqueue(store, 'another')).rejects.toMatchObject(full);
      }),
    );

    it(
      'counts the bytes of a text, not its characters',
      given(async ({ store }) => {
        const longest = `${'图'.repeat((QUEUE_TEXT_BYTES - 1) / 3)}a`;
        expect(Buffer.byteLength(longest)).toBe(QUEUE_TEXT_BYTES);
        await store.queue.enqueue(sampleQueueItem('a', { text: longest }));
        await expect(store.queue.enqueue(sampleQueueItem('b', { text: `${longest}b` }))).rejects.toMatchObject({
          code: 'TEXT_TOO_LONG',
          data: { actual: QUEUE_TEXT_BYTES + 1, limit: QUEUE_TEXT_BYTES },
        });
        expect((await store.queue.snapshot('ses_1')).items.map(({ text }) => text === longest)).toEqual([true]);
      }),
    );

    it(
      'refuses a session that does not exist',
      given(async ({ store }) => {
        const added = { ...sampleQueueItem('a'), sessionId: 'ses_2' };
        await expect(store.queue.enqueue(added)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
        expect(await store.queue.snapshot('ses_2')).toEqual({ sessionId: 'ses_2', access: 'read-write', items: [] });
        expect(await store.queue.nextRunnable('ses_2')).toBeUndefined();
      }),
    );
  });

  describe('running', () => {
    it(
      'gives the items in their order, each once, and leaves rows that do not grow with what was sent',
      given(async ({ store, query }) => {
        await store.queue.enqueue(sampleQueueItem('a', { text: 'x'.repeat(100_000) }));
        await enqueue(store, 'b');
        expect(await next(store)).toBe('a');
        await start(store, 'a');
        expect(await list(store)).toBe('a:running b');
        expect(await store.queue.findItem('ses_1', 'item_a')).toEqual({
          id: 'item_a',
          state: 'running',
          turnId: 'turn_a',
        });
        await end(store, 'a');
        expect(await next(store)).toBe('b');
        expect(await store.queue.findItem('ses_1', 'item_a')).toMatchObject({ state: 'done' });
        expect(await store.queue.findItem('ses_1', 'item_c')).toBeUndefined();
        const [row] = await query("select * from queue_items where id = 'item_a'");
        expect(row).toMatchObject({ body: null, error: null });
        expect(JSON.stringify(row).length).toBeLessThan(500);
      }),
    );

    it(
      'holds what waits, and nothing that is submitted later, until the user goes on',
      given(async ({ store }) => {
        await enqueue(store, 'a', 'b');
        await store.queue.hold('ses_1', 'failed');
        expect(await next(store)).toBeUndefined();
        expect(await store.queue.hasRunnable('ses_1')).toBe(false);
        expect((await store.queue.snapshot('ses_1')).held).toEqual({ because: 'failed', count: 2 });
        await enqueue(store, 'c');
        expect(await next(store)).toBe('c');
        expect((await store.queue.snapshot('ses_1')).held).toEqual({ because: 'failed', count: 2 });
        await store.queue.hold('ses_1', 'stopped');
        expect((await store.queue.snapshot('ses_1')).held).toEqual({ because: 'stopped', count: 3 });
        await store.queue.resume('ses_1');
        expect((await store.queue.snapshot('ses_1')).held).toBeUndefined();
        expect(await next(store)).toBe('a');
      }),
    );

    it(
      'says nothing of a hold behind which nothing waits',
      given(async ({ store }) => {
        await store.queue.hold('ses_1', 'stopped');
        expect(await store.queue.snapshot('ses_1')).toEqual({ sessionId: 'ses_1', access: 'read-write', items: [] });
      }),
    );

    it(
      'blocks an item and holds what is behind it; going on passes it',
      given(async ({ store }) => {
        await enqueue(store, 'a', 'b');
        await store.queue.block('item_a', { code: 'UNKNOWN_MODEL', message: 'no such model' });
        const { items, held } = await store.queue.snapshot('ses_1');
        expect(items[0]).toMatchObject({
          state: 'blocked',
          error: { code: 'UNKNOWN_MODEL', message: 'no such model' },
        });
        expect(held).toEqual({ because: 'blocked', count: 1 });
        expect(await next(store)).toBeUndefined();
        await store.queue.resume('ses_1');
        expect(await next(store)).toBe('b');
        expect(await list(store)).toBe('a:blocked b');
      }),
    );

    it(
      'does not block what was removed a moment before, and holds nothing for it',
      given(async ({ store }) => {
        await enqueue(store, 'a', 'b');
        await store.queue.remove('ses_1', 'item_a');
        await store.queue.block('item_a', { code: 'UNKNOWN_MODEL', message: 'no such model' });
        await store.queue.block('item_unknown', { code: 'UNKNOWN_MODEL', message: 'no such model' });
        expect(await list(store)).toBe('b');
        expect(await next(store)).toBe('b');
      }),
    );

    it(
      'blocks a damaged item when its turn comes, lists it before, and lets the user remove it',
      given(async ({ store, query }) => {
        await enqueue(store, 'a', 'b');
        await query("update queue_items set body = '{}' where id = 'item_a'");
        expect((await store.queue.snapshot('ses_1')).items[0]).toMatchObject({
          id: 'item_a',
          text: '',
          isUnreadable: true,
        });
        expect(await store.queue.hasRunnable('ses_1')).toBe(true);
        expect(await next(store)).toBeUndefined();
        expect((await store.queue.snapshot('ses_1')).items[0]).toMatchObject({
          state: 'blocked',
          error: { code: 'RECORD_INVALID' },
        });
        await store.queue.remove('ses_1', 'item_a');
        await store.queue.resume('ses_1');
        expect(await next(store)).toBe('b');
      }),
    );

    it(
      'makes an item uncertain whose process died in the middle of effects, and lets it run again for a new turn only by hand',
      given(async ({ store, reopen, query }) => {
        await enqueue(store, 'a', 'b');
        const lease = await store.leases.acquire('ses_1', NOW);
        if (!lease.ok) throw new Error('the session is held');
        const leased = store.underLease(lease.value.lease);
        await leased.turnRecords.startTurn(sampleTurn('turn_a', 'ses_1'), sampleUserMessage('msg_a'));
        await leased.turnRecords.noteEffects('turn_a');
        await query('update session_leases set lease_until = 0');
        const other = await reopen();
        expect(await other.leases.acquire('ses_1', NOW)).toMatchObject({ ok: true });
        expect(await list(other)).toBe('a:uncertain b');
        expect((await other.queue.snapshot('ses_1')).held).toEqual({ because: 'interrupted', count: 1 });
        expect(await next(other)).toBeUndefined();
        await other.queue.requeue({ sessionId: 'ses_1', itemId: 'item_a', turnId: 'turn_a2' });
        expect(await other.queue.nextRunnable('ses_1')).toMatchObject({ id: 'item_a', turnId: 'turn_a2' });
        expect(await other.queue.receiptOf('ses_1', 'sub_a')).toMatchObject({ turnId: 'turn_a2', state: 'queued' });
        await expect(leased.queue.hold('ses_1', 'failed')).rejects.toMatchObject({ code: 'LEASE_LOST' });
      }),
    );
  });

  describe('changing', () => {
    it(
      'removes an item that does not run and keeps its receipt, so that it is not submitted again',
      given(async ({ store }) => {
        await enqueue(store, 'a', 'b');
        await start(store, 'a');
        await store.queue.remove('ses_1', 'item_b');
        expect(await list(store)).toBe('a:running');
        expect(await store.queue.findItem('ses_1', 'item_b')).toMatchObject({
          state: 'done',
          error: { code: 'CANCELED' },
        });
        expect(await store.queue.enqueue(sampleQueueItem('b'))).toMatchObject({ state: 'done', isRepeated: true });
        for (const id of ['item_a', 'item_b', 'item_c']) {
          await expect(store.queue.remove('ses_1', id)).rejects.toMatchObject({ code: 'QUEUE_ITEM_NOT_FOUND' });
        }
      }),
    );

    it(
      'does not start the turn of an item that was removed',
      given(async ({ store }) => {
        await enqueue(store, 'a');
        await store.queue.remove('ses_1', 'item_a');
        await expect(start(store, 'a')).rejects.toMatchObject({ code: 'QUEUE_ITEM_NOT_FOUND' });
        expect(await store.turnRecords.loadTranscript('ses_1')).toEqual([]);
      }),
    );

    it.each<[string, string | undefined, string]>([
      ['c', 'a', 'c a b d'],
      ['a', 'd', 'b c a d'],
      ['a', undefined, 'b c d a'],
      ['b', 'c', 'a b c d'],
      ['b', 'b', 'a b c d'],
    ])('moves %s before %s', (moved, before, expected) =>
      given(async ({ store }) => {
        await enqueue(store, 'a', 'b', 'c', 'd');
        const beforeItemId = before === undefined ? undefined : `item_${before}`;
        await store.queue.move({ sessionId: 'ses_1', itemId: `item_${moved}`, beforeItemId });
        expect(await list(store)).toBe(expected);
        const positions = (await store.queue.snapshot('ses_1')).items.map(({ position }) => position);
        expect(positions).toEqual([1, 2, 3, 4]);
        expect(await next(store)).toBe(expected[0]);
      })(),
    );

    it(
      'neither moves what runs nor puts anything before it',
      given(async ({ store }) => {
        await enqueue(store, 'a', 'b', 'c');
        await start(store, 'a');
        for (const [itemId, beforeItemId] of [
          ['item_a', undefined],
          ['item_c', 'item_a'],
          ['item_c', 'item_x'],
          ['item_x', 'item_c'],
        ] as const) {
          const move = store.queue.move({ sessionId: 'ses_1', itemId, beforeItemId });
          await expect(move).rejects.toMatchObject({ code: 'QUEUE_ITEM_NOT_FOUND' });
        }
        await store.queue.move({ sessionId: 'ses_1', itemId: 'item_c', beforeItemId: 'item_b' });
        expect(await list(store)).toBe('a:running c b');
      }),
    );

    it(
      'neither holds nor frees an item by moving it',
      given(async ({ store }) => {
        await enqueue(store, 'a', 'b');
        await store.queue.hold('ses_1', 'stopped');
        await enqueue(store, 'c', 'd');
        await store.queue.move({ sessionId: 'ses_1', itemId: 'item_a', beforeItemId: undefined });
        expect(await list(store)).toBe('b a c d');
        await store.queue.move({ sessionId: 'ses_1', itemId: 'item_d', beforeItemId: 'item_b' });
        expect(await list(store)).toBe('b a d c');
        expect((await store.queue.snapshot('ses_1')).held).toEqual({ because: 'stopped', count: 2 });
        expect(await next(store)).toBe('d');
      }),
    );

    it(
      'lets one held item go on alone, behind everything else, and nothing that is not held',
      given(async ({ store: { queue } }) => {
        for (const name of ['x', 'y']) await queue.enqueue(sampleQueueItem(name));
        await queue.hold('ses_1', 'stopped');
        await queue.enqueue(sampleQueueItem('z'));
        expect(await queue.goOnAlone('ses_1', 'item_z')).toBe(false);
        expect(await queue.goOnAlone('ses_1', 'item_none')).toBe(false);
        expect(await queue.goOnAlone('ses_1', 'item_x')).toBe(true);
        const { items, held } = await queue.overview('ses_1');
        expect(items.map(({ id }) => id)).toEqual(['item_y', 'item_z', 'item_x']);
        expect(held).toEqual({ because: 'stopped', count: 1 });
        expect((await queue.nextRunnable('ses_1'))?.id).toBe('item_z');
      }),
    );

    it(
      'lets an item run again at its place, with what is behind it and without what is held before it',
      given(async ({ store }) => {
        await enqueue(store, 'a', 'b', 'c');
        await store.queue.move({ sessionId: 'ses_1', itemId: 'item_b', beforeItemId: 'item_a' });
        await store.queue.block('item_a', { code: 'UNKNOWN_MODEL', message: 'no such model' });
        const refused = { code: 'QUEUE_ITEM_NOT_FOUND' };
        const again = { sessionId: 'ses_1', turnId: 'turn_new' };
        await expect(store.queue.requeue({ ...again, itemId: 'item_b' })).rejects.toMatchObject(refused);
        await expect(store.queue.requeue({ ...again, itemId: 'item_x' })).rejects.toMatchObject(refused);
        await store.queue.requeue({ ...again, itemId: 'item_a' });
        expect(await list(store)).toBe('b a c');
        const runnable = await store.queue.nextRunnable('ses_1');
        expect(runnable).toMatchObject({ id: 'item_a', turnId: 'turn_new' });
        expect(runnable?.error).toBeUndefined();
        expect((await store.queue.snapshot('ses_1')).held).toEqual({ because: 'blocked', count: 1 });
      }),
    );
  });

  it(
    'keeps every item once and at a place of its own while several processes change the queue at once',
    given(async ({ store, reopen }) => {
      const other = await reopen();
      const names = Array.from({ length: 24 }, (_value, index) => String(index));
      await enqueue(store, 'running', 'blocked');
      await store.queue.block('item_blocked', { code: 'UNKNOWN_MODEL', message: 'no such model' });
      await store.queue.resume('ses_1');
      await start(store, 'running');
      const toMessage = (item: QueueItem) => sampleUserMessage(`msg_${item.id}`);
      const codeOf = (change: Promise<unknown>) =>
        change.then(
          () => 'ok',
          (error: unknown) => toAppError(error).code,
        );
      const codes = await Promise.all(
        names.flatMap((name, index) => {
          const earlier = `item_${names[index - 3] ?? 'blocked'}`;
          return [
            store.queue.enqueue(sampleQueueItem(name, { intent: index % 3 === 0 ? 'steer' : 'follow-up' })),
            other.queue.move({ sessionId: 'ses_1', itemId: earlier, beforeItemId: undefined }),
            store.queue.move({ sessionId: 'ses_1', itemId: 'item_blocked', beforeItemId: earlier }),
            index % 4 === 3 ? other.queue.remove('ses_1', earlier) : undefined,
            other.turnRecords.joinSteering({ id: 'turn_running', sessionId: 'ses_1' }, toMessage),
          ].map((change) => codeOf(Promise.resolve(change)));
        }),
      );
      // What is gone or not there yet cannot be changed; everything else succeeds.
      expect([...new Set(codes)].filter((code) => code !== 'QUEUE_ITEM_NOT_FOUND')).toEqual(['ok']);
      const { items } = await store.queue.snapshot('ses_1');
      expect(new Set(items.map(({ position }) => position)).size).toBe(items.length);
      const fates = await Promise.all(names.map((name) => store.queue.findItem('ses_1', `item_${name}`)));
      const joined = fates.filter((fate) => fate?.joinedTurnId === 'turn_running');
      const removed = fates.filter((fate) => fate?.error?.code === 'CANCELED');
      const waiting = items.filter(({ state }) => state === 'queued');
      expect(joined.length + removed.length + waiting.length).toBe(names.length);
      expect(joined.length).toBeGreaterThan(0);
      expect(await store.turnRecords.loadTranscript('ses_1')).toHaveLength(1 + joined.length);
    }),
  );

  describe('steering', () => {
    const toMessage = (item: QueueItem) => sampleUserMessage(`msg_${item.id}`, { content: item.text });

    it(
      'joins the steer items that wait into the running turn, in their order, and leaves the others',
      given(async ({ store }) => {
        await store.queue.enqueue(sampleQueueItem('held', { intent: 'steer' }));
        await store.queue.hold('ses_1', 'stopped');
        await enqueue(store, 'a', 'b');
        await store.queue.enqueue(sampleQueueItem('s', { intent: 'steer', text: 'left\u0000' }));
        await store.queue.enqueue(sampleQueueItem('e', { intent: 'steer', edits: 'msg_a' }));
        await store.queue.enqueue(sampleQueueItem('t', { intent: 'steer' }));
        await start(store, 'a');
        const joined = await store.turnRecords.joinSteering({ id: 'turn_a', sessionId: 'ses_1' }, toMessage);
        expect(joined.map(({ content }) => content)).toEqual(['left\u0000', 'Message t']);
        expect(await list(store)).toBe('held a:running b e');
        expect(await store.queue.findItem('ses_1', 'item_s')).toEqual({
          id: 'item_s',
          state: 'done',
          turnId: 'turn_s',
          joinedTurnId: 'turn_a',
        });
        expect(await store.turnRecords.joinSteering({ id: 'turn_a', sessionId: 'ses_1' }, toMessage)).toEqual([]);
        expect((await store.turnRecords.loadTranscript('ses_1')).map(({ id }) => id)).toEqual([
          'msg_a',
          'msg_item_s',
          'msg_item_t',
        ]);
      }),
    );

    it(
      'makes a turn of its own of a steer item that none took',
      given(async ({ store }) => {
        await store.queue.enqueue(sampleQueueItem('s', { intent: 'steer' }));
        expect(await next(store)).toBe('s');
      }),
    );
  });

  describe('schemas', () => {
    const codec = codecOf(kind);

    async function insertOld(
      { query }: StoreCase,
      name: string,
      images: readonly string[],
      state: QueueItemState = 'queued',
    ): Promise<void> {
      const position = Number(name.slice(1));
      const body = codec.encodeJson({ id: `item_${name}`, intent: 'follow-up', text: `Old ${name}`, images });
      await query(
        `insert into session_queues (session_id, owner, schema_version, last_position, held_through)
         values ('ses_1', 'local', 2, ${position}, 0)
         on conflict (session_id) do update set last_position = ${position}`,
      );
      await query(
        `insert into queue_items (id, session_id, owner, position, state, intent, submission_id, content_digest,
           schema_version, body, turn_id, created_at)
         values ('item_${name}', 'ses_1', 'local', ${position}, '${state}', 'follow-up', 'item_${name}', '', 2,
           '${body}', '', '${NOW}')`,
      );
    }

    async function withReader(
      { target }: StoreCase,
      supportedSchema: number,
      use: (queue: QueueRepository) => Promise<void>,
    ): Promise<void> {
      const database = createDatabase(await connect(target));
      await use(new QueueRepository(database, 'local', supportedSchema)).finally(() => database.close());
    }

    it(
      'says where items stand without their texts as the whole list does, whatever their schema',
      given(async (storeCase) => {
        const { store } = storeCase;
        await insertOld(storeCase, 'o1', ['https://host/a.png']);
        await store.queue.hold('ses_1', 'stopped');
        await store.queue.enqueue(sampleQueueItem('x', { intent: 'steer' }));
        for (const schema of [QUEUE_SCHEMA, 2]) {
          await withReader(storeCase, schema, async (queue) => {
            const whole = await queue.snapshot('ses_1');
            const items = whole.items.map(({ id, position, state, intent, submissionId, turnId }) => {
              return { id, position, state, intent, submissionId, turnId };
            });
            expect(items).toHaveLength(2);
            expect(await queue.overview('ses_1')).toEqual({ ...whole, items });
          });
        }
        expect(await store.queue.overview('ses_none')).toMatchObject({ items: [] });
      }),
    );

    it(
      'reads items of schema 2 as they are, without changing them',
      given(async (storeCase) => {
        const { store, query } = storeCase;
        await insertOld(storeCase, 'o1', ['data:image/png;base64,AAAA', 'https://host/a.png', 'file-api-abc']);
        const stored = await query('select * from queue_items');
        const { items, access } = await store.queue.snapshot('ses_1');
        expect(access).toBe('read-write');
        expect(items).toEqual([
          {
            id: 'item_o1',
            sessionId: 'ses_1',
            position: 1,
            state: 'queued',
            intent: 'follow-up',
            submissionId: 'sub_item_o1',
            turnId: 'turn_item_o1',
            text: 'Old o1',
            imageInputs: [
              { dataUri: 'data:image/png;base64,AAAA' },
              { url: 'https://host/a.png' },
              { file: { channel: '', id: 'file-api-abc' } },
            ],
            references: [],
            model: 'offline/reader',
            consent: 'none',
            createdAt: NOW,
          },
        ]);
        expect(await query('select * from queue_items')).toEqual(stored);
        await withReader(storeCase, 2, async (older) => {
          expect(await older.snapshot('ses_1')).toEqual(await store.queue.snapshot('ses_1'));
        });
      }),
    );

    it(
      'upgrades them when a writer opens the queue, with their pictures, edges and submissions',
      given(async (storeCase) => {
        const { store, query } = storeCase;
        await insertOld(storeCase, 'o1', ['data:image/png;base64,AAAA', 'https://host/a.png']);
        await insertOld(storeCase, 'o2', []);
        const admitted: string[] = [];
        await store.queue.openForWriting('ses_1', async (dataUri, name) => {
          admitted.push(dataUri);
          return ok({ ...sampleAttachment('a'), name });
        });
        expect(admitted).toEqual(['data:image/png;base64,AAAA']);
        const attachment = { ...sampleAttachment('a'), name: 'image-1' };
        expect(await store.queue.nextRunnable('ses_1')).toMatchObject({
          id: 'item_o1',
          submissionId: 'sub_item_o1',
          turnId: 'turn_item_o1',
          text: 'Old o1',
          imageInputs: [{ attachment }, { url: 'https://host/a.png' }],
        });
        expect(await store.contentGraph.canRead('ses_1', sampleDigest('a'))).toBe(true);
        expect(
          await query('select schema_version from queue_items union select schema_version from session_queues'),
        ).toEqual([{ schema_version: 3 }]);
        expect(JSON.stringify(await query('select body from queue_items'))).not.toContain('base64');
        await store.queue.openForWriting('ses_1', () => Promise.reject(new Error('nothing is left to admit')));
        await withReader(storeCase, 2, async (older) =>
          expect((await older.snapshot('ses_1')).access).toBe('read-only'),
        );
      }),
    );

    it(
      'blocks an item whose picture is not taken when its turn comes, with the reason, and tries again when it was put back',
      given(async (storeCase) => {
        const { store } = storeCase;
        await insertOld(storeCase, 'o1', []);
        await insertOld(storeCase, 'o2', ['data:image/png;base64,AAAA']);
        await insertOld(storeCase, 'o3', []);
        await store.queue.openForWriting('ses_1', async () => fail({ code: 'CORRUPT', message: 'cut off' }));
        expect(await next(store)).toBe('o1');
        await store.queue.remove('ses_1', 'item_o1');
        expect(await next(store)).toBeUndefined();
        expect(await list(store)).toBe('o2:blocked o3');
        expect(await store.queue.findItem('ses_1', 'item_o2')).toMatchObject({
          error: { code: 'CORRUPT', message: 'cut off' },
        });
        await store.queue.requeue({ sessionId: 'ses_1', itemId: 'item_o2', turnId: 'turn_2' });
        await store.queue.openForWriting('ses_1', async () => ok(sampleAttachment('b')));
        expect(await store.queue.nextRunnable('ses_1')).toMatchObject({ id: 'item_o2', turnId: 'turn_2' });
      }),
    );

    it(
      'opens a queue of a newer schema for reading only, held, and changes nothing',
      given(async (storeCase) => {
        const { store, query } = storeCase;
        await store.queue.enqueue(sampleQueueItem('a', { intent: 'steer', imageInputs: [{ url: 'https://host/a' }] }));
        await enqueue(store, 'b');
        const rows = await query('select * from queue_items order by position');
        await withReader(storeCase, 2, async (older) => {
          const { access, held, items } = await older.snapshot('ses_1');
          expect({ access, held }).toEqual({ access: 'read-only', held: { because: 'newer-schema', count: 2 } });
          expect(items[0]).toMatchObject({
            id: 'item_a',
            state: 'queued',
            intent: 'steer',
            text: '',
            isUnreadable: true,
          });
          expect(await older.nextRunnable('ses_1')).toBeUndefined();
          expect(await older.hasRunnable('ses_1')).toBe(false);
          await older.openForWriting('ses_1');
          const itemId = 'item_a';
          for (const change of [
            () => older.enqueue(sampleQueueItem('c')),
            () => older.remove('ses_1', itemId),
            () => older.move({ sessionId: 'ses_1', itemId, beforeItemId: undefined }),
            () => older.requeue({ sessionId: 'ses_1', itemId, turnId: 'turn_x' }),
            () => older.resume('ses_1'),
            () => older.hold('ses_1', 'failed'),
            () => older.block(itemId, { code: 'INTERNAL', message: '' }),
          ]) {
            await expect(change()).rejects.toMatchObject({ code: 'QUEUE_READ_ONLY' });
          }
          expect(await older.receiptOf('ses_1', 'sub_a')).toMatchObject({ itemId: 'item_a', state: 'queued' });
        });
        expect(await query('select * from queue_items order by position')).toEqual(rows);
      }),
    );

    it(
      'does the same where only one item, or only the queue, is newer, and knows no state that is',
      given(async ({ store, query }) => {
        await enqueue(store, 'a', 'b');
        await query("update queue_items set schema_version = 4, state = 'dreaming', body = '[]' where id = 'item_b'");
        expect(await store.queue.snapshot('ses_1')).toMatchObject({
          access: 'read-only',
          items: [{ text: 'Message a' }, { id: 'item_b', state: 'blocked', isUnreadable: true }],
        });
        expect(await store.queue.nextRunnable('ses_1')).toBeUndefined();
        await start(store, 'a');
        const joined = store.turnRecords.joinSteering({ id: 'turn_a', sessionId: 'ses_1' }, () =>
          sampleUserMessage('msg_s'),
        );
        expect(await joined).toEqual([]);
        await query("delete from queue_items where id = 'item_b'");
        await query('update session_queues set schema_version = 4');
        expect(await store.queue.snapshot('ses_1')).toMatchObject({ access: 'read-only' });
        await expect(enqueue(store, 'c')).rejects.toMatchObject({ code: 'QUEUE_READ_ONLY' });
        await query('update session_queues set schema_version = 3');
      }),
    );
  });
});
