import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isRecord, parseJson } from '@fovea/core/base';
import { type FoveaEvent, type SequencedEvent, type Session, textOf } from '@fovea/core/content';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { CompiledFloors } from '../../../../packages/core/src/testing/compile-floors.ts';
import { compileServer } from '../../../../packages/core/src/testing/compile-server.ts';
import { createFixedClock, type FixedClock } from '../../../../packages/core/src/testing/fixed-clock.ts';
import { type Reply, replyText, replyToolCalls } from '../../../../packages/core/src/testing/strict-server/reply.ts';
import {
  type StrictServer,
  startStrictServer,
} from '../../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../../packages/core/src/testing/temporary-folder.ts';
import { withStoreDatabase } from '../../../../packages/core/src/testing/with-store-database.ts';
import { compose } from '../compose.ts';
import { fillConfigDefaults } from '../config/config.ts';
import type { Fovea } from '../fovea.ts';

interface Lab {
  readonly home: TemporaryFolder;
  readonly server: StrictServer;
  readonly session: Session;
  readonly fovea: Fovea;
  /** Another Fovea of this process over the same home. */
  open(queues?: 'all' | 'own'): Fovea;
}

async function createLab(script: readonly Reply[], clock?: FixedClock): Promise<Lab> {
  const server = await startStrictServer({ script });
  const [home, workspace] = await Promise.all([createTemporaryFolder(), createTemporaryFolder()]);
  const opened: Fovea[] = [];
  onTestFinished(async () => {
    for (const fovea of opened) await fovea.close();
    await server.close();
    await Promise.all([home.remove(), workspace.remove()]);
  });
  const open = (queues: 'all' | 'own' = 'all'): Fovea => {
    const fovea = compose({
      config: fillConfigDefaults(configOf(server.baseUrl), 'en'),
      home: home.resolve('fovea'),
      queues,
      environment: { HOME: home.path },
      ...(clock === undefined ? {} : { clock }),
    });
    opened.push(fovea);
    return fovea;
  };
  const fovea = open();
  const created = await fovea.createSession({ workspace: workspace.path, model: 'lab/seer' });
  if (!created.ok) throw created.error;
  return { home, server, session: created.value, fovea, open };
}

function configOf(baseUrl: string) {
  const models = { seer: { imageInput: 'yes' } } as const;
  return {
    channels: { lab: { supplier: 'openai', wireApi: 'openai-chat', baseUrl, apiKey: 'a-literal-key', models } },
    permissions: { profile: 'workspace-write' },
  } as const;
}

async function run({ session }: Lab, fovea: Fovea, text: string, signal?: AbortSignal): Promise<readonly FoveaEvent[]> {
  const events: FoveaEvent[] = [];
  const input = { sessionId: session.id, attachments: [], text, submissionId: text };
  const turn = fovea.runTurn({ ...input, ...(signal && { signal }) });
  for await (const event of turn) events.push(event);
  return events;
}

/** Follows the session in the background; gives what was told so far. */
function watch({ session }: Lab, fovea: Fovea): readonly SequencedEvent[] {
  const seen: SequencedEvent[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const told of fovea.follow(session.id, { signal: stop.signal })) seen.push(told);
  })();
  onTestFinished(async () => {
    stop.abort();
    await watching;
  });
  return seen;
}

const said = (events: readonly FoveaEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

const typesOf = (events: readonly FoveaEvent[]) => events.map(({ type }) => type);

const eventsOf = (seen: readonly SequencedEvent[]) => seen.map(({ event }) => event);

async function texts({ session }: Lab, fovea: Fovea): Promise<readonly string[]> {
  const transcript = await fovea.loadTranscript(session.id);
  return transcript.flatMap((message) => {
    if (message.role === 'tool') return [];
    return [message.role === 'assistant' ? textOf(message) : message.content];
  });
}

/** An answer that stops after each of these frames until it is let go on. */
function heldAnswer(words: string, frames: readonly number[] = [1]) {
  const gates = frames.map((afterFrames) => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { fault: { kind: 'hold', afterFrames, until } as const, release: () => release() };
  });
  return { reply: replyText(words, { faults: gates.map(({ fault }) => fault) }), gates };
}

const patience = { timeout: 30_000 };

