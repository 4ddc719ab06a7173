import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdmitLegacyPicturesOptions, admitLegacyPictures } from '../attachments/admit-legacy-pictures.ts';
import { parseJson } from '../base/parse-json.ts';
import type { ModelRequest } from '../content/request.ts';
import { digestOf } from '../media/digest.ts';
import type { DatabaseKind } from '../store/codec.ts';
import type { Store } from '../store/open-store.ts';
import { createTurnHarness, type TurnHarness } from './create-turn-harness.ts';
import { makeTwoColorPng } from './make-pictures.ts';
import { createScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';
import { createStoreCases, type StoreCase } from './store-cases.ts';

const folder = fileURLToPath(new URL('../../../../fixtures/old-forms/', import.meta.url));
const redGreen = makeTwoColorPng({ left: 'red', right: 'green' });
const blueYellow = makeTwoColorPng({ left: 'blue', right: 'yellow' });
const blackWhite = makeTwoColorPng({ left: 'black', right: 'white' });
const answer = [
  { type: 'text-delta', text: 'Still the same.' },
  { type: 'finish', reason: 'stop', usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1 } },
] as const;

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

async function readFixture(revision: number): Promise<readonly unknown[]> {
  const parsed = parseJson(await readFile(`${folder}revision-${revision}.json`, 'utf8'));
  if (!parsed.ok || !Array.isArray(parsed.value)) throw new Error('the fixture is no list');
  return parsed.value;
}

/** As an older program would have left them: whole rows, past the repositories. */
async function insertOldRows({ query, store }: StoreCase, revision: 1 | 2): Promise<number> {
  const bodies = await readFixture(revision);
  for (const [index, body] of bodies.entries()) {
    const seq = index + 1;
    const text = JSON.stringify(body).replaceAll("'", "''");
    await query(`
      insert into messages (session_id, seq, owner, id, turn_id, revision, body, parent_seq, depth)
      values ('ses_1', ${seq}, 'local', 'old_${seq}', 'old_turn', ${revision}, '${text}', ${seq === 1 ? 'null' : seq - 1}, ${seq})
    `);
  }
  const count = bodies.length;
  await query(`update session_counters set head_seq = ${count}, last_message_seq = ${count}, message_count = ${count}`);
  if (revision === 2) {
    // Of revision 2 on, the bytes are stored beside the messages.
    await store.blobs.put(digestOf(blueYellow), await readFile(`${folder}left.png`));
    await query(`
      insert into content_edges (session_id, digest, kind, source_id, owner)
      values ('ses_1', '${digestOf(blueYellow)}', 'message', 'old_3', 'local')
    `);
  }
  return count;
}

function createHarness(provider: ScriptedProvider): TurnHarness {
  return createTurnHarness({ provider });
}

/** Runs one turn on the store's records, as the composition wires them. */
async function runTurn(harness: TurnHarness, store: Store, text: string): Promise<void> {
  const { turnRecords: records, blobs, contentGraph } = store;
  const loadTranscript = records.loadTranscript.bind(records);
  const limits = { maxBytes: 1_000_000, maxPixels: 1_000_000, maxFrames: 10 };
  records.loadTranscript = async (sessionId) => {
    const keep: AdmitLegacyPicturesOptions['keep'] = (pictures) => records.keepOldPictures(sessionId, pictures);
    return admitLegacyPictures(await loadTranscript(sessionId), { limits, blobs, keep });
  };
  const events = await harness.submit(text, { services: { records, blobs, contentGraph } });
  records.loadTranscript = loadTranscript;
  expect(events.at(-1)).toMatchObject({ type: 'turn-end', status: 'completed' });
}

/** Of every picture of a request, in order: its original, and where a tool read it, its call and path. */
function picturesOf({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role !== 'user') return [];
    return message.parts.flatMap((part) => (part.type === 'image' ? [part.originalDigest] : []));
  });
}

const oldRows = "select * from messages where turn_id = 'old_turn' order by seq";

