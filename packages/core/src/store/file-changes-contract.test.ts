import { mkdir, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileChangeRecord } from '../content/file-change-record.ts';
import { sampleDigest, sampleSession, sampleToolMessage } from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';
import { connect, createDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { openStore } from './open-store.ts';
import { SessionRepository } from './session-repository.ts';
import type { SupportedStore } from './supported-store.ts';

const before = sampleDigest('a');
const after = sampleDigest('b');
const now = '2026-01-02T00:00:00.000Z';

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

function sampleChange(changes: Partial<FileChangeRecord> = {}): Omit<FileChangeRecord, 'seq'> {
  return {
    sessionId: 'ses_1',
    turnId: 'turn_1',
    path: '/home/user/project/a.txt',
    displayPath: 'a.txt',
    beforeDigest: before,
    afterDigest: after,
    ...changes,
  };
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('records on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () =>
    cases.withStore(kind, async (opened) => {
      await opened.store.sessions.create(sampleSession('ses_1'));
      await opened.store.sessions.create(sampleSession('ses_2'));
      await use(opened);
    });

  describe('file changes', () => {
    it(
      'gives the changes of the newest turn back in their order, exactly, also after a reload',
      given(async ({ store, reopen }) => {
        const path = '/home/user/project/日本 "1" \\ \u0001';
        const { beforeDigest: _, ...created } = sampleChange({ turnId: 'turn_2', path, displayPath: 'b\ud800' });
        await store.fileChanges.note(sampleChange());
        await store.fileChanges.note(sampleChange({ turnId: 'turn_2' }));
        await store.fileChanges.note(created);
        await store.fileChanges.note(sampleChange({ sessionId: 'ses_2', turnId: 'turn_3' }));
        const { fileChanges } = await reopen();
        expect(await fileChanges.lastUnsettled('ses_1')).toEqual([
          { ...sampleChange({ turnId: 'turn_2' }), seq: 2 },
          { ...created, seq: 3 },
        ]);
        expect(await fileChanges.lastUnsettled('ses_2')).toMatchObject([{ turnId: 'turn_3', seq: 1 }]);
        expect(await fileChanges.lastUnsettled('ses_3')).toEqual([]);
      }),
    );

    it(
      'gives no settled change again, and then those of the turn before',
      given(async ({ store, reopen }) => {
        await store.fileChanges.note(sampleChange());
        await store.fileChanges.note(sampleChange({ turnId: 'turn_2' }));
        await store.fileChanges.note(sampleChange({ turnId: 'turn_2' }));
        await store.fileChanges.settle({ sessionId: 'ses_1', seq: 3 }, now);
        const { fileChanges } = await reopen();
        expect(await fileChanges.lastUnsettled('ses_1')).toMatchObject([{ turnId: 'turn_2', seq: 2 }]);
        await fileChanges.settle({ sessionId: 'ses_2', seq: 2 }, now);
        await fileChanges.settle({ sessionId: 'ses_1', seq: 2 }, now);
        expect(await fileChanges.lastUnsettled('ses_1')).toMatchObject([{ turnId: 'turn_1', seq: 1 }]);
        await fileChanges.settle({ sessionId: 'ses_1', seq: 1 }, now);
        expect(await fileChanges.lastUnsettled('ses_1')).toEqual([]);
        await fileChanges.note(sampleChange({ turnId: 'turn_4' }));
        expect(await fileChanges.lastUnsettled('ses_1')).toMatchObject([{ turnId: 'turn_4', seq: 4 }]);
      }),
    );

    it(
      'numbers the changes that several note at once',
      given(async ({ store, reopen }) => {
        const others = [store, await reopen(), await reopen()];
        await Promise.all(others.flatMap(({ fileChanges }) => [1, 2, 3].map(() => fileChanges.note(sampleChange()))));
        const noted = await store.fileChanges.lastUnsettled('ses_1');
        expect(noted.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      }),
    );

    it(
      'reaches the bytes of before through the session that changed them, which no reference of a model means',
      given(async ({ store }) => {
        await store.fileChanges.note(sampleChange());
        expect(await store.contentGraph.canRead('ses_1', before)).toBe(true);
        expect(await store.contentGraph.canRead('ses_2', before)).toBe(false);
        expect(await store.contentGraph.canRead('ses_1', after)).toBe(false);
        expect(await store.contentGraph.resolveReference('ses_1', 'a'.repeat(12))).toEqual({ kind: 'none' });
        await store.turnRecords.appendMessages('ses_1', [sampleToolMessage('msg_1', before)]);
        expect(await store.contentGraph.resolveReference('ses_1', 'a'.repeat(12))).toEqual({
          kind: 'found',
          digest: before,
        });
      }),
    );

    it(
      'is refused for a session that does not exist, without a trace',
      given(async ({ store, query }) => {
        await expect(store.fileChanges.note(sampleChange({ sessionId: 'ses_9' }))).rejects.toMatchObject({
          code: 'SESSION_NOT_FOUND',
        });
        expect(await query('select * from file_changes')).toEqual([]);
      }),
    );
  });

  describe('approvals', () => {
    it(
      'remembers a key for its session, also after a reload and when it is told twice',
      given(async ({ store, reopen }) => {
        expect(await store.approvals.isRemembered('ses_1', 'key')).toBe(false);
        await store.approvals.remember('ses_1', 'key');
        await store.approvals.remember('ses_1', 'key');
        const { approvals } = await reopen();
        expect(await approvals.isRemembered('ses_1', 'key')).toBe(true);
        expect(await approvals.isRemembered('ses_1', 'Key')).toBe(false);
        expect(await approvals.isRemembered('ses_2', 'key')).toBe(false);
      }),
    );

    it(
      'remembers nothing for a session that does not exist',
      given(async ({ store }) => {
        await expect(store.approvals.remember('ses_9', 'key')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      }),
    );
  });

  describe('a store of an older build, without file changes', () => {
    const older: SupportedStore = { revision: 3, migrations: [firstTables] };

    it('gets the tables, and keeps what it holds', async () => {
      const { home, target } = await cases.newPlace(kind);
      if (target.kind === 'sqlite') {
        await mkdir(home);
        await writeFile(target.path, '');
      }
      const connection = await connect(target);
      await migrate(connection, older);
      await new SessionRepository(createDatabase(connection), 'local').create(sampleSession('ses_1'));
      const tables = await connection.kysely.introspection.getTables();
      expect(tables.map(({ name }) => name)).not.toContain('file_changes');
      await connection.close();
      const store = await openStore({ home, database: target });
      expect(await store.sessions.get('ses_1')).toEqual(sampleSession('ses_1'));
      await store.fileChanges.note(sampleChange());
      expect(await store.fileChanges.lastUnsettled('ses_1')).toHaveLength(1);
      await store.close();
    });

    it(
      'is closed to that build from then on',
      given(async ({ target }) => {
        const connection = await connect(target);
        await expect(migrate(connection, older)).rejects.toMatchObject({ code: 'UNSUPPORTED_REVISION' });
        await connection.close();
      }),
    );
  });
});