describe('two Foveas on one home', () => {
  it('run one queue: who has the session runs what the other one submits, and both are told all of it', async () => {
    const held = heldAnswer('The first answer.');
    const lab = await createLab([held.reply, replyText('The second answer.')]);
    const [owner, other] = [lab.fovea, lab.open()];
    const [near, far] = [watch(lab, owner), watch(lab, other)];
    const first = run(lab, owner, 'One');
    await lab.server.waitForRequests(1);
    const second = run(lab, other, 'Two');
    await expect.poll(async () => (await owner.queue(lab.session.id)).items.length, patience).toBe(2);
    held.gates[0]?.release();
    expect(said(await first)).toBe('The first answer.');
    const events = await second;
    expect(said(events)).toBe('The second answer.');
    expect(events[0]).toMatchObject({ type: 'turn-accepted', submissionId: 'Two' });
    expect(events[1]).toMatchObject({ type: 'queue', items: [{ submissionId: 'One' }, { submissionId: 'Two' }] });
    expect(events.at(-1)).toEqual({ type: 'turn-end', status: 'completed' });
    expect(await texts(lab, owner)).toEqual(['One', 'The first answer.', 'Two', 'The second answer.']);
    for (const seen of [near, far]) {
      await expect.poll(() => typesOf(eventsOf(seen)).filter((type) => type === 'turn-end').length, patience).toBe(2);
      expect(said(eventsOf(seen))).toBe('The first answer.The second answer.');
      const numbers = seen.map(({ seq }) => seq);
      expect(numbers).toEqual([...new Set(numbers)].sort((one, next) => one - next));
    }
    expect(await owner.checkStore()).toMatchObject({ faultCount: 0 });
  });

  it('answer whoever waits with one message of its own, although the turn before it was stopped elsewhere', async () => {
    const held = heldAnswer('Never said to its end.');
    const lab = await createLab([held.reply, replyText('The second answer.')]);
    const [owner, other] = [lab.fovea, lab.open('own')];
    const stop = new AbortController();
    const first = run(lab, owner, 'One', stop.signal);
    await lab.server.waitForRequests(1);
    await owner.submit({ sessionId: lab.session.id, text: 'Held', attachments: [] });
    const second = run(lab, other, 'Two');
    await expect.poll(async () => (await owner.queue(lab.session.id)).items.length, patience).toBe(3);
    stop.abort();
    expect((await first).at(-1)).toMatchObject({ type: 'turn-end', status: 'stopped' });
    expect(said(await second)).toBe('The second answer.');
    expect(await owner.queue(lab.session.id)).toMatchObject({
      held: { because: 'stopped', count: 1 },
      items: [{ text: 'Held', state: 'queued' }],
    });
  });

  it('tell whoever joins in the middle of a step what it has said, and then the rest', async () => {
    const held = heldAnswer('One two three four five six.', [3, 4]);
    const lab = await createLab([held.reply]);
    const other = lab.open();
    const turn = run(lab, lab.fovea, 'Count');
    const reader = watch(lab, other);
    await expect.poll(() => said(eventsOf(reader)), patience).not.toBe('');
    const [near, far] = [watch(lab, lab.fovea), watch(lab, other)];
    for (const seen of [near, far]) {
      await expect.poll(() => seen[0]?.event, patience).toMatchObject({ type: 'step-snapshot', step: 1 });
    }
    for (const { release } of held.gates) release();
    const whole = said(await turn);
    expect(whole).toBe('One two three four five six.');
    for (const seen of [near, far]) {
      await expect.poll(() => eventsOf(seen).at(-1), patience).toMatchObject({ type: 'turn-end' });
      const [first, ...rest] = eventsOf(seen);
      expect(`${first?.type === 'step-snapshot' ? first.text : ''}${said(rest)}`).toBe(whole);
    }
  });
});

describe('a turn whose end cannot be stored', () => {
  it('is told as interrupted, and settled before the next message is answered', async () => {
    const held = heldAnswer('One answer.');
    const lab = await createLab([held.reply, replyText('Two answers.')]);
    const first = run(lab, lab.fovea, 'One');
    await lab.server.waitForRequests(1);
    const database = join(lab.home.resolve('fovea'), 'fovea.db');
    await withStoreDatabase(database, async (kysely) => {
      // There is a completed turn of this submission already, and from now on there may be one only.
      const running = await kysely.selectFrom('turns').selectAll().executeTakeFirstOrThrow();
      await kysely
        .insertInto('turns')
        .values({ ...running, id: 'turn_before', status: 'completed' })
        .execute();
      await kysely.schema.createIndex('once').on('turns').columns(['submission_id', 'status']).unique().execute();
    });
    const second = run(lab, lab.fovea, 'Two');
    await expect.poll(async () => (await lab.fovea.queue(lab.session.id)).items.length, patience).toBe(2);
    held.gates[0]?.release();
    expect((await first).at(-1)).toMatchObject({
      type: 'turn-end',
      status: 'interrupted',
      error: { code: 'STORE_UNAVAILABLE' },
    });
    expect(said(await second)).toBe('Two answers.');
    expect(await texts(lab, lab.fovea)).toEqual(['One', 'One answer.', 'Two', 'Two answers.']);
    expect(await lab.fovea.interruptedTurns(lab.session.id)).toHaveLength(1);
  });
});