describe.each<DatabaseKind>(['sqlite', 'postgres'])('messages of old revisions on %s', (kind) => {
  it('of revision 1 are shown with their pictures, stored once and never rewritten', () =>
    cases.withStore(kind, async (given) => {
      const provider = createScriptedProvider([answer, answer]);
      const harness = createHarness(provider);
      await given.store.sessions.create(harness.session);
      const count = await insertOldRows(given, 1);
      const before = await given.query(oldRows);
      await runTurn(harness, given.store, 'again');
      const [request] = provider.requests;
      expect(picturesOf(request ?? expect.fail())).toEqual([redGreen, blueYellow, blackWhite].map(digestOf));
      expect(request?.messages.filter((message) => message.role === 'tool')).toMatchObject([
        { toolCallId: 'call_1', toolName: 'read_file' },
        { toolCallId: 'call_2', toolName: 'read_file' },
        { toolCallId: 'call_3', text: expect.stringMatching(/^\[Picture not shown: broken\.png/) },
      ]);
      expect(JSON.stringify(request)).not.toContain('base64');
      const edges = await given.query(
        "select source_id, digest from content_edges where kind = 'message' order by source_id, digest",
      );
      expect(edges).toEqual([
        { source_id: 'old_1', digest: digestOf(redGreen) },
        { source_id: 'old_3', digest: digestOf(blueYellow) },
        { source_id: 'old_4', digest: digestOf(blackWhite) },
      ]);
      for (const bytes of [redGreen, blueYellow, blackWhite]) {
        expect(await given.store.blobs.get(digestOf(bytes))).toEqual(Buffer.from(bytes));
      }
      expect(await given.query(oldRows)).toEqual(before);
      expect(await given.query(`select distinct revision from messages where seq > ${count}`)).toEqual([
        { revision: 3 },
      ]);
    }));

  it('of revision 2 are shown with the bytes that they refer to', () =>
    cases.withStore(kind, async (given) => {
      const provider = createScriptedProvider([answer]);
      const harness = createHarness(provider);
      await given.store.sessions.create(harness.session);
      await insertOldRows(given, 2);
      const before = await given.query(oldRows);
      await runTurn(harness, given.store, 'again');
      expect(picturesOf(provider.requests[0] ?? expect.fail())).toEqual([redGreen, blueYellow].map(digestOf));
      expect(await given.query(oldRows)).toEqual(before);
    }));

  it('give the same request after a reload, and keep nothing twice', () =>
    cases.withStore(kind, async (given) => {
      const provider = createScriptedProvider([answer, answer]);
      const harness = createHarness(provider);
      await given.store.sessions.create(harness.session);
      await insertOldRows(given, 1);
      await runTurn(harness, given.store, 'first');
      const edges = await given.query('select * from content_edges order by source_id, digest');
      await runTurn(harness, await given.reopen(), 'second');
      const [first, second] = provider.requests;
      const shown = first?.messages ?? expect.fail();
      expect(second?.messages.slice(0, shown.length)).toEqual(shown);
      expect(await given.query('select * from content_edges order by source_id, digest')).toEqual(edges);
    }));

  it('are read without any change to the store', () =>
    cases.withStore(kind, async (given) => {
      const harness = createHarness(createScriptedProvider([]));
      await given.store.sessions.create(harness.session);
      const count = await insertOldRows(given, 1);
      const before = await given.query(oldRows);
      expect(await given.store.turnRecords.loadTranscript('ses_1')).toHaveLength(count);
      expect(await given.store.turnRecords.loadPage('ses_1', { limit: 2 })).toMatchObject([
        { role: 'tool', toolCallId: 'call_3' },
        { role: 'assistant', parts: [{ type: 'text', text: 'It is cut.' }] },
      ]);
      expect(await given.query(oldRows)).toEqual(before);
      expect(await given.query('select * from content_edges')).toEqual([]);
    }));

  it('with both fields of pictures are refused, and name their row', () =>
    cases.withStore(kind, async (given) => {
      const harness = createHarness(createScriptedProvider([]));
      await given.store.sessions.create(harness.session);
      await insertOldRows(given, 2);
      given.expectDamage('a message has both fields');
      const body = JSON.stringify({ role: 'user', content: '', images: [], imageInputs: [] });
      await given.query(`update messages set body = '${body}' where seq = 1`);
      await expect(given.store.turnRecords.loadTranscript('ses_1')).rejects.toMatchObject({
        code: 'BOTH_IMAGE_FIELDS',
        data: { id: 'ses_1/1' },
      });
    }));
});
