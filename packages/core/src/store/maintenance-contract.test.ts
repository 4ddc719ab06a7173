import { readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import { digestOf } from '../media/digest.ts';
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
import { blobPath } from './blob-path.ts';
import type { DatabaseKind } from './codec.ts';
import { openStore, type Store } from './open-store.ts';

const ISO = '2026-01-03T00:00:00.000Z';
const YEARS_AGO = new Date('2000-01-01T00:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1000;

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

async function putOld(store: Store, text: string): Promise<Digest> {
  const bytes = Buffer.from(text);
  const digest = digestOf(bytes);
  await store.blobs.put(digest, bytes);
  await utimes(blobPath(store.blobs.folder, digest), YEARS_AGO, YEARS_AGO);
  return digest;
}

async function holds(store: Store, digest: Digest): Promise<boolean> {
  try {
    await store.blobs.verify(digest);
    return true;
  } catch {
    return false;
  }
}

const now = () => ({ nowMs: Date.now() });
const soon = () => new Date(Date.now() + DAY_MS).toISOString();
const collect = (store: Store) => store.collectGarbage(now());

async function findFaults(store: Store) {
  const { faults, faultCount } = await store.check(now());
  expect(faultCount).toBe(faults.length);
  return faults.map(({ kind, place }) => `${kind} ${place}`);
}

/** A whole session: pictures of the user and of tools, variants, a plan, a queue item, a file change, a draft. */
async function fill(store: Store) {
  const [picture, shot, smaller, before, drafted] = await Promise.all(
    ['picture', 'shot', 'smaller', 'before', 'drafted'].map((text) => putOld(store, text)),
  );
  if (!picture || !shot || !smaller || !before || !drafted) throw new Error('no digests');
  await store.sessions.create(sampleSession('ses_1'));
  const attachment = { digest: picture, mediaType: 'image/png', sizeBytes: 7, widthPx: 1, heightPx: 1, name: 'p.png' };
  const records = store.turnRecords;
  await records.startTurn(
    sampleTurn('turn_1', 'ses_1'),
    sampleUserMessage('m1', { imageInputs: [{ attachment }, { attachment }, { url: 'https://a.example/b.png' }] }),
  );
  await records.appendMessages('ses_1', [sampleAssistantMessage('m2'), sampleToolMessage('m3', shot)]);
  await records.saveVariant('ses_1', sampleVariant(picture, smaller));
  const images = [{ originalDigest: picture, digest: smaller }];
  await records.savePlan({ sessionId: 'ses_1', endpointId: 'e', images });
  await records.endTurn('turn_1', { status: 'completed', endedAt: ISO });
  const path = '/home/user/project/a.txt';
  const change = { sessionId: 'ses_1', turnId: 'turn_1', path, displayPath: 'a.txt', afterDigest: sampleDigest('d') };
  await store.fileChanges.note({ ...change, beforeDigest: before });
  await store.drafts.keepDraft('ses_1', 'draft_1', { digests: [drafted], expiresAt: soon() });
  return { picture, shot, smaller, before, drafted };
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('care for a store on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () => cases.withStore(kind, use);

  describe('garbage', () => {
    it(
      'is what no edge leads to and what was put long ago: everything else stays',
      given(async ({ store }) => {
        const digests = Object.values(await fill(store));
        const loose = await putOld(store, 'loose');
        const young = digestOf(Buffer.from('young'));
        await store.blobs.put(young, Buffer.from('young'));
        expect(await collect(store)).toEqual({
          blobs: { kept: digests.length, collected: 1, young: 1 },
          bytesFreed: 'loose'.length,
          expiredEdges: 0,
          variants: 0,
          leftovers: 0,
        });
        for (const digest of [...digests, young]) expect(await holds(store, digest)).toBe(true);
        expect(await holds(store, loose)).toBe(false);
        expect(await findFaults(store)).toEqual([]);
      }),
    );

    it(
      'begins to be garbage when the last session that holds it is deleted, with its variants',
      given(async ({ store, query }) => {
        const { picture, smaller } = await fill(store);
        await store.forkSession('ses_1', { id: 'ses_2', createdAt: ISO });
        const remove = async (id: string) => {
          const acquired = await store.leases.acquire(id, ISO);
          if (acquired.ok) await store.underLease(acquired.value.lease).session.delete();
        };
        await remove('ses_1');
        expect((await collect(store)).blobs).toEqual({ kept: 3, collected: 2, young: 0 });
        expect([await holds(store, picture), await holds(store, smaller)]).toEqual([true, true]);
        await remove('ses_2');
        expect(await collect(store)).toMatchObject({ blobs: { kept: 0, collected: 3, young: 0 }, variants: 1 });
        expect(await query('select * from variants')).toEqual([]);
        expect(await findFaults(store)).toEqual([]);
      }),
    );

    it(
      'is what drafts held whose time was over some minutes ago',
      given(async ({ store }) => {
        const { drafted } = await fill(store);
        const expire = (agoMs: number) => {
          const expiresAt = new Date(Date.now() - agoMs).toISOString();
          return store.drafts.keepDraft('ses_1', 'draft_1', { digests: [drafted], expiresAt });
        };
        await expire(1000);
        expect(await store.contentGraph.canRead('ses_1', drafted)).toBe(false);
        expect(await collect(store)).toMatchObject({ blobs: { collected: 0 }, expiredEdges: 0 });
        expect((await store.check(now())).counts).toMatchObject({ expiredEdges: 1 });
        await expire(DAY_MS);
        expect(await collect(store)).toMatchObject({ blobs: { collected: 1 }, expiredEdges: 1 });
        expect(await holds(store, drafted)).toBe(false);
      }),
    );

    it(
      'is nothing that a running turn may have made, however long ago, until its process has died',
      given(async ({ store, query }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const acquired = await store.leases.acquire('ses_1', ISO);
        if (!acquired.ok) throw new Error('held');
        const { turnRecords } = store.underLease(acquired.value.lease);
        const startedAt = new Date(YEARS_AGO.getTime() - DAY_MS).toISOString();
        await turnRecords.startTurn(sampleTurn('turn_1', 'ses_1', { startedAt }), sampleUserMessage('m1'));
        const made = await putOld(store, 'made by the turn');
        expect((await collect(store)).blobs).toEqual({ kept: 0, collected: 0, young: 1 });
        await query('update session_leases set lease_until = 0');
        const mark = JSON.stringify({ host: 'elsewhere', boot: '', namespace: '', pid: 1, startedAt: '' });
        await query(`update turns set writer = '${mark}'`);
        expect((await collect(store)).blobs).toEqual({ kept: 0, collected: 1, young: 0 });
        expect(await holds(store, made)).toBe(false);
      }),
    );

    it(
      'is not what was put again while it was decided about, or got an edge',
      given(async ({ store }) => {
        const { shot } = await fill(store);
        const loose = await putOld(store, 'loose');
        const put = store.blobs.trash.discard.bind(store.blobs.trash);
        store.blobs.trash.discard = async (digest) => {
          // After the first look, before the second.
          await store.turnRecords.appendMessages('ses_1', [sampleToolMessage('m9', digest)]);
          return put(digest);
        };
        expect((await collect(store)).blobs).toMatchObject({ collected: 0 });
        expect(await holds(store, loose)).toBe(true);
        expect(await store.blobs.trash.list()).toEqual([]);
        expect(await holds(store, shot)).toBe(true);
        expect(await findFaults(store)).toEqual([]);
      }),
    );

    it(
      'is not what was put again in the moment before it was moved away',
      given(async ({ store }) => {
        const loose = await putOld(store, 'loose');
        const put = store.blobs.trash.discard.bind(store.blobs.trash);
        store.blobs.trash.discard = async (digest) => {
          await store.blobs.put(digest, Buffer.from('loose'));
          return put(digest);
        };
        expect((await collect(store)).blobs).toEqual({ kept: 0, collected: 0, young: 1 });
        expect(await holds(store, loose)).toBe(true);
        expect(await store.blobs.trash.list()).toEqual([]);
      }),
    );

    it(
      'takes the record of a variant with its bytes: who found it before is told that it is gone',
      given(async ({ store }) => {
        await store.sessions.create(sampleSession('ses_1'));
        const record = sampleVariant(sampleDigest('a'), await putOld(store, 'variant'));
        await store.sessions.create(sampleSession('ses_0'));
        await store.turnRecords.saveVariant('ses_0', record);
        expect(await store.turnRecords.holdVariant('ses_1', record)).toBe(true);
        for (const id of ['ses_0', 'ses_1']) {
          const acquired = await store.leases.acquire(id, ISO);
          if (acquired.ok) await store.underLease(acquired.value.lease).session.delete();
        }
        await store.sessions.create(sampleSession('ses_2'));
        expect(await collect(store)).toMatchObject({ blobs: { collected: 1 }, variants: 1 });
        expect(await store.turnRecords.holdVariant('ses_2', record)).toBe(false);
        expect(await store.turnRecords.findVariant(record.originalDigest, record.variantKey)).toBeUndefined();
        expect(await store.contentGraph.canRead('ses_2', record.digest)).toBe(false);
      }),
    );

    it(
      'is finished or put back by the next collection after a crash, and readable meanwhile',
      given(async ({ store }) => {
        const { shot } = await fill(store);
        const loose = await putOld(store, 'loose');
        await store.blobs.trash.discard(shot);
        await store.blobs.trash.discard(loose);
        expect(await findFaults(store)).toEqual([]);
        expect((await store.check(now())).counts.leftovers).toBe(2);
        expect((await collect(store)).blobs).toEqual({ kept: 5, collected: 1, young: 0 });
        expect([await holds(store, shot), await holds(store, loose)]).toEqual([true, false]);
        expect(await store.blobs.trash.list()).toEqual([]);
      }),
    );

    it(
      'is also what writers left in the temporary folder more than a day ago',
      given(async ({ store, home }) => {
        for (const name of ['old', 'new']) await writeFile(join(home, 'blobs', 'tmp', name), name);
        await utimes(join(home, 'blobs', 'tmp', 'old'), YEARS_AGO, YEARS_AGO);
        expect((await collect(store)).leftovers).toBe(1);
        expect(await readdir(join(home, 'blobs', 'tmp'))).toEqual(['new']);
      }),
    );

    it(
      'is told of while it is collected',
      given(async ({ store }) => {
        await fill(store);
        const told: { readonly done: number; readonly total: number }[] = [];
        await store.collectGarbage({ ...now(), onProgress: (progress) => told.push(progress) });
        expect(told.at(-1)).toEqual({ done: 256, total: 256 });
      }),
    );
  });

  describe('check', () => {
    it(
      'finds nothing in a whole store, counts what is there, and tells how far it is',
      given(async ({ store }) => {
        await fill(store);
        await putOld(store, 'loose');
        await store.forkSession('ses_1', { id: 'ses_2', createdAt: ISO });
        await store.turnRecords.startTurn(sampleTurn('turn_9', 'ses_1'), sampleUserMessage('m9', { turnId: 'turn_9' }));
        const told: { readonly done: number; readonly total: number }[] = [];
        const report = await store.check({ ...now(), onProgress: (progress) => told.push(progress) });
        expect(report).toEqual({
          faults: [],
          faultCount: 0,
          counts: {
            sessions: 2,
            messages: 7,
            oldMessages: 0,
            turns: 2,
            runningTurns: 1,
            queueItems: 0,
            edges: 8,
            expiredEdges: 0,
            blobs: 5,
            unreferencedBlobs: 1,
            leftovers: 0,
          },
        });
        const last = told.at(-1);
        expect(last?.done).toBe(last?.total);
      }),
    );

    const damage: readonly (readonly [string, string, string])[] = [
      ['a missing edge', "delete from content_edges where source_id = 'm3'", 'edge-missing messages ses_1/3'],
      [
        'an edge that leads elsewhere',
        `update content_edges set digest = '${sampleDigest('9')}' where source_id = 'm3'`,
        'edge-missing messages ses_1/3|edge-dangling messages ses_1/3|blob-missing content_edges ses_1/message/m3',
      ],
      [
        'an edge that comes from nothing',
        "update content_edges set source_id = 'm8' where source_id = 'm3'",
        'edge-missing messages ses_1/3|edge-dangling content_edges ses_1/m8',
      ],
      [
        'a draft of a queue item that is not there',
        "update content_edges set kind = 'queue-item' where kind = 'draft'",
        'edge-dangling content_edges ses_1/draft_1',
      ],
      [
        'a file change without an edge',
        "delete from content_edges where kind = 'file-change'",
        'edge-missing file_changes ses_1/1',
      ],
      [
        'a plan that nothing leads to',
        "delete from content_edges where kind = 'variant'",
        'edge-missing plan_images ses_1/0',
      ],
      ['a gap in a plan', 'update plan_images set position = 4', 'reference-dangling plan_images ses_1'],
      [
        'a message whose parent is gone',
        'update messages set parent_seq = 7 where seq = 2',
        'course-broken messages ses_1/2',
      ],
      [
        'a wrong depth',
        'update messages set depth = 5 where seq = 2',
        'course-broken messages ses_1/2|course-broken messages ses_1/3',
      ],
      ['a head that is not there', 'update session_counters set head_seq = 9', 'course-broken session_counters ses_1'],
      [
        'numbers that would be used twice',
        'update session_counters set last_message_seq = 2',
        'course-broken session_counters ses_1',
      ],
      ['a session without counters', 'delete from session_counters', 'reference-dangling sessions ses_1'],
      ['a message that is none', "update messages set body = '{}' where seq = 2", 'row-invalid messages ses_1/2'],
      ['a message of another id', "update messages set id = 'm7' where seq = 2", 'row-invalid messages ses_1/2'],
      [
        'a message of a newer build',
        'update messages set revision = 4 where seq = 2',
        'row-of-newer-build messages ses_1/2',
      ],
      ['a session that is none', "update sessions set profile = 'any'", 'row-invalid sessions ses_1'],
      ['a turn that is none', "update turns set status = 'any'", 'row-invalid turns turn_1'],
      ['a variant that is none', 'update variants set width_px = 0', `row-invalid variants `],
      ['a file change that is none', "update file_changes set path = '{'", 'row-invalid file_changes ses_1/1'],
    ];

    it.each(damage)('names %s', (_name, statement, expected) =>
      cases.withStore(kind, async ({ store, query, expectDamage }) => {
        expectDamage('the check has to name it');
        await fill(store);
        await query(statement);
        const faults = (await findFaults(store)).map((fault) => fault.replace(/(variants ).*/, '$1'));
        expect(faults.sort()).toEqual(expected.split('|').sort());
      }),
    );

    it(
      'names bytes that are missing or damaged, by every way that leads to them',
      given(async ({ store, expectDamage }) => {
        expectDamage('the check has to name it');
        const { picture, shot, smaller } = await fill(store);
        await rm(blobPath(store.blobs.folder, shot));
        await writeFile(blobPath(store.blobs.folder, picture), 'pictura');
        await rename(blobPath(store.blobs.folder, smaller), join(store.blobs.folder, 'elsewhere'));
        const { faults } = await store.check(now());
        expect(faults.map(({ kind: fault, digest }) => `${fault} ${digest}`).sort()).toEqual(
          [`blob-missing ${shot}`, `blob-damaged ${picture}`, `blob-missing ${smaller}`].sort(),
        );
        expect(JSON.stringify(faults)).not.toContain('pictura');
      }),
    );

    it(
      'names bytes in a row of this revision, wherever they are but in what the user and the model wrote',
      given(async ({ store, query, expectDamage }) => {
        expectDamage('the check has to name it');
        await fill(store);
        const uri = `data:image/png;base64,${'iVBORw0KGgo'.repeat(30)}`;
        const { turnRecords } = store;
        await turnRecords.appendMessages('ses_1', [
          sampleUserMessage('m4', { content: uri }),
          sampleAssistantMessage('m5', { parts: [{ type: 'text', text: uri }] }),
          sampleToolMessage('m6', sampleDigest('a'), { content: uri, metadata: { attachments: [] } }),
          sampleToolMessage('m7', sampleDigest('a'), { content: uri.slice(0, 100), metadata: { attachments: [] } }),
        ]);
        expect(await findFaults(store)).toEqual(['payload-stored messages ses_1/6']);
        await query('update messages set revision = 2 where seq = 6');
        expect(await findFaults(store)).toEqual([]);
        expect((await store.check(now())).counts.oldMessages).toBe(1);
      }),
    );

    it(
      'works on a store that can only be read, and changes nothing',
      given(async ({ store, home, target }) => {
        const { shot } = await fill(store);
        await store.blobs.trash.discard(shot);
        const before = (await readdir(join(home, 'blobs'), { recursive: true })).sort();
        const reader = await openStore({ home, database: target, need: 'read' });
        try {
          expect(await findFaults(reader)).toEqual([]);
        } finally {
          await reader.close();
        }
        expect((await readdir(join(home, 'blobs'), { recursive: true })).sort()).toEqual(before);
      }),
    );
  });
});