describe('a turn whose session another process took over', () => {
  it('ends there as interrupted, and writes nothing any more', async () => {
    const held = heldAnswer('Never stored.');
    const lab = await createLab([held.reply]);
    const turn = run(lab, lab.fovea, 'One');
    await lab.server.waitForRequests(1);
    const database = join(lab.home.resolve('fovea'), 'fovea.db');
    await withStoreDatabase(database, async (kysely) => {
      await kysely.updateTable('session_leases').set({ lease_until: 0 }).execute();
    });
    // Whatever takes the session settles what was left in it.
    await lab.open().undo(lab.session.id);
    held.gates[0]?.release();
    expect((await turn).at(-1)).toMatchObject({
      type: 'turn-end',
      status: 'interrupted',
      error: { code: 'LEASE_LOST' },
    });
    expect(await texts(lab, lab.fovea)).toEqual(['One']);
    expect(await lab.fovea.interruptedTurns(lab.session.id)).toHaveLength(1);
    expect(await lab.fovea.queue(lab.session.id)).toMatchObject({ items: [] });
  });
});

/** Runs one turn, and prints its events. Arguments: compiled folder, home, base URL, session, text, profile. */
const runner = `
const [folder, home, config, sessionId, text] = process.argv.slice(1);
const { compose } = await import(folder + '/server/compose.js');
const { fillConfigDefaults } = await import(folder + '/server/config/config.js');
const fovea = compose({ config: fillConfigDefaults(JSON.parse(config), 'en'), home, environment: { HOME: home }, queues: 'own' });
const turn = fovea.runTurn({ sessionId, text, attachments: [], submissionId: text });
for await (const event of turn) console.log(JSON.stringify(event));
await fovea.close();
`;

