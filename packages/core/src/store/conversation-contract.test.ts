import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import type { Message, UserMessage } from '../content/messages.ts';
import {
  sampleAssistantMessage,
  sampleDigest,
  sampleSession,
  sampleToolMessage,
  sampleTurn,
  sampleUserMessage,
} from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import { codecOf, type DatabaseKind } from './codec.ts';
import { connect } from './database.ts';
import { selectCourse } from './message-course.ts';
import { readPage } from './message-page.ts';
import type { Store } from './open-store.ts';

const endedAt = '2026-01-02T00:02:00.000Z';

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

function userMessage(id: string, digest?: Digest): UserMessage {
  if (digest === undefined) return sampleUserMessage(id);
  const attachment = { digest, mediaType: 'image/png', sizeBytes: 9, widthPx: 1, heightPx: 1, name: 'a.png' };
  return sampleUserMessage(id, { imageInputs: [{ attachment }] });
}

/** A whole turn: the user's message with a picture, and an answer. The messages are `u<name>` and `a<name>`. */
async function addTurn({ turnRecords }: Store, name: string, place: { edits?: string; digest?: Digest } = {}) {
  const { digest, ...rest } = place;
  await turnRecords.startTurn(sampleTurn(`turn_${name}`, 'ses_1'), userMessage(`u${name}`, digest), rest);
  await turnRecords.appendMessages('ses_1', [sampleAssistantMessage(`a${name}`)]);
  await turnRecords.endTurn(`turn_${name}`, { status: 'completed', endedAt });
}

