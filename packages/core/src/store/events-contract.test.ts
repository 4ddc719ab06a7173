import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FoveaEvent, SequencedEvent } from '../content/events.ts';
import { sampleDigest, sampleSession, sampleTurn, sampleUserMessage } from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';

const turn = { id: 'turn_1', sessionId: 'ses_1' };

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

/** The events of a turn that looks at a picture, one of each kind that a turn tells. */
const typicalTurn: readonly FoveaEvent[] = [
  { type: 'turn-accepted', sessionId: 'ses_1', turnId: 'turn_1', submissionId: 'sub_1' },
  { type: 'reference-notice', path: '.env', code: 'FORBIDDEN', message: '.env may not be read' },
  { type: 'step-start', step: 1, model: 'offline/reader' },
  {
    type: 'request',
    request: 1,
    turnId: 'turn_1',
    step: 1,
    channel: 'offline',
    model: 'reader',
    wireApi: 'openai-chat',
    bodyBytes: 4096,
    bodyLimit: 2 ** 33,
    imagesTotal: 1,
    imagesChanged: [
      {
        digest: sampleDigest('a'),
        name: '截图 🖼.png',
        originalWidthPx: 10,
        originalHeightPx: 20,
        mediaType: 'image/png',
        widthPx: 5,
        heightPx: 10,
        region: { x: 0, y: 0, width: 1, height: 2 },
        sizeBytes: 99,
        estimatedTokens: 12.5,
        change: ['resized', 'metadata'],
      },
    ],
  },
  { type: 'retry', step: 1, attempt: 1, delayMs: 512.25, code: 'ENDPOINT_RATE_LIMITED' },
  { type: 'request-end', request: 1, accepted: false, code: 'ENDPOINT_RATE_LIMITED' },
  { type: 'request-end', request: 1, accepted: true },
  { type: 'thinking-delta', text: 'Hm \u0000 \ud83d' },
  { type: 'text-delta', text: ' \ude00 "quoted" \r\n' },
  {
    type: 'tool-call',
    toolCallId: 'call_1',
    name: 'view_image',
    arguments: '{ "path" : "a.png" }',
    activity: { kind: 'READ', target: 'a.png' },
  },
  {
    type: 'approval-request',
    toolCallId: 'call_1',
    name: 'run_command',
    arguments: '{}',
    demand: 'execute',
    target: 'ls',
    isAfterForeignPicture: true,
  },
  { type: 'approval-result', toolCallId: 'call_1', decision: 'allowed', by: 'user' },
  {
    type: 'tool-result',
    toolCallId: 'call_1',
    isError: false,
    result: '{"type":"image","path":"a.png"}',
    preview: { media_type: 'image', mime: 'image/png', digest: sampleDigest('a'), width: 10, height: 20 },
    attachments: [
      { mime: 'image/png', path: 'a.png', digest: sampleDigest('a'), width: 10, height: 20, size_bytes: 123 },
    ],
    diff: { path: 'a.txt', isNew: false, addedLines: 1, removedLines: 0, text: '+a', isCut: false },
  },
  { type: 'image-notice', digest: sampleDigest('a'), name: 'a.png', kind: 'described', message: 'a cat' },
  { type: 'usage', step: 1, model: 'reader', inputTokens: 1, cachedTokens: 0, outputTokens: 2 },
  {
    type: 'usage',
    step: 1,
    model: 'reader',
    inputTokens: 1,
    cachedTokens: 0,
    outputTokens: 2,
    cost: { amount: 0.1, currency: 'CNY' },
  },
  {
    type: 'queue',
    items: [{ id: 'item_1', state: 'queued', intent: 'steer', submissionId: 'sub_2', turnId: 'turn_2' }],
    held: { because: 'failed', count: 1 },
  },
  { type: 'step-snapshot', step: 1, text: 'so far', thinking: '' },
  { type: 'step-end', step: 1 },
  {
    type: 'turn-refused',
    items: [{ index: 0, name: 'a.png', code: 'NOT_FOUND', message: 'no file', actual: 1, limit: 2, truncated: true }],
  },
  { type: 'turn-end', status: 'failed', error: { code: 'STREAM_CUT', message: 'cut' } },
];

function sequence(events: readonly FoveaEvent[], first = 1_000_000_001): readonly SequencedEvent[] {
  return events.map((event, index) => ({ seq: first + index, sessionId: 'ses_1', turnId: 'turn_1', event }));
}