describe('two processes on one home', () => {
  let compiled: CompiledFloors;

  beforeAll(async () => {
    compiled = await compileServer();
  }, 60_000);

  afterAll(() => compiled.remove());

  function start({ home, server, session }: Lab, text: string) {
    const words = [compiled.folder, home.resolve('fovea'), JSON.stringify(configOf(server.baseUrl)), session.id, text];
    const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', runner, ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const types: string[] = [];
    const events: Record<string, unknown>[] = [];
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const parsed = parseJson(line);
        if (!parsed.ok || !isRecord(parsed.value)) return;
        events.push(parsed.value);
        types.push(String(parsed.value['type']));
      });
    }
    return { child, events, types, ended: once(child, 'close') };
  }

  it('answer each other’s turns in one order, and each is told its own', async () => {
    const held = heldAnswer('The first answer.');
    const lab = await createLab([held.reply, replyText('The second answer.'), replyText('The third answer.')]);
    const first = start(lab, 'One');
    await lab.server.waitForRequests(1);
    const second = run(lab, lab.fovea, 'Two');
    await expect.poll(async () => (await lab.fovea.queue(lab.session.id)).items.length, patience).toBe(2);
    const third = start(lab, 'Three');
    await expect.poll(async () => (await lab.fovea.queue(lab.session.id)).items.length, patience).toBe(3);
    held.gates[0]?.release();
    expect(said(await second)).toBe('The second answer.');
    await Promise.all([first.ended, third.ended]);
    for (const { events, types } of [first, third]) {
      expect(types[0]).toBe('turn-accepted');
      expect(events.at(-1)).toEqual({ type: 'turn-end', status: 'completed' });
    }
    expect(await texts(lab, lab.fovea)).toEqual([
      ...['One', 'The first answer.', 'Two', 'The second answer.', 'Three', 'The third answer.'],
    ]);
    expect(await lab.fovea.checkStore()).toMatchObject({ faultCount: 0 });
  });

  it('take over from one that is killed: its turn is interrupted, and what waits is answered', async () => {
    const held = heldAnswer('Never said.');
    const lab = await createLab([held.reply, replyText('Answered.')]);
    const first = start(lab, 'One');
    await lab.server.waitForRequests(1);
    const seen = watch(lab, lab.fovea);
    await expect.poll(async () => (await lab.fovea.queue(lab.session.id)).items[0]?.state, patience).toBe('running');
    const waiting = run(lab, lab.fovea, 'Two');
    const own = run(lab, lab.open(), 'One');
    await expect.poll(async () => (await lab.fovea.queue(lab.session.id)).items.length, patience).toBe(2);
    first.child.kill('SIGKILL');
    expect(said(await waiting)).toBe('Answered.');
    expect((await own).at(-1)).toEqual({ type: 'turn-end', status: 'interrupted' });
    expect(await texts(lab, lab.fovea)).toEqual(['One', 'Two', 'Answered.']);
    expect(await lab.fovea.interruptedTurns(lab.session.id)).toHaveLength(1);
    await expect.poll(() => typesOf(eventsOf(seen)).filter((type) => type === 'turn-end').length, patience).toBe(2);
  });

  it('leave what may have been done already to the user, after one that is killed', async () => {
    const held = heldAnswer('Never said.');
    const write = replyToolCalls([{ name: 'write_file', arguments: { path: 'new.txt', content: 'words\n' } }]);
    const lab = await createLab([write, held.reply, replyText('New.'), replyText('Held.'), replyText('Again.')]);
    const first = start(lab, 'One');
    await lab.server.waitForRequests(2);
    await lab.fovea.submit({ sessionId: lab.session.id, text: 'Two', attachments: [], submissionId: 'Two' });
    first.child.kill('SIGKILL');
    await expect
      .poll(async () => (await lab.fovea.queue(lab.session.id)).items.map(({ state }) => state), patience)
      .toEqual(['uncertain', 'queued']);
    expect(await lab.fovea.queue(lab.session.id)).toMatchObject({ held: { because: 'interrupted', count: 1 } });
    expect(said(await run(lab, lab.fovea, 'Three'))).toBe('New.');
    await lab.fovea.resumeQueue(lab.session.id);
    expect(said(await run(lab, lab.fovea, 'Two'))).toBe('Held.');
    const [uncertain] = (await lab.fovea.queue(lab.session.id)).items;
    await lab.fovea.requeue(lab.session.id, uncertain?.id ?? '');
    expect(said(await run(lab, lab.fovea, 'One'))).toBe('Again.');
    expect(await lab.fovea.checkStore()).toMatchObject({ faultCount: 0 });
  });
});

/**
 * Transactions in the write-ahead log: the last page of each says so. Source: SQLite, "Database File
 * Format", section 4.1. Frames of an earlier log have other salts.
 */
async function countTransactions(home: TemporaryFolder): Promise<number> {
  const log = await readFile(join(home.resolve('fovea'), 'fovea.db-wal'));
  const pageSize = log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let count = 0;
  for (let offset = 32; offset + 24 <= log.length; offset += 24 + pageSize) {
    if (!log.subarray(offset + 8, offset + 16).equals(salts)) break;
    if (log.readUInt32BE(offset + 4) !== 0) count += 1;
  }
  return count;
}

describe('a turn that streams', () => {
  it('commits at most two transactions a second', async () => {
    const clock = createFixedClock();
    const words = Array.from({ length: 60 }, (_, index) => `word ${index} `).join('');
    const held = heldAnswer(
      words,
      Array.from({ length: 60 }, (_, index) => index + 2),
    );
    const lab = await createLab([held.reply], clock);
    const events: FoveaEvent[] = [];
    const turn = (async () => {
      for await (const event of lab.fovea.runTurn({ sessionId: lab.session.id, text: 'Go', attachments: [] })) {
        events.push(event);
      }
    })();
    await lab.server.waitForRequests(1);
    const counts: number[] = [];
    for (const { release } of held.gates) {
      const lengthBefore = said(events).length;
      release();
      await expect
        .poll(async () => {
          await clock.advance(50);
          return said(events).length;
        }, patience)
        .toBeGreaterThan(lengthBefore);
      await clock.advance(450);
      counts.push(await countTransactions(lab.home));
      if (said(events).length === words.length) break;
    }
    for (const { release } of held.gates) release();
    await turn;
    const [first = 0] = counts;
    const seconds = counts.length / 2;
    expect(seconds).toBeGreaterThan(5);
    expect((counts.at(-1) ?? 0) - first).toBeGreaterThan(seconds / 2);
    expect((counts.at(-1) ?? 0) - first).toBeLessThanOrEqual(2 * seconds);
  });
});
