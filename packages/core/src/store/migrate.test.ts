import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDigest, sampleSession, sampleTurn, sampleUserMessage } from '../testing/sample-records.ts';
import { createStoreCases, type Rows, type StoreCase } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';
import type { Connection } from './connection.ts';
import { connect, createDatabase, type DatabaseTarget } from './database.ts';
import { migrate } from './migrate.ts';
import { openStore, type Store } from './open-store.ts';
import { currentProcessMark } from './process-mark.ts';
import { SessionRepository } from './session-repository.ts';
import { supportedStore } from './supported-store.ts';

/** Leases came with the fourth migration, so that an older build of five has them. */
const older = { ...supportedStore, migrations: supportedStore.migrations.slice(0, 5) };

const execute = async (statement: string, { kysely }: Connection): Promise<Rows> =>
  (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
const cases = createStoreCases(execute);

beforeAll(() => cases.start());
afterAll(() => cases.stop());

interface Place {
  readonly home: string;
  readonly target: DatabaseTarget;
}

async function queryPlace({ target }: Pick<Place, 'target'>, statement: string): Promise<Rows> {
  const connection = await connect(target);
  try {
    return await execute(statement, connection);
  } finally {
    await connection.close();
  }
}

/** A store as an older build left it, with one session. */
async function makeOlderStore(kind: DatabaseKind): Promise<Place> {
  const place = await cases.newPlace(kind);
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  if (place.target.kind === 'sqlite') await writeFile(place.target.path, '', { mode: 0o600 });
  const connection = await connect(place.target);
  await migrate(connection, older);
  await new SessionRepository(createDatabase(connection), 'local').create(sampleSession('ses_1'));
  await connection.close();
  return place;
}

const open = ({ home, target }: Place): Promise<Store> => openStore({ home, database: target });
const migrationOf = async (place: Pick<Place, 'target'>) =>
  (await queryPlace(place, 'select migration from meta'))[0]?.['migration'];

/** The names of the copies of a store. */
async function copiesOf({ home, target }: Place): Promise<readonly string[]> {
  if (target.kind === 'sqlite') return readdir(join(home, 'backups')).catch(() => []);
  const schemas = "select nspname as name from pg_namespace where nspname like 'fovea_backup%' order by nspname";
  return (await queryPlace({ target }, schemas)).map(({ name }) => String(name));
}

async function queryCopy({ home, target }: Place, name: string, table: string): Promise<Rows> {
  if (target.kind === 'postgres') return queryPlace({ target }, `select * from ${name}.${table}`);
  return queryPlace({ target: { kind: 'sqlite', path: join(home, 'backups', name) } }, `select * from ${table}`);
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('an upgrade on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () => cases.withStore(kind, use);

  it('is preceded by a whole copy of the store as it was', async () => {
    const place = await makeOlderStore(kind);
    await (await open(place)).close();
    const [name, ...others] = await copiesOf(place);
    expect(others).toEqual([]);
    expect(name).toMatch(kind === 'sqlite' ? /^fovea-before-6-\d{8}T\d{6}Z\.db$/ : /^fovea_backup_6_\d{8}t\d{6}z$/);
    expect(await queryCopy(place, name ?? '', 'meta')).toMatchObject([{ migration: 5, revision: 3 }]);
    expect(await queryCopy(place, name ?? '', 'sessions')).toMatchObject([{ id: 'ses_1', title: 'A dialog' }]);
    expect(Object.keys((await queryCopy(place, name ?? '', 'session_counters'))[0] ?? {})).toContain('head_seq');
    expect(await migrationOf(place)).toBe(supportedStore.migrations.length);
    if (kind === 'sqlite') {
      expect((await stat(join(place.home, 'backups'))).mode & 0o777).toBe(0o700);
      expect((await stat(join(place.home, 'backups', name ?? ''))).mode & 0o777).toBe(0o600);
    }
  });

  it('makes no copy of a new store, and none when there is nothing to do', async () => {
    const place = await cases.newPlace(kind);
    await (await open(place)).close();
    await (await open(place)).close();
    expect(await copiesOf(place)).toEqual([]);
  });

  it('is made once, with one copy, when several open the store at once', async () => {
    const place = await makeOlderStore(kind);
    const stores = await Promise.all([1, 2, 3].map(() => open(place)));
    for (const store of stores) expect((await store.sessions.get('ses_1'))?.id).toBe('ses_1');
    for (const store of stores) await store.close();
    expect(await copiesOf(place)).toHaveLength(1);
  });

  it('does not happen where no copy can be made, and says why', async () => {
    const place = await makeOlderStore(kind);
    const obstacle =
      "create function refuse_schema() returns event_trigger language plpgsql as $$ begin raise exception 'no' using errcode = '53100'; end $$";
    if (kind === 'sqlite') await writeFile(join(place.home, 'backups'), '');
    else {
      await queryPlace(place, obstacle);
      await queryPlace(
        place,
        "create event trigger refuse_schema on ddl_command_start when tag in ('CREATE SCHEMA') execute function refuse_schema()",
      );
    }
    const failure = await open(place).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        kind === 'sqlite'
          ? /is not upgraded, because no copy of it can be made in .*backups: something that is not a folder/
          : /is not upgraded, because no copy of it can be made as schema .*: no space is left on the device/,
      ),
    });
    expect(await migrationOf(place)).toBe(5);
    expect(kind === 'sqlite' ? [] : await copiesOf(place)).toEqual([]);
  });

  it.each(['turn', 'lease'])('waits for a living process that works with the older tables by a %s', async (work) => {
    const place = await makeOlderStore(kind);
    const mark = JSON.stringify(currentProcessMark());
    await queryPlace(
      place,
      work === 'turn'
        ? `insert into turns (id, session_id, owner, submission_id, status, started_at, writer)
           values ('turn_1', 'ses_1', 'local', 'sub', 'running', 'then', '${mark}')`
        : `insert into session_leases (session_id, owner, holder, process, epoch, lease_until)
           values ('ses_1', 'local', 'somebody', '${mark}', 1, 9000000000000)`,
    );
    const failure = open(place);
    await expect(failure).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { pid: process.pid } });
    await expect(failure).rejects.toThrow(`the process ${process.pid} on `);
    expect(await migrationOf(place)).toBe(5);
    expect(await copiesOf(place)).toEqual([]);
  });

  it.each([
    [
      'turn of a dead one',
      `insert into turns (id, session_id, owner, submission_id, status, started_at, writer)
       values ('turn_1', 'ses_1', 'local', 'sub', 'running', 'then', '${JSON.stringify({ ...currentProcessMark(), startedAt: 'before' })}')`,
    ],
    [
      'turn of a machine that is not seen from here',
      `insert into turns (id, session_id, owner, submission_id, status, started_at, writer)
       values ('turn_1', 'ses_1', 'local', 'sub', 'running', 'then', '${JSON.stringify({ ...currentProcessMark(), host: 'another' })}')`,
    ],
    [
      'lease that has run out',
      `insert into session_leases (session_id, owner, holder, process, epoch, lease_until)
       values ('ses_1', 'local', 'somebody', '${JSON.stringify({ ...currentProcessMark(), host: 'another' })}', 1, 1000)`,
    ],
  ])('does not wait for a %s', async (_kind, statement) => {
    const place = await makeOlderStore(kind);
    await queryPlace(place, statement);
    await (await open(place)).close();
    expect(await migrationOf(place)).toBe(supportedStore.migrations.length);
  });

  it(
    'by a newer build ends what this one writes, and not what it reads',
    given(async ({ store, query }) => {
      await store.sessions.create(sampleSession('ses_1'));
      await query('update meta set migration = migration + 1, min_writer = 4');
      const failure = store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
      await expect(failure).rejects.toMatchObject({ code: 'UNSUPPORTED_REVISION' });
      await expect(failure).rejects.toThrow(/a newer Fovea has upgraded the store .* start this one anew/);
      await expect(store.turnRecords.takeRequestNumber('ses_1')).rejects.toMatchObject({
        code: 'UNSUPPORTED_REVISION',
      });
      expect(await query('select * from messages')).toEqual([]);
      expect((await store.sessions.get('ses_1'))?.id).toBe('ses_1');
    }),
  );

  it(
    'by a newer build whose store this one may read opens it for reading only',
    given(async ({ store, query, home, target }) => {
      await store.sessions.create(sampleSession('ses_1'));
      await store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
      await query('update meta set migration = 99, min_writer = 4, revision = 4');
      await expect(openStore({ home, database: target })).rejects.toMatchObject({
        code: 'UNSUPPORTED_REVISION',
        data: { minReader: 3, minWriter: 4, supportedRevision: 3 },
      });
      const reader = await openStore({ home, database: target, need: 'read' });
      expect(reader.isReadOnly).toBe(true);
      expect(await reader.sessions.list(9)).toMatchObject([{ id: 'ses_1', messageCount: 1 }]);
      expect(await reader.turnRecords.loadTranscript('ses_1')).toEqual([sampleUserMessage('msg_1')]);
      for (const write of [
        () => reader.sessions.create(sampleSession('ses_2')),
        () => reader.turnRecords.takeRequestNumber('ses_1'),
        () => reader.leases.acquire('ses_1', '2026-01-02T00:00:00.000Z'),
        () => reader.blobs.put(sampleDigest('a'), Buffer.from('x')),
      ]) {
        await expect(write()).rejects.toMatchObject({ code: 'UNSUPPORTED_REVISION' });
        await expect(write()).rejects.toThrow('the store can only be read: a newer Fovea upgraded the store');
      }
      await reader.close();
      expect(await query('select last_request_number from session_counters')).toEqual([{ last_request_number: 0 }]);
    }),
  );

  it('that this build can make is made also by whoever only wants to read', async () => {
    const place = await makeOlderStore(kind);
    const reader = await openStore({ home: place.home, database: place.target, need: 'read' });
    expect(reader.isReadOnly).toBe(false);
    await reader.close();
    expect(await copiesOf(place)).toHaveLength(1);
  });
});

