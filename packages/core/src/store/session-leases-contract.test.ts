import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CompiledFloors, compileFloors } from '../testing/compile-floors.ts';
import {
  sampleAssistantMessage,
  sampleDigest,
  sampleSession,
  sampleTurn,
  sampleUserMessage,
  sampleVariant,
} from '../testing/sample-records.ts';
import { createStoreCases, type Rows, type StoreCase } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';
import { openStore, type Store } from './open-store.ts';
import { currentProcessMark, type ProcessMark } from './process-mark.ts';
import type { SessionLease } from './session-leases.ts';

const now = '2026-01-02T00:05:00.000Z';

/** Takes `ses_1`, starts a turn in it, says so, and waits to be killed. Arguments: store module, options, turn, message. */
const holder = `
const [storeModule, options, turn, message] = process.argv.slice(1);
const { openStore } = await import(storeModule);
const store = await openStore(JSON.parse(options));
const { value } = await store.leases.acquire('ses_1', '${now}');
await store.underLease(value.lease).turnRecords.startTurn(JSON.parse(turn), JSON.parse(message));
console.log('ready');
setInterval(() => {}, 1000);
`;

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});
let floors: CompiledFloors;

beforeAll(async () => {
  floors = await compileFloors(['base', 'content', 'media', 'store']);
  await cases.start();
});

afterAll(async () => {
  await cases.stop();
  await floors.remove();
});

async function acquire(store: Store, sessionId = 'ses_1'): Promise<SessionLease> {
  const acquired = await store.leases.acquire(sessionId, now);
  return acquired.ok ? acquired.value.lease : expect.fail(`held by ${acquired.error.pid}`);
}

/** The item of a turn that waits or runs, and one behind it, past the repositories. */
async function fillQueue(query: StoreCase['query'], turnId: string): Promise<void> {
  const body = `'{"text":"Look."}'`;
  const common = `'local', 'follow-up', '${sampleDigest('d')}', 3, ${body}, '${now}'`;
  await query("insert into session_queues values ('ses_1', 'local', 3, 2, 0, null)");
  for (const [position, id, turn] of [
    [1, 'item_1', turnId],
    [2, 'item_2', 'turn_later'],
  ]) {
    await query(
      `insert into queue_items (id, session_id, position, state, submission_id, turn_id,
        owner, intent, content_digest, schema_version, body, created_at)
       values ('${id}', 'ses_1', ${position}, 'queued', 'sub_${id}', '${turn}', ${common})`,
    );
    await query(
      `insert into content_edges (session_id, digest, kind, source_id, owner)
       values ('ses_1', '${sampleDigest('a')}', 'queue-item', '${id}', 'local')`,
    );
  }
}

