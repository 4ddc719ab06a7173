import { mkdir, writeFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../content/messages.ts';
import {
  sampleAssistantMessage,
  sampleDigest,
  sampleSession,
  sampleToolMessage,
  sampleUserMessage,
  sampleVariant,
} from '../testing/sample-records.ts';
import { createStoreCases, type Rows } from '../testing/store-cases.ts';
import { type Codec, codecOf, type DatabaseKind } from './codec.ts';
import { connect, createDatabase, type DatabaseTarget } from './database.ts';
import { migrate } from './migrate.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { fileChanges } from './migrations/0002-file-changes.ts';
import { openStore, type Store } from './open-store.ts';
import { currentProcessMark } from './process-mark.ts';
import { SessionRepository } from './session-repository.ts';
import type { Tables } from './tables.ts';

const now = '2026-01-02T00:05:00.000Z';
const [original, other, variant] = [sampleDigest('a'), sampleDigest('b'), sampleDigest('c')];

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

const conversation: readonly Message[] = [
  sampleUserMessage('msg_1', { content: ' \u0000 lone \ud800 "quoted" 中文 ' }),
  sampleAssistantMessage('msg_2'),
  sampleToolMessage('msg_3', original),
  sampleUserMessage('msg_4', { turnId: 'turn_2' }),
];

/** The rows of a conversation whose last turn was running when its process died, as migration 2 had them. */
async function fillOlderStore(kysely: Kysely<Tables>, codec: Codec): Promise<void> {
  for (const [index, message] of conversation.entries()) {
    // A number is missing, as after messages that were never stored.
    const seq = index < 2 ? index + 1 : index + 3;
    await sql`insert into messages (session_id, seq, owner, id, turn_id, revision, body)
      values ('ses_1', ${seq}, 'local', ${message.id}, ${message.turnId}, 3, ${codec.encodeJson(message)})`.execute(
      kysely,
    );
  }
  await sql`insert into messages (session_id, seq, owner, id, turn_id, revision, body)
    values ('ses_2', 1, 'local', 'msg_1', 'turn_9', 3, ${codec.encodeJson(sampleUserMessage('msg_1'))})`.execute(
    kysely,
  );
  await sql`update session_counters set last_message_seq = 6, message_count = 4, last_request_number = 7
    where session_id = 'ses_1'`.execute(kysely);
  await sql`update session_counters set last_message_seq = 1, message_count = 1 where session_id = 'ses_2'`.execute(
    kysely,
  );
  const dead = codec.encodeJson({ ...currentProcessMark(), pid: 4_194_305 });
  for (const [id, status] of [
    ['turn_1', 'completed'],
    ['turn_2', 'running'],
  ]) {
    await sql`insert into turns (id, session_id, owner, submission_id, status, started_at, writer)
      values (${id}, 'ses_1', 'local', ${`sub_of_${id}`}, ${status}, ${`2026-01-02T00:00:0${id?.at(-1)}.000Z`}, ${dead})`.execute(
      kysely,
    );
  }
  const plans = [
    [
      'ses_1',
      'endpoint',
      [
        { originalDigest: original, digest: variant },
        { originalDigest: other, digest: other },
      ],
    ],
    ['ses_1', 'elsewhere', []],
    ['ses_2', 'endpoint', [{ originalDigest: other, digest: variant }]],
  ] as const;
  for (const [session, endpoint, images] of plans) {
    await sql`insert into plans (session_id, endpoint_id, owner, images)
      values (${session}, ${endpoint}, 'local', ${codec.encodeJson(images)})`.execute(kysely);
  }
  const { changes, ...facts } = sampleVariant(original, variant);
  await sql`insert into variants values ('local', ${facts.originalDigest}, ${facts.variantKey}, ${facts.digest},
    ${facts.mediaType}, ${facts.sizeBytes}, ${facts.widthPx}, ${facts.heightPx}, ${codec.encodeJson(changes)})`.execute(
    kysely,
  );
  await sql`insert into content_edges (session_id, digest, kind, source_id, owner)
    values ('ses_1', ${original}, 'message', 'msg_3', 'local')`.execute(kysely);
  await sql`insert into file_changes values
    ('ses_1', 1, 'local', 'turn_1', '"/home/a.txt"', '"a.txt"', null, ${other}, null)`.execute(kysely);
  await sql`insert into approvals values ('ses_1', 'key', 'local')`.execute(kysely);
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('a store of migration 2 on %s', (kind) => {
  async function withOlderStore(
    use: (store: Store, query: (statement: string) => Promise<Rows>, target: DatabaseTarget) => Promise<void>,
  ): Promise<void> {
    const { home, target } = await cases.newPlace(kind);
    if (target.kind === 'sqlite') {
      await mkdir(home);
      await writeFile(target.path, '');
    }
    const connection = await connect(target);
    await migrate(connection, { revision: 3, migrations: [firstTables, fileChanges] });
    // Its tables of sessions are those of today.
    const sessions = new SessionRepository(createDatabase(connection), 'local');
    for (const id of ['ses_1', 'ses_2', 'ses_3']) await sessions.create(sampleSession(id));
    await fillOlderStore(connection.kysely, codecOf(kind));
    const store = await openStore({ home, database: target });
    try {
      await use(
        store,
        async (statement) => (await sql.raw<Rows[number]>(statement).execute(connection.kysely)).rows,
        target,
      );
    } finally {
      await store.close();
      await connection.close();
    }
  }

  it('reads everything as it was', () =>
    withOlderStore(async (store) => {
      const { turnRecords } = store;
      expect(await store.sessions.get('ses_1')).toEqual(sampleSession('ses_1'));
      expect(await turnRecords.loadTranscript('ses_1')).toEqual(conversation);
      expect(await turnRecords.loadTranscript('ses_2')).toEqual([sampleUserMessage('msg_1')]);
      expect(await turnRecords.loadTranscript('ses_3')).toEqual([]);
      expect(await turnRecords.loadPage('ses_1', { before: 'msg_4', limit: 2 })).toEqual(conversation.slice(1, 3));
      expect((await store.sessions.list(9)).map(({ id, messageCount }) => [id, messageCount])).toEqual([
        ['ses_2', 1],
        ['ses_1', 4],
      ]);
      expect(await turnRecords.findVariant(original, 'v1/default')).toEqual(sampleVariant(original, variant));
      expect(await store.contentGraph.canRead('ses_1', original)).toBe(true);
      expect(await store.contentGraph.canRead('ses_2', original)).toBe(false);
      expect(await store.fileChanges.lastUnsettled('ses_1')).toMatchObject([{ seq: 1, path: '/home/a.txt' }]);
      expect(await store.approvals.isRemembered('ses_1', 'key')).toBe(true);
      expect(await turnRecords.takeRequestNumber('ses_1')).toBe(8);
    }));

  it('has its plans, with their pictures in rows of their own', () =>
    withOlderStore(async ({ turnRecords }, query) => {
      expect(await turnRecords.loadPlan('ses_1', 'endpoint')).toEqual({
        sessionId: 'ses_1',
        endpointId: 'endpoint',
        images: [
          { originalDigest: original, digest: variant },
          { originalDigest: other, digest: other },
        ],
      });
      expect((await turnRecords.loadPlan('ses_1', 'elsewhere'))?.images).toEqual([]);
      expect((await turnRecords.loadPlan('ses_2', 'endpoint'))?.images).toHaveLength(1);
      expect(await query('select session_id, position, digest from plan_images order by session_id, position')).toEqual(
        [
          { session_id: 'ses_1', position: 0, digest: variant },
          { session_id: 'ses_1', position: 1, digest: other },
          { session_id: 'ses_2', position: 0, digest: variant },
        ],
      );
    }));

  it('has one course, which goes on, and can be edited', () =>
    withOlderStore(async ({ turnRecords, leases, underLease }, query) => {
      expect(
        await query("select seq, parent_seq, depth from messages where session_id = 'ses_1' order by seq"),
      ).toEqual([
        { seq: 1, parent_seq: null, depth: 1 },
        { seq: 2, parent_seq: 1, depth: 2 },
        { seq: 5, parent_seq: 2, depth: 3 },
        { seq: 6, parent_seq: 5, depth: 4 },
      ]);
      await turnRecords.appendMessages('ses_1', [sampleAssistantMessage('msg_5')]);
      expect(await turnRecords.loadTranscript('ses_1')).toHaveLength(5);
      const acquired = await leases.acquire('ses_1', now);
      const lease = acquired.ok ? acquired.value.lease : expect.fail('held');
      const turn = {
        id: 'turn_3',
        sessionId: 'ses_1',
        submissionId: 'sub_3',
        status: 'running',
        startedAt: now,
      } as const;
      await underLease(lease).turnRecords.startTurn(turn, sampleUserMessage('msg_6'), { edits: 'msg_4' });
      expect((await turnRecords.loadTranscript('ses_1')).map(({ id }) => id)).toEqual([
        'msg_1',
        'msg_2',
        'msg_3',
        'msg_6',
      ]);
    }));

  it('has a turn that was running as interrupted, which the next holder settles', () =>
    withOlderStore(async ({ turnRecords, leases }, query) => {
      expect(await turnRecords.interruptedTurns('ses_1')).toMatchObject([{ id: 'turn_2', status: 'interrupted' }]);
      expect(await query("select status from turns where id = 'turn_2'")).toEqual([{ status: 'running' }]);
      expect(await leases.acquire('ses_1', now)).toMatchObject({
        value: { lease: { epoch: 1 }, interruptedTurnIds: ['turn_2'] },
      });
      expect(await query("select status, ended_at from turns where id = 'turn_2'")).toEqual([
        { status: 'interrupted', ended_at: now },
      ]);
    }));

  it('has the migrations of today, once, however often it is opened', () =>
    withOlderStore(async (_store, query, target) => {
      const meta = await query('select migration from meta');
      expect(meta[0]?.['migration']).toBeGreaterThanOrEqual(7);
      const connection = await connect(target);
      await migrate(connection);
      await connection.close();
      expect(await query('select migration from meta')).toEqual(meta);
      expect(await query('select count(*) as total from plan_images')).toEqual([{ total: 3 }]);
    }));
});