describe.each<DatabaseKind>(['sqlite', 'postgres'])('a record of a newer revision on %s', (kind) => {
  it('is refused when it is read, stays as it is, and others are read', () =>
    cases.withStore(kind, async ({ store, query, expectDamage }) => {
      expectDamage('a newer build wrote a record');
      for (const id of ['ses_1', 'ses_2']) {
        await store.sessions.create(sampleSession(id));
        await store.turnRecords.startTurn(sampleTurn(`turn_${id}`, id), sampleUserMessage(`msg_${id}`));
      }
      await query("update sessions set storage_revision = 4 where id = 'ses_1'");
      await query("update messages set revision = 4 where session_id = 'ses_1'");
      const before = await query('select * from sessions order by id');
      await expect(store.sessions.get('ses_1')).rejects.toMatchObject({
        code: 'UNSUPPORTED_REVISION',
        data: { table: 'sessions', id: 'ses_1', revision: 4, supported: 3 },
      });
      await expect(store.turnRecords.loadTranscript('ses_1')).rejects.toMatchObject({ code: 'UNSUPPORTED_REVISION' });
      expect((await store.sessions.list(9)).map(({ id }) => id)).toEqual(['ses_2', 'ses_1']);
      expect((await store.sessions.get('ses_2'))?.id).toBe('ses_2');
      expect(await query('select * from sessions order by id')).toEqual(before);
    }));

  it('is what a store is for a build with a lower supported revision, which changes nothing', () =>
    cases.withStore(kind, async ({ store, query, home, target }) => {
      await store.sessions.create(sampleSession('ses_1'));
      const before = await query('select * from meta');
      for (const need of ['read', 'write'] as const) {
        await expect(openStore({ home, database: target, need, supportedRevision: 2 })).rejects.toMatchObject({
          code: 'UNSUPPORTED_REVISION',
          data: { minReader: 3, supportedRevision: 2 },
        });
      }
      expect(await query('select * from meta')).toEqual(before);
    }));
});