/** Makes the lease one of another process. */
function setProcess(query: StoreCase['query'], changes: Partial<ProcessMark>): Promise<Rows> {
  return query(`update session_leases set process = '${JSON.stringify({ ...currentProcessMark(), ...changes })}'`);
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('leases of sessions on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () =>
    cases.withStore(kind, async (opened) => {
      await opened.store.sessions.create(sampleSession('ses_1'));
      await opened.store.sessions.create(sampleSession('ses_2'));
      await use(opened);
    });

  /** As another process would have the store, with leases of this length. */
  async function openWithLeases({ home, target }: StoreCase, leaseMs: number): Promise<Store> {
    const store = await openStore({ home, database: target, leaseMs });
    onTestFinished(() => store.close());
    return store;
  }

  it(
    'are held by one, whom the others are told by process and host',
    given(async ({ store, reopen }) => {
      const second = await reopen();
      expect(await second.leases.find('ses_1')).toBeUndefined();
      const lease = await acquire(store);
      expect(lease).toEqual({ sessionId: 'ses_1', holder: expect.stringMatching(`^${process.pid}-`), epoch: 1 });
      const who = { sessionId: 'ses_1', pid: process.pid, host: hostname(), epoch: 1 };
      expect(await second.leases.acquire('ses_1', now)).toEqual({ ok: false, error: who });
      expect(await store.leases.acquire('ses_1', now)).toEqual({ ok: false, error: who });
      expect(await second.leases.find('ses_1')).toEqual(who);
      expect((await acquire(second, 'ses_2')).epoch).toBe(1);
    }),
  );

  it(
    'are given back at once, and the next one has a higher epoch',
    given(async ({ store, reopen }) => {
      const second = await reopen();
      const first = await acquire(store);
      await store.leases.release(first);
      expect(await second.leases.find('ses_1')).toBeUndefined();
      const next = await acquire(second);
      expect(next.epoch).toBe(2);
      await store.leases.release(first);
      expect(await store.leases.find('ses_1')).toMatchObject({ epoch: 2 });
      await second.leases.release(next);
      expect((await acquire(second)).epoch).toBe(3);
    }),
  );

  it(
    'are taken by one of many that ask at the same moment',
    given(async ({ store, reopen }) => {
      const stores = [store, await reopen(), await reopen(), await reopen()];
      for (const round of [1, 2, 3, 4, 5]) {
        const outcomes = await Promise.all(stores.map(({ leases }) => leases.acquire('ses_1', now)));
        const taken = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value.lease] : []));
        expect(taken.map(({ epoch }) => epoch)).toEqual([round]);
        for (const outcome of outcomes) if (!outcome.ok) expect(outcome.error.epoch).toBe(round);
        for (const lease of taken) await store.leases.release(lease);
      }
    }),
  );

  it(
    'run out by the clock of the database and not by that of a process',
    given(async (opened) => {
      const { store, query } = opened;
      const short = await openWithLeases(opened, -1);
      await acquire(short);
      expect(await store.leases.find('ses_1')).toBeUndefined();
      const lease = await acquire(store);
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2100-01-01') });
      onTestFinished(() => void vi.useRealTimers());
      expect(await short.leases.acquire('ses_1', now)).toMatchObject({ ok: false, error: { epoch: lease.epoch } });
      const [row] = await query('select epoch, lease_until from session_leases');
      expect(row).toEqual({ epoch: 2, lease_until: expect.any(Number) });
      expect(Number.isInteger(row?.['lease_until'])).toBe(true);
    }),
  );

  it(
    'last longer when they are renewed, also late, and not once they are lost',
    given(async (opened) => {
      const { store, query } = opened;
      const lease = await acquire(store);
      await query('update session_leases set lease_until = 1');
      expect(await store.leases.find('ses_1')).toBeUndefined();
      await store.underLease(lease).turnRecords.appendMessages('ses_1', [sampleUserMessage('msg_1')]);
      expect(await store.leases.renew(lease)).toBe(true);
      expect(await store.leases.find('ses_1')).toMatchObject({ epoch: 1 });
      await query('update session_leases set lease_until = 1');
      const second = await openWithLeases(opened, 60_000);
      const next = await acquire(second);
      expect(await store.leases.renew(lease)).toBe(false);
      await second.leases.release(next);
      expect(await store.leases.renew(lease)).toBe(false);
      expect(await store.leases.find('ses_1')).toBeUndefined();
    }),
  );

  it(
    'that are lost let nothing be written, whoever has the session now',
    given(async ({ store, reopen, query }) => {
      const lease = await acquire(store);
      const { turnRecords, approvals, fileChanges, events, queue, session } = store.underLease(lease);
      await turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
      await fileChanges.note(sampleChange);
      await query('update session_leases set lease_until = 1');
      const second = await reopen();
      const next = await acquire(second);
      const everything = async () => {
        const tables = ['messages', 'turns', 'session_counters', 'sessions', 'content_edges', 'variants', 'plans'];
        const more = ['plan_images', 'approvals', 'file_changes', 'session_events', 'step_snapshots', 'session_queues'];
        return Promise.all([...tables, ...more].map((table) => query(`select * from ${table}`)));
      };
      const before = await everything();
      const turn = { id: 'turn_1', sessionId: 'ses_1' };
      const event = { seq: 1, sessionId: 'ses_1', turnId: 'turn_1', event: { type: 'step-end', step: 1 } } as const;
      const image = { originalDigest: sampleDigest('a'), digest: sampleDigest('b') };
      const writes = [
        () => turnRecords.startTurn(sampleTurn('turn_2', 'ses_1'), sampleUserMessage('msg_2')),
        () => turnRecords.appendMessages('ses_1', [sampleAssistantMessage('msg_3')]),
        () => turnRecords.noteEffects('turn_1'),
        () => turnRecords.endTurn('turn_1', { status: 'completed', endedAt: now }),
        () => turnRecords.saveVariant('ses_1', sampleVariant(sampleDigest('a'), sampleDigest('b'))),
        () => turnRecords.takeRequestNumber('ses_1'),
        () => turnRecords.savePlan({ sessionId: 'ses_1', endpointId: 'endpoint', images: [image] }),
        () => approvals.remember('ses_1', 'key'),
        () => fileChanges.note(sampleChange),
        () => fileChanges.settle({ sessionId: 'ses_1', seq: 1 }, now),
        () => events.append(turn, { events: [event] }),
        () => queue.hold('ses_1', 'failed'),
        () => queue.resume('ses_1'),
        () => session.rewind(),
        () => session.delete(),
      ];
      const lost = { code: 'LEASE_LOST', data: { sessionId: 'ses_1', epoch: 1 } };
      for (const write of writes) await expect(write()).rejects.toMatchObject(lost);
      await second.leases.release(next);
      for (const write of writes) await expect(write()).rejects.toMatchObject(lost);
      expect(await everything()).toEqual(before);
      expect(await turnRecords.loadTranscript('ses_1')).toHaveLength(1);
    }),
  );

  it(
    'note their epoch in the turns that are started under them',
    given(async ({ store, query }) => {
      await store.leases.release(await acquire(store));
      const { turnRecords } = store.underLease(await acquire(store));
      await turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
      expect(await query('select epoch from turns')).toEqual([{ epoch: 2 }]);
    }),
  );

  describe('that are taken over', () => {
    /** A turn with its queue item that another store left running. */
    async function leaveTurn({ store, query }: StoreCase): Promise<Store> {
      await fillQueue(query, 'turn_1');
      const leased = store.underLease(await acquire(store));
      await leased.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
      await leased.events.append(
        { id: 'turn_1', sessionId: 'ses_1' },
        { events: [], snapshot: { seq: 1, step: 1, text: 'I', thinking: '' } },
      );
      expect(await query("select state from queue_items where id = 'item_1'")).toEqual([{ state: 'running' }]);
      return store;
    }

    const items = 'select id, state, body is null as is_cleared from queue_items order by position';
    const edges = "select source_id from content_edges where kind = 'queue-item' order by source_id";

    it(
      'make the turn interrupted and its item done, and the queue goes on, where nothing can have changed',
      given(async (opened) => {
        const { query, reopen } = opened;
        opened.expectDamage('its items have no real bodies');
        await leaveTurn(opened);
        await query('update session_leases set lease_until = 1');
        const acquired = await (await reopen()).leases.acquire('ses_1', now);
        expect(acquired).toMatchObject({ ok: true, value: { interruptedTurnIds: ['turn_1'] } });
        expect(await query('select status, ended_at from turns')).toEqual([{ status: 'interrupted', ended_at: now }]);
        expect((await query(items)).map((row) => [row['state'], Boolean(row['is_cleared'])])).toEqual([
          ['done', true],
          ['queued', false],
        ]);
        expect(await query(edges)).toEqual([{ source_id: 'item_2' }]);
        expect(await query('select held_through, held_because from session_queues')).toEqual([
          { held_through: 0, held_because: null },
        ]);
        expect(await query('select * from step_snapshots')).toEqual([]);
      }),
    );

    it(
      'make the item uncertain and hold the queue, where a call may have changed something',
      given(async (opened) => {
        const { query, reopen, store } = opened;
        opened.expectDamage('its items have no real bodies');
        await leaveTurn(opened);
        await store.turnRecords.noteEffects('turn_1');
        await query('update session_leases set lease_until = 1');
        const second = await reopen();
        const lease = await acquire(second);
        expect((await query(items)).map((row) => [row['state'], Boolean(row['is_cleared'])])).toEqual([
          ['uncertain', false],
          ['queued', false],
        ]);
        expect(await query(edges)).toEqual([{ source_id: 'item_1' }, { source_id: 'item_2' }]);
        expect(await query('select held_through, held_because from session_queues')).toEqual([
          { held_through: 2, held_because: 'interrupted' },
        ]);
        await second.leases.release(lease);
        expect(await second.leases.acquire('ses_1', now)).toMatchObject({ value: { interruptedTurnIds: [] } });
        expect(await store.turnRecords.interruptedTurns('ses_1')).toMatchObject([{ id: 'turn_1', endedAt: now }]);
      }),
    );

    it(
      'leave the turns of other sessions alone',
      given(async ({ store, reopen, query }) => {
        const other = store.underLease(await acquire(store, 'ses_2'));
        await other.turnRecords.startTurn(sampleTurn('turn_2', 'ses_2'), sampleUserMessage('msg_2'));
        await acquire(await reopen());
        expect(await query('select status from turns')).toEqual([{ status: 'running' }]);
      }),
    );

    it(
      'are so at once when their process was killed',
      given(async ({ store, home, target }) => {
        const floor = pathToFileURL(join(floors.folder, 'store/index.js')).href;
        const message = JSON.stringify(sampleUserMessage('msg_1'));
        const words = [
          JSON.stringify({ home, database: target }),
          JSON.stringify(sampleTurn('turn_1', 'ses_1')),
          message,
        ];
        const child = spawn(process.execPath, ['--input-type=module', '-e', holder, floor, ...words], {
          cwd: floors.folder,
          env: { PATH: '/usr/bin:/bin' },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        onTestFinished(() => void child.kill('SIGKILL'));
        const ended = once(child, 'exit');
        await Promise.race([once(child.stdout, 'data'), ended]);
        const pid = child.pid ?? expect.fail('no process');
        expect(await store.leases.acquire('ses_1', now)).toMatchObject({ ok: false, error: { pid, epoch: 1 } });
        expect(await store.turnRecords.interruptedTurns('ses_1')).toEqual([]);
        child.kill('SIGKILL');
        await ended;
        expect(await store.turnRecords.interruptedTurns('ses_1')).toMatchObject([{ id: 'turn_1' }]);
        expect(await store.leases.acquire('ses_1', now)).toMatchObject({
          ok: true,
          value: { lease: { epoch: 2 }, interruptedTurnIds: ['turn_1'] },
        });
      }),
    );

    it.runIf(process.platform === 'linux')(
      'are so at once when the number of their process belongs to a newer one',
      given(async ({ store, reopen, query }) => {
        await acquire(store);
        await setProcess(query, { startedAt: '1' });
        expect((await acquire(await reopen())).epoch).toBe(2);
      }),
    );

    it(
      'are not so before they ran out where their process cannot be seen from here',
      given(async ({ store, reopen, query }) => {
        const { turnRecords } = store.underLease(await acquire(store));
        await turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
        await setProcess(query, { host: 'another-host', boot: 'theirs', pid: 4_194_305 });
        const second = await reopen();
        expect(await second.leases.acquire('ses_1', now)).toMatchObject({ error: { host: 'another-host' } });
        expect(await second.turnRecords.interruptedTurns('ses_1')).toEqual([]);
        await query('update session_leases set lease_until = 1');
        expect(await second.turnRecords.interruptedTurns('ses_1')).toMatchObject([{ id: 'turn_1' }]);
        expect((await acquire(second)).epoch).toBe(2);
      }),
    );
  });

  it(
    'are refused for a session that does not exist or belongs to another owner, without a trace',
    given(async ({ store, query }) => {
      await query("update sessions set owner = 'somebody' where id = 'ses_2'");
      for (const id of ['ses_2', 'ses_9']) {
        await expect(store.leases.acquire(id, now)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      }
      expect(await query('select * from session_leases')).toEqual([]);
    }),
  );

  it(
    'that are damaged are named and not quoted',
    given(async ({ store, query, expectDamage }) => {
      expectDamage('its rows are not valid');
      await acquire(store);
      await query(`update session_leases set process = '{"host":"secret"}'`);
      const failure = await store.leases.find('ses_1').catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'RECORD_INVALID', data: { table: 'session_leases', id: 'ses_1' } });
      expect(JSON.stringify(failure)).not.toContain('secret');
    }),
  );
});

const sampleChange = {
  sessionId: 'ses_1',
  turnId: 'turn_1',
  path: '/home/user/project/a.txt',
  displayPath: 'a.txt',
  beforeDigest: sampleDigest('e'),
  afterDigest: sampleDigest('f'),
};