function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id);
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('a conversation on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () =>
    cases.withStore(kind, async (opened) => {
      await opened.store.sessions.create(sampleSession('ses_1'));
      await opened.store.sessions.create(sampleSession('ses_2'));
      await use(opened);
    });

  /** 300 messages, `m001` to `m300`. */
  async function addMany({ turnRecords }: Store): Promise<readonly string[]> {
    const ids = Array.from({ length: 300 }, (_unused, index) => `m${String(index + 1).padStart(3, '0')}`);
    await turnRecords.appendMessages(
      'ses_1',
      ids.map((id) => sampleUserMessage(id)),
    );
    return ids;
  }

  describe('by pages', () => {
    it(
      'gives the newest, and from each page on the ones before it, until the first',
      given(async ({ store, reopen }) => {
        const ids = await addMany(store);
        const { turnRecords } = await reopen();
        const page = async (before: string | undefined, limit = 120) =>
          idsOf(await turnRecords.loadPage('ses_1', { limit, ...(before === undefined ? {} : { before }) }));
        expect(await page(undefined)).toEqual(ids.slice(180));
        expect(await page('m181')).toEqual(ids.slice(60, 180));
        expect(await page('m061')).toEqual(ids.slice(0, 60));
        expect(await page('m001')).toEqual([]);
        expect(await page(undefined, 1)).toEqual(['m300']);
        expect(await page(undefined, 0)).toEqual([]);
        expect(await page(undefined, 1000)).toEqual(ids);
        expect(await turnRecords.loadPage('ses_2', { limit: 10 })).toEqual([]);
        expect(await turnRecords.loadPage('ses_9', { limit: 10 })).toEqual([]);
      }),
    );

    it(
      'refuses a message that the session does not have',
      given(async ({ store }) => {
        await store.turnRecords.appendMessages('ses_2', [sampleUserMessage('msg_1')]);
        for (const before of ['msg_1', 'msg_9']) {
          await expect(store.turnRecords.loadPage('ses_1', { before, limit: 1 })).rejects.toMatchObject({
            code: 'NOT_FOUND',
            data: { sessionId: 'ses_1', messageId: before },
          });
        }
      }),
    );

    it(
      'looks at no message that it does not give',
      given(async ({ store, query, expectDamage }) => {
        expectDamage('messages that must not be read are not valid');
        await addMany(store);
        await query(`update messages set body = '{}' where id < 'm291' or id > 'm295'`);
        const page = await store.turnRecords.loadPage('ses_1', { before: 'm296', limit: 5 });
        expect(idsOf(page)).toEqual(['m291', 'm292', 'm293', 'm294', 'm295']);
        await expect(store.turnRecords.loadPage('ses_1', { before: 'm296', limit: 6 })).rejects.toMatchObject({
          code: 'RECORD_INVALID',
          data: { id: 'ses_1/290' },
        });
      }),
    );

    it.runIf(kind === 'sqlite')(
      'looks for each message by its number, and goes through no list of them',
      given(async ({ store, target }) => {
        await addMany(store);
        const connection = await connect(target);
        for (const part of [{}, { limit: 5 }, { fromSeq: 9, limit: 5 }]) {
          const { sql: text, parameters } = selectCourse(connection.kysely, {
            sessionId: 'ses_1',
            owner: 'local',
            ...part,
          }).compile();
          const plan = await connection.kysely.executeQuery<{ detail: string }>(
            CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
          );
          const steps = plan.rows.map(({ detail }) => detail).filter((detail) => detail.includes('messages'));
          expect(steps.length).toBeGreaterThanOrEqual(2);
          for (const step of steps) expect(step).toMatch(/^SEARCH messages USING .*\(session_id=\? AND seq=\?\)$/);
        }
        await connection.close();
      }),
    );

    it.runIf(kind === 'postgres')(
      'reads no row that it does not give, in a session of thousands',
      given(async ({ store, target, query, expectDamage }) => {
        expectDamage('its messages are copies of a few');
        await addMany(store);
        await query(`insert into messages
          select session_id, seq + 300 * step, owner, id || '_' || step, turn_id, revision, body,
            coalesce(parent_seq, 0) + 300 * step, depth + 300 * step
          from messages, generate_series(1, 19) as step`);
        await query('update session_counters set head_seq = 6000');
        await query('analyze');
        const connection = await connect(target);
        const session = { sessionId: 'ses_1', owner: 'local', codec: codecOf(kind) };
        const counts = await connection.kysely.transaction().execute(async (transaction) => {
          expect(await readPage(transaction, session, { limit: 20 })).toHaveLength(20);
          return sql<{ rows: number }>`
            select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows
            from pg_stat_xact_user_tables where relname = 'messages'
          `.execute(transaction);
        });
        await connection.close();
        // Each once for the one before it, and once for itself.
        expect(counts.rows[0]?.rows).toBeLessThanOrEqual(40);
      }),
    );

    it(
      'opens with a thousand pictures although none of their bytes can be read',
      given(async ({ store, home, expectDamage }) => {
        expectDamage('no bytes have the digests');
        const messages = Array.from({ length: 1000 }, (_unused, index) => {
          const digest: Digest = `sha256:${String(index).padStart(64, '0')}`;
          return sampleToolMessage(`m${index}`, digest);
        });
        await store.turnRecords.appendMessages('ses_1', messages);
        await rm(join(home, 'blobs'), { recursive: true });
        expect(idsOf(await store.turnRecords.loadPage('ses_1', { limit: 2 }))).toEqual(['m998', 'm999']);
        expect(await store.turnRecords.loadTranscript('ses_1')).toEqual(messages);
      }),
    );
  });

  describe('with several courses', () => {
    const idsNow = async ({ turnRecords }: Store) => idsOf(await turnRecords.loadTranscript('ses_1'));
    const countNow = async ({ sessions }: Store) =>
      (await sessions.list(10)).find(({ id }) => id === 'ses_1')?.messageCount;

    it(
      'begins anew when its first message is edited, and keeps what was',
      given(async ({ store, reopen }) => {
        await addTurn(store, '1');
        await addTurn(store, '2');
        await store.turnRecords.startTurn(sampleTurn('turn_3', 'ses_1'), userMessage('u3'), { edits: 'u1' });
        const second = await reopen();
        expect(await idsNow(second)).toEqual(['u3']);
        expect(await countNow(second)).toBe(1);
        expect(await second.turnRecords.coursesOf('ses_1', 'u1')).toEqual(['u1', 'u3']);
        expect(await second.turnRecords.coursesOf('ses_1', 'u3')).toEqual(['u1', 'u3']);
        expect(await second.turnRecords.coursesOf('ses_1', 'a1')).toEqual(['a1']);
        expect(idsOf(await second.turnRecords.loadPage('ses_1', { before: 'a2', limit: 9 }))).toEqual([
          'u1',
          'a1',
          'u2',
        ]);
      }),
    );

    it(
      'goes on from the message before one in the middle, and what follows stands behind the edited one',
      given(async ({ store, query }) => {
        for (const name of ['1', '2', '3']) await addTurn(store, name);
        await addTurn(store, '4', { edits: 'u2' });
        expect(await idsNow(store)).toEqual(['u1', 'a1', 'u4', 'a4']);
        await addTurn(store, '5');
        expect(await idsNow(store)).toEqual(['u1', 'a1', 'u4', 'a4', 'u5', 'a5']);
        expect(await countNow(store)).toBe(6);
        expect(idsOf(await store.turnRecords.loadPage('ses_1', { before: 'a5', limit: 2 }))).toEqual(['a4', 'u5']);
        await addTurn(store, '6', { edits: 'u3' });
        expect(await idsNow(store)).toEqual(['u1', 'a1', 'u2', 'a2', 'u6', 'a6']);
        await addTurn(store, '7', { edits: 'u4' });
        expect(await idsNow(store)).toEqual(['u1', 'a1', 'u7', 'a7']);
        expect(await countNow(store)).toBe(4);
        expect(await store.turnRecords.coursesOf('ses_1', 'u4')).toEqual(['u2', 'u4', 'u7']);
        expect(await store.turnRecords.coursesOf('ses_1', 'u3')).toEqual(['u3', 'u6']);
        expect(await query('select count(*) as total from messages')).toEqual([{ total: 14 }]);
      }),
    );

    it(
      'still reaches the pictures of the other courses',
      given(async ({ store }) => {
        const [first, second] = [sampleDigest('a'), sampleDigest('b')];
        await addTurn(store, '1', { digest: first });
        await addTurn(store, '2', { edits: 'u1', digest: second });
        expect(await store.contentGraph.canRead('ses_1', first)).toBe(true);
        expect(await store.contentGraph.canRead('ses_1', second)).toBe(true);
      }),
    );

    it(
      'takes no other course at what is no message of the user, or of another session, and changes nothing',
      given(async ({ store, query }) => {
        await addTurn(store, '1');
        await store.turnRecords.appendMessages('ses_1', [sampleToolMessage('t1', sampleDigest('c'))]);
        await store.turnRecords.appendMessages('ses_2', [sampleUserMessage('elsewhere')]);
        for (const edits of ['a1', 't1', 'elsewhere', 'nothing']) {
          const start = store.turnRecords.startTurn(sampleTurn('turn_2', 'ses_1'), userMessage('u2'), { edits });
          await expect(start).rejects.toMatchObject({
            code: 'NOT_FOUND',
            data: { sessionId: 'ses_1', messageId: edits },
          });
        }
        expect(await idsNow(store)).toEqual(['u1', 'a1', 't1']);
        expect(await query('select id from turns')).toEqual([{ id: 'turn_1' }]);
        await expect(store.turnRecords.coursesOf('ses_1', 'elsewhere')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      }),
    );

    it(
      'edits an older message with pictures of the first form',
      given(async ({ store, query }) => {
        await addTurn(store, '1');
        const { imageInputs: _, ...older } = sampleUserMessage('u1');
        const body = JSON.stringify({ ...older, images: ['https://host.test/a.png'] });
        await query(`update messages set body = '${body}', revision = 1 where id = 'u1'`);
        await addTurn(store, '2', { edits: 'u1' });
        expect(await idsNow(store)).toEqual(['u2', 'a2']);
      }),
    );
  });
});
