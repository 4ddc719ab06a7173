import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import { digestOf } from '../media/digest.ts';
import {
  sampleAssistantMessage,
  sampleSession,
  sampleToolMessage,
  sampleTurn,
  sampleUserMessage,
  sampleVariant,
} from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import { blobPath } from './blob-path.ts';
import type { DatabaseKind } from './codec.ts';
import { DRAFT_MS } from './draft-repository.ts';
import type { LeasedStore, Store } from './open-store.ts';

const NOW = '2026-01-03T00:00:00.000Z';
const YEARS_AGO = new Date('2000-01-01T00:00:00.000Z');

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

/** Bytes that are stored, and were put long ago. */
async function putOld(store: Store, text: string): Promise<Digest> {
  const bytes = Buffer.from(text);
  const digest = digestOf(bytes);
  await store.blobs.put(digest, bytes);
  await age(store, digest);
  return digest;
}

function age(store: Store, digest: Digest): Promise<void> {
  return utimes(blobPath(store.blobs.folder, digest), YEARS_AGO, YEARS_AGO);
}

async function hold(store: Store, sessionId: string): Promise<LeasedStore> {
  const acquired = await store.leases.acquire(sessionId, NOW);
  return acquired.ok ? store.underLease(acquired.value.lease) : expect.fail('the session is held');
}

async function countFiles(home: string): Promise<number> {
  const names = await readdir(join(home, 'blobs'), { recursive: true });
  return names.filter((name) => /[0-9a-f]{64}$/.test(name)).length;
}

const final = (id: string, turnId: string) =>
  sampleAssistantMessage(id, { turnId, parts: [{ type: 'text', text: 'Done.' }] });