describe.each<DatabaseKind>(['sqlite', 'postgres'])('events on %s', (kind) => {
  const given = (use: (given: StoreCase) => Promise<void>) => () =>
    cases.withStore(kind, async (opened) => {
      await opened.store.sessions.create(sampleSession('ses_1'));
      await opened.store.sessions.create(sampleSession('ses_2'));
      await opened.store.turnRecords.startTurn(sampleTurn('turn_1', 'ses_1'), sampleUserMessage('msg_1'));
      await use(opened);
    });

  it(
    'come back to another process exactly and in order, behind the one that it has seen',
    given(async ({ store, reopen }) => {
      const events = sequence(typicalTurn);
      await store.events.append(turn, { events: events.slice(0, 5) });
      await store.events.append(turn, { events: events.slice(5) });
      const second = await reopen();
      expect(await second.events.readAfter('ses_1', 0)).toEqual({ events, snapshots: [] });
      expect((await second.events.readAfter('ses_1', 1_000_000_005)).events).toEqual(events.slice(5));
      expect(await second.events.readAfter('ses_1', events.at(-1)?.seq ?? 0)).toEqual({ events: [], snapshots: [] });
      expect(await second.events.readAfter('ses_2', 0)).toEqual({ events: [], snapshots: [] });
    }),
  );

  it(
    'hold no base64 and no picture',
    given(async ({ store, query }) => {
      await store.events.append(turn, {
        events: sequence(typicalTurn),
        snapshot: { seq: 1_000_000_030, step: 1, text: 'I see a cat.', thinking: 'Hm.' },
      });
      const text = JSON.stringify([
        await query('select * from session_events'),
        await query('select * from step_snapshots'),
      ]);
      expect(text).toContain(sampleDigest('a'));
      expect(text).not.toMatch(/data:|base64|[A-Za-z0-9+/]{100}/);
    }),
  );

  it(
    'have one snapshot a step, the newest, which whoever saw as much is not given',
    given(async ({ store, reopen, query }) => {
      const snapshot = (seq: number, step: number, text: string) => ({ seq, step, text, thinking: '\u0000' });
      await store.events.append(turn, { events: [], snapshot: snapshot(3, 1, 'a') });
      await store.events.append(turn, { events: [], snapshot: snapshot(5, 1, 'ab') });
      await store.events.append(turn, { events: sequence([{ type: 'step-end', step: 1 }], 6) });
      await store.events.append(turn, { events: [], snapshot: snapshot(9, 2, 'c') });
      const { events } = await reopen();
      expect(await events.readAfter('ses_1', 0)).toEqual({
        events: sequence([{ type: 'step-end', step: 1 }], 6),
        snapshots: [
          { ...snapshot(5, 1, 'ab'), turnId: 'turn_1' },
          { ...snapshot(9, 2, 'c'), turnId: 'turn_1' },
        ],
      });
      expect((await events.readAfter('ses_1', 5)).snapshots).toEqual([{ ...snapshot(9, 2, 'c'), turnId: 'turn_1' }]);
      expect((await events.readAfter('ses_1', 9)).snapshots).toEqual([]);
      expect(await query('select count(*) as total from step_snapshots')).toEqual([{ total: 2 }]);
    }),
  );

  it(
    'are stored all or none of one time, with their snapshot',
    given(async ({ store }) => {
      const [first, second] = sequence(typicalTurn);
      if (first === undefined || second === undefined) return expect.fail('too few events');
      const snapshot = { seq: second.seq, step: 1, text: 'a', thinking: '' };
      await expect(store.events.append(turn, { events: [first, second, first], snapshot })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
      expect(await store.events.readAfter('ses_1', 0)).toEqual({ events: [], snapshots: [] });
    }),
  );

  it(
    'are read as one moment left them: no event is given that the snapshot beside it does not know',
    given(async ({ store, reopen }) => {
      const second = await reopen();
      const writing = (async () => {
        for (let seq = 1; seq <= 60; seq += 1) {
          const event = { type: 'text-delta', text: String(seq) } as const;
          await store.events.append(turn, {
            events: sequence([event], seq),
            snapshot: { seq, step: 1, text: String(seq), thinking: '' },
          });
        }
      })();
      let seen = 0;
      while (seen < 60) {
        const { events, snapshots } = await second.events.readAfter('ses_1', 0);
        seen = events.at(-1)?.seq ?? 0;
        expect(snapshots[0]?.seq ?? 0).toBe(seen);
      }
      await writing;
    }),
  );

  it(
    'are gone when their turn ends, and only then',
    given(async ({ store, query }) => {
      await store.turnRecords.startTurn(sampleTurn('turn_2', 'ses_2'), sampleUserMessage('msg_2'));
      const snapshot = { seq: 9, step: 1, text: 'a', thinking: '' };
      for (const [sessionId, id] of [
        ['ses_1', 'turn_1'],
        ['ses_2', 'turn_2'],
      ] as const) {
        await store.events.append({ id, sessionId }, { events: sequence([{ type: 'step-end', step: 1 }]), snapshot });
      }
      await store.turnRecords.endTurn('turn_1', { status: 'completed', endedAt: '2026-01-02T00:02:00.000Z' });
      for (const table of ['session_events', 'step_snapshots']) {
        expect(await query(`select turn_id from ${table}`)).toEqual([{ turn_id: 'turn_2' }]);
      }
    }),
  );

  it(
    'that are damaged are named by row and never quoted',
    given(async ({ store, query, expectDamage }) => {
      expectDamage('its rows are not valid');
      await store.events.append(turn, { events: sequence([{ type: 'text-delta', text: 'a' }], 7) });
      for (const body of ['{"type":"text-delta","text":7,"password":""}', '{"type":"password"}']) {
        await query(`update session_events set body = '${body}'`);
        const failure = await store.events.readAfter('ses_1', 0).catch((error: unknown) => error);
        expect(failure).toMatchObject({ code: 'RECORD_INVALID', data: { table: 'session_events', id: 'ses_1/7' } });
        expect(JSON.stringify(failure)).not.toContain('password');
      }
      await query('delete from session_events');
      await store.events.append(turn, { events: [], snapshot: { seq: 9, step: 1, text: 'a', thinking: '' } });
      await query(`update step_snapshots set body = '{}'`);
      await expect(store.events.readAfter('ses_1', 0)).rejects.toMatchObject({
        code: 'RECORD_INVALID',
        data: { table: 'step_snapshots', id: 'turn_1/1' },
      });
    }),
  );

  it(
    'can be waited for without reading rows where the database says that somebody else has written',
    given(async ({ store, reopen }) => {
      const { events } = await reopen();
      const before = await events.changeMark();
      if (kind === 'postgres') return expect(before).toBeUndefined();
      expect(await events.changeMark()).toBe(before);
      await store.events.append(turn, { events: sequence([{ type: 'step-end', step: 1 }]) });
      const after = await events.changeMark();
      expect(after).toEqual(expect.any(Number));
      expect(after).not.toBe(before);
      expect(await events.changeMark()).toBe(after);
    }),
  );
});
