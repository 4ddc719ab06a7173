import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserMessage } from '../content/messages.ts';
import {
  sampleAssistantMessage,
  sampleDigest,
  sampleSession,
  sampleToolMessage,
  sampleTurn,
  sampleUserMessage,
  sampleVariant,
} from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';
import { connect } from './database.ts';
import { migrate } from './migrate.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { openStore } from './open-store.ts';

const original = sampleDigest('a');
const other = sampleDigest('b');
const variant = sampleDigest('c');

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

describe.each<DatabaseKind>(['sqlite', 'postgres'])('records on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () => cases.withStore(kind, use);

  describe('sessions', () => {
    it(
      'gives a session back exactly, with the members of tool schemas in their order',
      given(async ({ store, reopen }) => {
        const session = sampleSession('ses_1', { title: '对话 "1" \\ 🖼' });
        await store.sessions.create(session);
        const loaded = await (await reopen()).sessions.get('ses_1');
        expect(loaded).toEqual(session);
        expect(JSON.stringify(loaded?.promptHead)).toBe(JSON.stringify(session.promptHead));
        expect(await store.sessions.get('ses_2')).toBeUndefined();
      }),
    );

    it(
      'refuses a second session with the same id and keeps the first',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1', { title: 'first' }));
        await expect(store.sessions.create(sampleSession('ses_1', { title: 'second' }))).rejects.toMatchObject({
          code: 'STORE_UNAVAILABLE',
        });
        expect((await store.sessions.get('ses_1'))?.title).toBe('first');
      }),
    );

    it(
      'finds a session by its id or an unambiguous beginning, without wildcards',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_01AB'));
        await store.sessions.create(sampleSession('ses_01AC'));
        await store.sessions.create(sampleSession('ses_01ABX'));
        const find = async (prefix: string) => {
          const found = await store.sessions.findByPrefix(prefix);
          return found.ok ? found.value?.id : found.error;
        };
        expect(await find('ses_01AC')).toBe('ses_01AC');
        expect(await find('ses_01AB')).toBe('ses_01AB');
        expect(await find('ses_01ABX')).toBe('ses_01ABX');
        expect(await find('ses_01')).toEqual(['ses_01AC', 'ses_01ABX', 'ses_01AB']);
        expect(await find('ses%')).toBeUndefined();
        expect(await find('ses_01_C')).toBeUndefined();
        expect(await find('')).toBeUndefined();
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_01AB'), sampleUserMessage('msg_1'));
        expect(await find('ses_01')).toBe('ses_01AB');
        expect(await find('ses_01AC')).toBe('ses_01AC');
      }),
    );

    it(
      'lists the sessions used last first, with their message counts',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1', { workspace: '/one' }));
        await store.sessions.create(sampleSession('ses_2', { workspace: '/two' }));
        await store.sessions.create(sampleSession('ses_3', { workspace: '/two' }));
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_2'), sampleUserMessage('msg_1'));
        await store.turnRecords.appendMessages('ses_2', [sampleAssistantMessage('msg_2')]);
        await store.turnRecords.startTurn(sampleTurn('turn_2', 'ses_3'), sampleUserMessage('msg_3'));
        await store.sessions.update('ses_2', { updatedAt: '2026-01-02T00:00:00.000Z' });
        await store.sessions.update('ses_3', { updatedAt: '2026-01-01T00:00:00.000Z' });
        const listed = await store.sessions.list(2);
        expect(listed.map((session) => [session.id, session.messageCount])).toEqual([
          ['ses_2', 2],
          ['ses_3', 1],
        ]);
        expect(await store.sessions.list(1)).toEqual(listed.slice(0, 1));
        expect(listed[0]).toEqual({
          id: 'ses_2',
          title: 'A dialog',
          workspace: '/two',
          model: 'offline/reader',
          messageCount: 2,
          updatedAt: '2026-01-02T00:00:00.000Z',
        });
        expect((await store.sessions.latest())?.id).toBe('ses_2');
        expect((await store.sessions.latest('/one'))?.id).toBe('ses_1');
        expect(await store.sessions.latest('/three')).toBeUndefined();
      }),
    );

    it(
      'goes on with a session that has messages before one without, and lists no other',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1', { workspace: '/one' }));
        await store.sessions.create(sampleSession('ses_2', { workspace: '/one' }));
        await store.sessions.create(sampleSession('ses_3', { workspace: '/two' }));
        expect((await store.sessions.latest('/one'))?.id).toBe('ses_2');
        expect(await store.sessions.list(10)).toEqual([]);
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
        for (const id of ['ses_2', 'ses_3']) {
          await store.sessions.update(id, { updatedAt: '2027-01-01T00:00:00.000Z' });
        }
        expect((await store.sessions.latest('/one'))?.id).toBe('ses_1');
        expect((await store.sessions.latest('/two'))?.id).toBe('ses_3');
        expect((await store.sessions.latest())?.id).toBe('ses_1');
        expect((await store.sessions.list(10)).map((session) => session.id)).toEqual(['ses_1']);
        expect((await store.sessions.get('ses_3'))?.id).toBe('ses_3');
      }),
    );

    it(
      'changes only what is given',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.sessions.update('ses_1', { title: 'new', updatedAt: '2026-03-01T00:00:00.000Z' });
        await store.sessions.update('ses_1', {});
        expect(await store.sessions.get('ses_1')).toEqual(
          sampleSession('ses_1', { title: 'new', updatedAt: '2026-03-01T00:00:00.000Z' }),
        );
        await expect(store.sessions.update('ses_2', { title: 'new' })).rejects.toMatchObject({
          code: 'SESSION_NOT_FOUND',
        });
      }),
    );

    it(
      'keeps a title with a NUL readable',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1', { title: 'a\u0000b' }));
        expect((await store.sessions.get('ses_1'))?.title).toBe('a\ufffdb');
      }),
    );

    it(
      'refuses a session of a newer revision and still lists it',
      given(async ({ store, query, expectDamage }) => {
        expectDamage('a newer build wrote the session');
        await store.sessions.create(sampleSession('ses_1'));
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
        await query("update sessions set storage_revision = 4 where id = 'ses_1'");
        await expect(store.sessions.get('ses_1')).rejects.toMatchObject({ code: 'UNSUPPORTED_REVISION' });
        expect(await store.sessions.list(10)).toHaveLength(1);
      }),
    );

    it(
      'does not show the sessions of another owner',
      given(async ({ store, query }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
        await query("update sessions set owner = 'somebody' where id = 'ses_1'");
        expect(await store.sessions.get('ses_1')).toBeUndefined();
        expect(await store.sessions.findByPrefix('ses_')).toEqual({ ok: true, value: undefined });
        expect(await store.sessions.latest()).toBeUndefined();
        expect(await store.sessions.list(10)).toEqual([]);
      }),
    );
  });

  describe('messages', () => {
    it(
      'come back after a reload exactly as they were stored, in order',
      given(async ({ store, reopen }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const first = sampleUserMessage('msg_1', {
          content: ' \u0000 lone \ud800 pair 🖼 "quoted" \\u0000 \r\n\t 中文 ',
          imageInputs: [
            {
              attachment: {
                digest: original,
                mediaType: 'image/png',
                sizeBytes: 123,
                widthPx: 10,
                heightPx: 20,
                name: 'b.png',
              },
            },
            { url: 'https://host.test/a.png' },
            { file: { channel: 'openai', id: 'file-abc' } },
          ],
        });
        const rest = [
          sampleAssistantMessage('msg_2'),
          sampleToolMessage('msg_3', other, { content: '{"$text":1}' }),
          sampleAssistantMessage('msg_4', { parts: [], status: 'interrupted' }),
        ];
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), first);
        await store.turnRecords.appendMessages('ses_1', rest);
        await store.turnRecords.appendMessages('ses_1', []);
        const transcript = await (await reopen()).turnRecords.loadTranscript('ses_1');
        expect(transcript).toEqual([first, ...rest]);
        expect(await store.turnRecords.loadTranscript('ses_2')).toEqual([]);
      }),
    );

    it(
      'are stored with revision 3, by reference and without base64',
      given(async ({ store, query }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), userMessageWithPicture('msg_1'));
        await store.turnRecords.appendMessages('ses_1', [sampleToolMessage('msg_2', other)]);
        const rows = await query('select * from messages order by seq');
        expect(rows.map((row) => [Number(row['seq']), row['revision']])).toEqual([
          [1, 3],
          [2, 3],
        ]);
        const text = JSON.stringify(rows);
        expect(text).toContain(original);
        expect(text).toContain(other);
        expect(text).not.toMatch(/data:|base64|[A-Za-z0-9+/]{100}/);
      }),
    );

    it(
      'are all refused when one of them cannot be stored, with their edges and numbers',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
        await expect(
          store.turnRecords.appendMessages('ses_1', [sampleToolMessage('msg_2', other), sampleUserMessage('msg_1')]),
        ).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        await expect(
          store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), userMessageWithPicture('msg_3')),
        ).rejects.toMatchObject({ code: 'SESSION_BUSY' });
        await store.turnRecords.endTurn('turn_1', { status: 'completed', endedAt: '2026-01-02T00:02:00.000Z' });
        await expect(
          store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), userMessageWithPicture('msg_3')),
        ).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        expect(await store.turnRecords.loadTranscript('ses_1')).toEqual([sampleUserMessage('msg_1')]);
        expect(await store.contentGraph.canRead('ses_1', other)).toBe(false);
        expect(await store.contentGraph.canRead('ses_1', original)).toBe(false);
        expect((await store.sessions.list(1))[0]?.messageCount).toBe(1);
        await store.turnRecords.appendMessages('ses_1', [sampleToolMessage('msg_2', other)]);
        expect(await store.turnRecords.loadTranscript('ses_1')).toHaveLength(2);
      }),
    );

    it(
      'are refused for a session that does not exist',
      given(async ({ store }) => {
        const notFound = { code: 'SESSION_NOT_FOUND' };
        const { turnRecords } = store;
        await expect(turnRecords.appendMessages('ses_9', [sampleUserMessage('msg_1')])).rejects.toMatchObject(notFound);
        await expect(
          turnRecords.startTurn(sampleTurn('turn_1', 'ses_9'), sampleUserMessage('msg_1')),
        ).rejects.toMatchObject(notFound);
        await expect(turnRecords.takeRequestNumber('ses_9')).rejects.toMatchObject(notFound);
        await expect(turnRecords.saveVariant('ses_9', sampleVariant(original, variant))).rejects.toMatchObject(
          notFound,
        );
        await expect(turnRecords.savePlan({ sessionId: 'ses_9', endpointId: 'e', images: [] })).rejects.toMatchObject(
          notFound,
        );
      }),
    );

    it(
      'that are not valid are named by row and never quoted',
      given(async ({ store, query, expectDamage }) => {
        expectDamage('its rows are not valid');
        await store.sessions.create(sampleSession('ses_1'));
        await store.turnRecords.startTurn(
          sampleTurn('turn_1', 'ses_1'),
          sampleUserMessage('msg_1', { content: 'my password' }),
        );
        await query(`update messages set body = '{"role":"user","content":"my password"}'`);
        const failure = await store.turnRecords.loadTranscript('ses_1').catch((error: unknown) => error);
        expect(failure).toMatchObject({ code: 'RECORD_INVALID', data: { table: 'messages', id: 'ses_1/1' } });
        expect(JSON.stringify(failure)).not.toContain('password');
        if (kind === 'sqlite') {
          await query(`update messages set body = '{"my password'`);
          await expect(store.turnRecords.loadTranscript('ses_1')).rejects.toMatchObject({ code: 'RECORD_INVALID' });
        }
        await query('update messages set revision = 4');
        await expect(store.turnRecords.loadTranscript('ses_1')).rejects.toMatchObject({ code: 'UNSUPPORTED_REVISION' });
      }),
    );

    it(
      'of many writers at once are all kept, with a number each',
      given(async ({ store, reopen, query }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const writers = [store, await reopen(), await reopen()];
        await Promise.all(
          writers.flatMap((writer, index) =>
            Array.from({ length: 20 }, (_unused, step) =>
              writer.turnRecords.appendMessages('ses_1', [
                sampleUserMessage(`msg_${index}_${step}_a`),
                sampleToolMessage(`msg_${index}_${step}_b`, other),
              ]),
            ),
          ),
        );
        const ids = (await store.turnRecords.loadTranscript('ses_1')).map((message) => message.id);
        expect(ids).toHaveLength(120);
        const pairs = ids.filter((_id, place) => place % 2 === 0).map((id) => id.slice(0, -1));
        expect(ids.filter((_id, place) => place % 2 === 1)).toEqual(pairs.map((id) => `${id}b`));
        expect(new Set(ids).size).toBe(120);
        const [row] = await query('select min(seq) as low, max(seq) as high, count(*) as total from messages');
        expect(row).toEqual({ low: 1, high: 120, total: 120 });
      }),
    );
  });

  describe('turns', () => {
    it(
      'end once, with their error',
      given(async ({ store, query }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
        const end = {
          status: 'failed',
          endedAt: '2026-01-02T00:01:00.000Z',
          error: { code: 'STREAM_CUT', message: 'cut \u0000 off' },
        } as const;
        await store.turnRecords.endTurn('turn_1', end);
        await store.turnRecords.endTurn('turn_1', { status: 'completed', endedAt: '2026-01-02T00:02:00.000Z' });
        const [row] = await query('select status, ended_at from turns');
        expect(row).toEqual({ status: 'failed', ended_at: '2026-01-02T00:01:00.000Z' });
        await expect(store.turnRecords.endTurn('turn_9', end)).rejects.toMatchObject({ code: 'INTERNAL' });
      }),
    );

    it(
      'whose lease is over are interrupted, those of a held one are not, and nothing is rewritten',
      given(async ({ store, query, reopen }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const acquired = await store.leases.acquire('ses_1', '2026-01-02T00:00:00.000Z');
        const lease = acquired.ok ? acquired.value.lease : expect.fail('the session is not free');
        const { turnRecords } = store.underLease(lease);
        await turnRecords.startTurn(sampleTurn('turn_2', 'ses_1'), sampleUserMessage('msg_2'));
        await turnRecords.endTurn('turn_2', { status: 'completed', endedAt: '2026-01-02T00:02:00.000Z' });
        await turnRecords.startTurn(sampleTurn('turn_3', 'ses_1'), sampleUserMessage('msg_3'));
        await turnRecords.endTurn('turn_3', { status: 'interrupted', endedAt: '2026-01-02T00:03:00.000Z' });
        await turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
        const second = await reopen();
        const ids = async () => (await second.turnRecords.interruptedTurns('ses_1')).map((turn) => turn.id);
        expect(await ids()).toEqual(['turn_3']);
        await store.leases.release(lease);
        const before = await query('select * from turns order by id');
        const interrupted = await second.turnRecords.interruptedTurns('ses_1');
        expect(interrupted[0]).toEqual({ ...sampleTurn('turn_1', 'ses_1'), status: 'interrupted' });
        expect(await ids()).toEqual(['turn_1', 'turn_3']);
        expect(await query('select * from turns order by id')).toEqual(before);
      }),
    );

    it(
      'of one session are refused while another one runs, and change nothing',
      given(async ({ store, reopen }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.sessions.create(sampleSession('ses_2'));
        const second = (await reopen()).turnRecords;
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
        const busy = second.startTurn(sampleTurn('turn_2', 'ses_1'), userMessageWithPicture('msg_2'));
        await expect(busy).rejects.toMatchObject({
          code: 'SESSION_BUSY',
          data: { sessionId: 'ses_1', turnId: 'turn_1' },
        });
        expect(await second.loadTranscript('ses_1')).toEqual([sampleUserMessage('msg_1')]);
        expect(await store.contentGraph.canRead('ses_1', original)).toBe(false);
        await second.startTurn(sampleTurn('turn_3', 'ses_2'), sampleUserMessage('msg_3'));
        await store.turnRecords.endTurn('turn_1', { status: 'completed', endedAt: '2026-01-02T00:02:00.000Z' });
        await second.startTurn(sampleTurn('turn_4', 'ses_1'), sampleUserMessage('msg_4'));
      }),
    );

    it(
      'of one session that are started at once: only one is taken',
      given(async ({ store, reopen }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const stores = [store, await reopen(), await reopen()];
        const outcomes = await Promise.allSettled(
          stores.map(({ turnRecords }, index) =>
            turnRecords.startTurn(sampleTurn(`turn_${index}`, 'ses_1'), sampleUserMessage(`msg_${index}`)),
          ),
        );
        expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
        expect(await store.turnRecords.loadTranscript('ses_1')).toHaveLength(1);
      }),
    );

    it(
      'take request numbers that nobody else gets',
      given(async ({ store, reopen }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.sessions.create(sampleSession('ses_2'));
        const second = await reopen();
        const taken = await Promise.all(
          Array.from({ length: 40 }, (_unused, index) =>
            (index % 2 === 0 ? store : second).turnRecords.takeRequestNumber('ses_1'),
          ),
        );
        expect([...taken].sort((left, right) => left - right)).toEqual(Array.from({ length: 40 }, (_u, i) => i + 1));
        expect(await store.turnRecords.takeRequestNumber('ses_2')).toBe(1);
      }),
    );
  });

  describe('variants and plans', () => {
    it(
      'keeps the first record of a variant key',
      given(async ({ store, reopen }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const record = sampleVariant(original, variant);
        expect(await store.turnRecords.findVariant(original, record.variantKey)).toBeUndefined();
        await store.turnRecords.saveVariant('ses_1', record);
        await store.turnRecords.saveVariant('ses_1', { ...record, digest: other, sizeBytes: 1 });
        await store.turnRecords.saveVariant('ses_1', { ...record, variantKey: 'v2/default', sizeBytes: 2 ** 40 });
        const second = await reopen();
        expect(await second.turnRecords.findVariant(original, record.variantKey)).toEqual(record);
        expect((await second.turnRecords.findVariant(original, 'v2/default'))?.sizeBytes).toBe(2 ** 40);
        expect(await second.turnRecords.findVariant(other, record.variantKey)).toBeUndefined();
      }),
    );

    it(
      'replaces the plan of a session and endpoint',
      given(async ({ store, reopen }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const plan = {
          sessionId: 'ses_1',
          endpointId: 'endpoint',
          images: [{ originalDigest: original, digest: variant }],
        };
        expect(await store.turnRecords.loadPlan('ses_1', 'endpoint')).toBeUndefined();
        await store.turnRecords.savePlan({ ...plan, images: [] });
        await store.turnRecords.savePlan(plan);
        expect(await (await reopen()).turnRecords.loadPlan('ses_1', 'endpoint')).toEqual(plan);
        expect(await store.turnRecords.loadPlan('ses_1', 'elsewhere')).toBeUndefined();
      }),
    );
  });

  describe('the content graph', () => {
    it(
      'lets a session read the pictures of its messages, its variants and its plans, and nothing else',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.sessions.create(sampleSession('ses_2'));
        const canRead = (sessionId: string) =>
          Promise.all([original, other, variant].map((digest) => store.contentGraph.canRead(sessionId, digest)));
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), userMessageWithPicture('msg_1'));
        expect(await canRead('ses_1')).toEqual([true, false, false]);
        await store.turnRecords.appendMessages('ses_1', [sampleToolMessage('msg_2', other)]);
        await store.turnRecords.saveVariant('ses_1', sampleVariant(original, variant));
        expect(await canRead('ses_1')).toEqual([true, true, true]);
        expect(await canRead('ses_2')).toEqual([false, false, false]);
        await store.turnRecords.savePlan({
          sessionId: 'ses_2',
          endpointId: 'endpoint',
          images: [{ originalDigest: original, digest: variant }],
        });
        expect(await canRead('ses_2')).toEqual([false, false, true]);
      }),
    );

    it(
      'asks for the session of the right owner',
      given(async ({ store, query }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), userMessageWithPicture('msg_1'));
        await query("update content_edges set owner = 'somebody'");
        expect(await store.contentGraph.canRead('ses_1', original)).toBe(false);
        expect(await store.contentGraph.resolveReference('ses_1', 'a'.repeat(12))).toEqual({ kind: 'none' });
      }),
    );

    it(
      'resolves a reference of at least twelve digits inside the session',
      given(async ({ store, expectDamage }) => {
        expectDamage('no bytes have the digests');
        await store.sessions.create(sampleSession('ses_1'));
        await store.sessions.create(sampleSession('ses_2'));
        const alike = `sha256:${'a'.repeat(20)}${'0'.repeat(44)}` as const;
        await store.turnRecords.appendMessages('ses_1', [
          sampleToolMessage('msg_1', original),
          sampleToolMessage('msg_2', original),
          sampleToolMessage('msg_3', other),
        ]);
        await store.turnRecords.saveVariant('ses_1', sampleVariant(original, variant));
        const resolve = (prefix: string) => store.contentGraph.resolveReference('ses_1', prefix);
        expect(await resolve('a'.repeat(12))).toEqual({ kind: 'found', digest: original });
        expect(await resolve('b'.repeat(64))).toEqual({ kind: 'found', digest: other });
        expect(await resolve('a'.repeat(11))).toEqual({ kind: 'none' });
        expect(await resolve('c'.repeat(12))).toEqual({ kind: 'none' });
        expect(await resolve('A'.repeat(12))).toEqual({ kind: 'none' });
        expect(await resolve('%'.repeat(12))).toEqual({ kind: 'none' });
        expect(await store.contentGraph.resolveReference('ses_2', 'a'.repeat(12))).toEqual({ kind: 'none' });
        await store.turnRecords.appendMessages('ses_1', [sampleToolMessage('msg_4', alike)]);
        expect(await resolve('a'.repeat(12))).toEqual({ kind: 'ambiguous', candidates: [alike, original] });
        expect(await resolve('a'.repeat(21))).toEqual({ kind: 'found', digest: original });
      }),
    );
  });

  describe('the revision of the store', () => {
    it(
      'is 3, and opening again changes no row',
      given(async ({ query, reopen }) => {
        const meta = await query('select * from meta');
        expect(meta).toEqual([{ id: 1, min_reader: 3, min_writer: 3, revision: 3, migration: 7 }]);
        await reopen();
        expect(await query('select * from meta')).toEqual(meta);
      }),
    );

    it.each(['min_reader', 'min_writer', 'migration'])('that is too new in %s refuses the store', async (column) =>
      cases.withStore(kind, async ({ home, target, query, expectDamage }) => {
        expectDamage('a newer build wrote the store');
        await query(`update meta set ${column} = 4000`);
        await expect(openStore({ home, database: target })).rejects.toMatchObject({ code: 'UNSUPPORTED_REVISION' });
      }),
    );

    it(
      'refuses a build with a lower supported revision before any table is made',
      given(async ({ target }) => {
        const connection = await connect(target);
        await expect(migrate(connection, { revision: 2, migrations: [firstTables] })).rejects.toMatchObject({
          code: 'UNSUPPORTED_REVISION',
        });
        await connection.close();
      }),
    );

    it('is made once when several open a new store at once', async () => {
      const { home, target: database } = await cases.newPlace(kind);
      const stores = await Promise.all([1, 2, 3].map(() => openStore({ home, database })));
      await stores[0]?.sessions.create(sampleSession('ses_1'));
      expect(await stores[2]?.sessions.get('ses_1')).toEqual(sampleSession('ses_1'));
      for (const store of stores) await store.close();
    });
  });
});

function userMessageWithPicture(id: string): UserMessage {
  const attachment = { digest: original, mediaType: 'image/png', sizeBytes: 9, widthPx: 1, heightPx: 1, name: 'a.png' };
  return sampleUserMessage(id, { imageInputs: [{ attachment }] });
}