/** A session with a picture of the user, one of a tool, their variants and a plan; its turn is complete. */
async function makeConversation(store: Store) {
  const [picture, shot, smaller, other] = await Promise.all(
    ['picture', 'shot', 'smaller', 'other'].map((text) => putOld(store, text)),
  );
  if (!picture || !shot || !smaller || !other) throw new Error('no digests');
  await store.sessions.create(sampleSession('ses_1'));
  const records = store.turnRecords;
  const attachment = { digest: picture, mediaType: 'image/png', sizeBytes: 7, widthPx: 1, heightPx: 1, name: 'p.png' };
  await records.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('m1', { imageInputs: [{ attachment }] }));
  await records.appendMessages('ses_1', [
    sampleAssistantMessage('m2'),
    sampleToolMessage('m3', shot),
    final('m4', 'turn_1'),
  ]);
  await records.saveVariant('ses_1', sampleVariant(picture, smaller));
  await records.saveVariant('ses_1', sampleVariant(shot, shot));
  await records.savePlan({
    sessionId: 'ses_1',
    endpointId: 'e',
    images: [
      { originalDigest: other, digest: other },
      { originalDigest: picture, digest: smaller },
      { originalDigest: shot, digest: shot },
    ],
  });
  await records.takeRequestNumber('ses_1');
  await records.endTurn('turn_1', { status: 'completed', endedAt: NOW });
  return { picture, shot, smaller, other };
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('whole sessions on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () => cases.withStore(kind, use);
  const fork = { id: 'ses_2', createdAt: NOW };

  describe('fork', () => {
    it(
      'has the same messages under the same ids, and stores no byte twice',
      given(async ({ store, home }) => {
        await makeConversation(store);
        const files = await countFiles(home);
        const source = await store.sessions.get('ses_1');
        const forked = await store.forkSession('ses_1', fork);
        expect(forked).toEqual({ ...source, id: 'ses_2', createdAt: NOW, updatedAt: NOW });
        expect(await store.sessions.get('ses_2')).toEqual(forked);
        const { turnRecords } = store;
        expect(await turnRecords.loadTranscript('ses_2')).toEqual(await turnRecords.loadTranscript('ses_1'));
        expect(await countFiles(home)).toBe(files);
        expect(await turnRecords.takeRequestNumber('ses_2')).toBe(2);
        expect((await store.forkSession('ses_1', { ...fork, id: 'ses_3', title: 'Another' })).title).toBe('Another');
      }),
    );

    it(
      'has exactly the edges and plans of what was copied',
      given(async ({ store, query }) => {
        const { picture, shot, smaller, other } = await makeConversation(store);
        await store.forkSession('ses_1', fork);
        const edgesOf = async (id: string) => {
          const rows = await query(`select digest, kind, source_id from content_edges where session_id = '${id}'`);
          return rows.map(({ digest, kind, source_id }) => `${kind} ${source_id} ${digest}`).sort();
        };
        const edges = [
          `message m1 ${picture}`,
          `message m3 ${shot}`,
          `variant ${picture} ${smaller}`,
          `variant ${shot} ${shot}`,
        ].sort();
        expect(await edgesOf('ses_2')).toEqual(edges);
        expect(await edgesOf('ses_1')).toEqual([...edges, `variant ${other} ${other}`].sort());
        expect((await store.turnRecords.loadPlan('ses_2', 'e'))?.images).toEqual([
          { originalDigest: picture, digest: smaller },
          { originalDigest: shot, digest: shot },
        ]);
        expect(await store.contentGraph.canRead('ses_2', smaller)).toBe(true);
        expect(await store.contentGraph.canRead('ses_2', other)).toBe(false);
      }),
    );

    it(
      'follows the course that the source is on, and both go their own ways from there',
      given(async ({ store }) => {
        const { shot } = await makeConversation(store);
        const { turnRecords } = store;
        const edited = sampleTurn('turn_2', 'ses_1');
        await turnRecords.startTurn(edited, sampleUserMessage('m5', { turnId: 'turn_2' }), { edits: 'm1' });
        await turnRecords.appendMessages('ses_1', [final('m6', 'turn_2')]);
        await turnRecords.endTurn('turn_2', { status: 'completed', endedAt: NOW });
        await store.forkSession('ses_1', fork);
        const idsOf = async (id: string) => (await turnRecords.loadTranscript(id)).map((message) => message.id);
        expect(await idsOf('ses_2')).toEqual(['m5', 'm6']);
        expect(await store.contentGraph.canRead('ses_2', shot)).toBe(false);
        await turnRecords.appendMessages('ses_2', [sampleUserMessage('m7')]);
        await turnRecords.appendMessages('ses_1', [sampleUserMessage('m8')]);
        expect(await idsOf('ses_2')).toEqual(['m5', 'm6', 'm7']);
        expect(await idsOf('ses_1')).toEqual(['m5', 'm6', 'm8']);
      }),
    );

    it(
      'leaves out the turn that runs now, and keeps what a dead process left',
      given(async ({ store, query }) => {
        await makeConversation(store);
        const held = await hold(store, 'ses_1');
        const turn = sampleTurn('turn_2', 'ses_1');
        await held.turnRecords.startTurn(turn, sampleUserMessage('m5', { turnId: 'turn_2' }));
        await held.turnRecords.appendMessages('ses_1', [sampleAssistantMessage('m6', { turnId: 'turn_2' })]);
        await store.forkSession('ses_1', fork);
        const idsOf = async (id: string) => (await store.turnRecords.loadTranscript(id)).map((message) => message.id);
        expect(await idsOf('ses_2')).toEqual(['m1', 'm2', 'm3', 'm4']);
        await query("update session_leases set lease_until = 0 where session_id = 'ses_1'");
        await store.forkSession('ses_1', { ...fork, id: 'ses_3' });
        expect(await idsOf('ses_3')).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6']);
        expect(await query("select id from turns where session_id in ('ses_2', 'ses_3')")).toEqual([]);
      }),
    );

    it(
      'of an empty session is empty, and there is none of a session that does not exist',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1'));
        await store.forkSession('ses_1', fork);
        expect(await store.turnRecords.loadTranscript('ses_2')).toEqual([]);
        const nothing = store.forkSession('ses_9', { ...fork, id: 'ses_3' });
        await expect(nothing).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
        expect(await store.sessions.get('ses_3')).toBeUndefined();
      }),
    );
  });

  describe('deletion', () => {
    it(
      'leaves no row of the session, every row of its fork, and the bytes',
      given(async ({ store, home, query }) => {
        const { smaller } = await makeConversation(store);
        await store.forkSession('ses_1', fork);
        await store.drafts.keepDraft('ses_1', 'draft_1', { digests: [smaller], expiresAt: NOW });
        await store.approvals.remember('ses_1', 'key');
        const files = await countFiles(home);
        const transcript = await store.turnRecords.loadTranscript('ses_2');
        const held = await hold(store, 'ses_1');
        await held.session.delete();
        const tables = ['session_counters', 'messages', 'turns', 'content_edges', 'plans', 'plan_images', 'approvals'];
        const rest = ['file_changes', 'session_leases', 'session_events', 'step_snapshots', 'session_queues'];
        for (const table of [...tables, ...rest, 'queue_items']) {
          expect(await query(`select session_id from ${table} where session_id = 'ses_1'`)).toEqual([]);
        }
        expect(await store.sessions.get('ses_1')).toBeUndefined();
        expect(await store.turnRecords.loadTranscript('ses_2')).toEqual(transcript);
        expect(await store.contentGraph.canRead('ses_2', smaller)).toBe(true);
        expect(await countFiles(home)).toBe(files);
        await expect(held.session.delete()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      }),
    );

    it(
      'waits for the turn that runs, and is refused to who lost the session',
      given(async ({ store, reopen, query }) => {
        await makeConversation(store);
        const held = await hold(store, 'ses_1');
        const turn = sampleTurn('turn_2', 'ses_1');
        await held.turnRecords.startTurn(turn, sampleUserMessage('m5', { turnId: 'turn_2' }));
        await expect(held.session.delete()).rejects.toMatchObject({ code: 'SESSION_BUSY', data: { turnId: 'turn_2' } });
        await query("update session_leases set lease_until = 0 where session_id = 'ses_1'");
        await hold(await reopen(), 'ses_1');
        await expect(held.session.delete()).rejects.toMatchObject({ code: 'LEASE_LOST' });
        await expect(held.session.rewind()).rejects.toMatchObject({ code: 'LEASE_LOST' });
        expect(await store.turnRecords.loadTranscript('ses_1')).toHaveLength(5);
      }),
    );

    it(
      'is known to every table that belongs to a session',
      given(async ({ query }) => {
        const columns =
          kind === 'sqlite'
            ? await query(
                "select m.name as name, (select on_delete from pragma_foreign_key_list(m.name) f where f.\"from\" = 'session_id') as rule from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and c.name = 'session_id'",
              )
            : await query(
                "select c.table_name as name, upper(r.delete_rule) as rule from information_schema.columns c left join information_schema.key_column_usage k on k.table_name = c.table_name and k.column_name = 'session_id' and k.position_in_unique_constraint is not null left join information_schema.referential_constraints r on r.constraint_name = k.constraint_name where c.column_name = 'session_id' and c.table_schema = 'public'",
              );
        expect(columns.length).toBeGreaterThanOrEqual(13);
        expect(columns.filter(({ rule }) => rule !== 'CASCADE')).toEqual([]);
      }),
    );
  });

  describe('rewind', () => {
    it(
      'goes back to a complete answer or the beginning, and keeps what came after with its pictures',
      given(async ({ store }) => {
        const { shot } = await makeConversation(store);
        const { turnRecords } = store;
        await turnRecords.appendMessages('ses_1', [
          sampleUserMessage('m5', { turnId: 'turn_2' }),
          sampleToolMessage('m6', shot, { turnId: 'turn_2' }),
          final('m7', 'turn_2'),
        ]);
        const { session } = await hold(store, 'ses_1');
        const ids = async () => (await turnRecords.loadTranscript('ses_1')).map((message) => message.id);
        await session.rewind('m4');
        expect(await ids()).toEqual(['m1', 'm2', 'm3', 'm4']);
        expect((await store.sessions.list(1))[0]?.messageCount).toBe(4);
        await session.rewind('m7');
        expect(await ids()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']);
        await session.rewind();
        expect(await ids()).toEqual([]);
        expect(await store.contentGraph.canRead('ses_1', shot)).toBe(true);
        await session.rewind('m7');
        expect(await ids()).toHaveLength(7);
      }),
    );

    it.each(['m1', 'm2', 'm3'])('does not go back into the middle of a turn (%s)', (id) =>
      cases.withStore(kind, async ({ store }) => {
        await makeConversation(store);
        const { session } = await hold(store, 'ses_1');
        await expect(session.rewind(id)).rejects.toMatchObject({ code: 'USAGE', data: { messageId: id } });
        await expect(session.rewind('m9')).rejects.toMatchObject({ code: 'NOT_FOUND' });
        expect(await store.turnRecords.loadTranscript('ses_1')).toHaveLength(4);
      }),
    );
  });

  describe('drafts', () => {
    const soon = () => new Date(Date.now() + DRAFT_MS).toISOString();

    it(
      'give the session its pictures until their time is over or they are sent, and are never meant by a model',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const [kept, replaced] = [await putOld(store, 'kept'), await putOld(store, 'replaced')];
        const canRead = (digest: Digest) => store.contentGraph.canRead('ses_1', digest);
        await store.drafts.keepDraft('ses_1', 'draft_1', { digests: [kept, replaced, kept], expiresAt: soon() });
        expect([await canRead(kept), await canRead(replaced)]).toEqual([true, true]);
        const reference = kept.slice('sha256:'.length, 'sha256:'.length + 12);
        expect(await store.contentGraph.resolveReference('ses_1', reference)).toEqual({ kind: 'none' });
        await store.drafts.keepDraft('ses_1', 'draft_1', { digests: [kept], expiresAt: soon() });
        expect([await canRead(kept), await canRead(replaced)]).toEqual([true, false]);
        await store.drafts.keepDraft('ses_1', 'draft_1', { digests: [kept], expiresAt: NOW });
        expect(await canRead(kept)).toBe(false);
        await store.drafts.keepDraft('ses_1', 'draft_2', { digests: [kept], expiresAt: soon() });
        await store.drafts.dropDraft('ses_1', 'draft_2');
        expect(await canRead(kept)).toBe(false);
        const nowhere = store.drafts.keepDraft('ses_9', 'draft_1', { digests: [kept], expiresAt: soon() });
        await expect(nowhere).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      }),
    );
  });
});
