import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../media/digest.ts';
import { type CompiledFloors, compileFloors } from '../testing/compile-floors.ts';
import { sampleSession, sampleTurn, sampleUserMessage } from '../testing/sample-records.ts';
import { type ScriptProcess, ScriptProcesses } from '../testing/script-processes.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { openStore, type Store } from './open-store.ts';

const MESSAGES_A_PROCESS = 150;

/**
 * Writes messages into `ses_1` in groups of three that belong together, each with a picture, and
 * prints a line for each group when it is durable. Arguments: store module, home, name, groups.
 */
const writer = `
const [storeModule, digestModule, home, name, groups] = process.argv.slice(1);
const { openStore } = await import(storeModule);
const { digestOf } = await import(digestModule);
const store = await openStore({ home });
console.log('ready');
const common = (id) => ({ id, turnId: 'turn_1', createdAt: '2026-01-02T00:00:00.000Z' });
for (let group = 0; group < Number(groups); group += 1) {
  const bytes = Buffer.alloc(20_000, name + group);
  const digest = digestOf(bytes);
  await store.blobs.put(digest, bytes);
  const attachment = { mime: 'image/png', path: 'a.png', digest, width: 1, height: 1, size_bytes: bytes.length };
  const id = 'msg_' + name + '_' + group;
  await store.turnRecords.appendMessages('ses_1', [
    { ...common(id + '_a'), role: 'user', content: 'x'.repeat(5000), imageInputs: [] },
    { ...common(id + '_b'), role: 'tool', toolCallId: 'c', toolName: 't', content: digest, isError: false, metadata: { attachments: [attachment] } },
    { ...common(id + '_c'), role: 'user', content: '', imageInputs: [] },
  ]);
  console.log(await store.turnRecords.takeRequestNumber('ses_1'), group);
}
await store.close();
`;

/** Takes the session, starts a turn, says so, and waits to be killed; or says who has the session. */
const turnStarter = `
const [storeModule, home, turn, message] = process.argv.slice(1);
const { openStore } = await import(storeModule);
const store = await openStore({ home });
const acquired = await store.leases.acquire('ses_1', '2026-01-02T00:00:05.000Z');
if (!acquired.ok) console.log('busy ' + acquired.error.pid);
else {
  await store.underLease(acquired.value.lease).turnRecords.startTurn(JSON.parse(turn), JSON.parse(message));
  console.log('ready');
}
setInterval(() => {}, 1000);
`;

/** Opens and closes many homes, as fast as it can, once the file of the second argument exists. */
const opener = `
const { existsSync } = await import('node:fs');
const [storeModule, gate, ...homes] = process.argv.slice(1);
const { openStore } = await import(storeModule);
await (await openStore({ home: gate + process.pid })).close();
console.log('ready');
while (!existsSync(gate)) await new Promise((resolve) => setImmediate(resolve));
for (const home of homes) {
  const store = await openStore({ home });
  await store.sessions.latest();
  await store.close();
}
`;

let floors: CompiledFloors;
let folder: TemporaryFolder;
let home: string;
let store: Store;
const processes = new ScriptProcesses();

beforeAll(async () => {
  floors = await compileFloors(['base', 'content', 'media', 'store']);
});

afterAll(() => floors?.remove());

beforeEach(async () => {
  folder = await createTemporaryFolder();
  home = folder.resolve('home');
  store = await openStore({ home });
  await store.sessions.create(sampleSession('ses_1'));
});

afterEach(async () => {
  processes.killAll();
  await store.close();
  await folder.remove();
});

function start(script: string, words: readonly string[]): ScriptProcess {
  return processes.start(script, { folder: floors.folder, words });
}

function moduleOf(file: string): string {
  return pathToFileURL(join(floors.folder, file)).href;
}

function startWriter(name: string, groups: number): ScriptProcess {
  return start(writer, [moduleOf('store/index.js'), moduleOf('media/digest.js'), home, name, String(groups)]);
}

function query(statement: string): readonly unknown[] {
  const database = new Libsql(join(home, 'fovea.db'));
  try {
    return database.prepare(statement).all([]);
  } finally {
    database.close();
  }
}

describe('a store that several processes use', () => {
  it('loses no message of two that write into one session at once, and numbers each one once', async () => {
    const writers = [startWriter('a', MESSAGES_A_PROCESS), startWriter('b', MESSAGES_A_PROCESS)];
    const ends = await Promise.all(writers.map((child) => child.untilEnd()));
    expect(ends).toMatchObject([
      { exitCode: 0, diagnostics: '' },
      { exitCode: 0, diagnostics: '' },
    ]);
    const transcript = await store.turnRecords.loadTranscript('ses_1');
    expect(transcript).toHaveLength(2 * 3 * MESSAGES_A_PROCESS);
    for (const name of ['a', 'b']) {
      const own = transcript.filter((message) => message.id.startsWith(`msg_${name}_`)).map((message) => message.id);
      const groups = Array.from({ length: MESSAGES_A_PROCESS }, (_unused, group) => `msg_${name}_${group}`);
      expect(own).toEqual(groups.flatMap((group) => [`${group}_a`, `${group}_b`, `${group}_c`]));
    }
    expectWholeGroups(transcript.map((message) => message.id));
    const total = 6 * MESSAGES_A_PROCESS;
    expect(query('select min(seq) low, max(seq) high, count(distinct seq) total from messages')).toEqual([
      { low: 1, high: total, total },
    ]);
    const numbers = writers.flatMap((child) => child.lines.slice(1).map((line) => Number(line.split(' ')[0])));
    expect(new Set(numbers).size).toBe(2 * MESSAGES_A_PROCESS);
    // Both really wrote at the same time: their groups are mixed.
    const owners = transcript.map((message) => message.id.slice(4, 5)).join('');
    expect(owners).not.toMatch(/^(a+b+|b+a+)$/);
  });

  it('lets several open and close a new home at the same moment', async () => {
    const gate = join(home, '..', 'gate');
    const homes = Array.from({ length: 25 }, (_unused, index) => join(home, '..', `home-${index}`));
    const openers = [1, 2, 3].map(() => start(opener, [moduleOf('store/index.js'), gate, ...homes]));
    for (const child of openers) await child.untilLines(1);
    await writeFile(gate, '');
    for (const child of openers) expect(await child.untilEnd()).toMatchObject({ exitCode: 0, diagnostics: '' });
  });

  it.each([1, 2, 3])('opens after a kill in the middle of writing with whole messages only (%i)', async (round) => {
    const child = startWriter('a', 100_000);
    await child.untilLines(20 * round);
    child.process.kill('SIGKILL');
    await child.untilEnd();
    await store.close();
    store = await openStore({ home });
    const transcript = await store.turnRecords.loadTranscript('ses_1');
    const acknowledged = child.lines.slice(1).length;
    expect(acknowledged).toBeGreaterThanOrEqual(20 * round - 1);
    expect(transcript.length).toBeGreaterThanOrEqual(3 * acknowledged);
    expectWholeGroups(transcript.map((message) => message.id));
    expect(query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    for (const message of transcript) {
      if (message.role !== 'tool') continue;
      const digest = message.metadata.attachments[0]?.digest ?? expect.fail('no picture');
      expect(digestOf(await store.blobs.get(digest))).toBe(digest);
      expect(await store.contentGraph.canRead('ses_1', digest)).toBe(true);
    }
    expect((await store.sessions.list(1))[0]?.messageCount).toBe(transcript.length);
    await store.turnRecords.appendMessages('ses_1', [sampleUserMessage('msg_after')]);
  });

  it('shows a turn as running while its process lives and as interrupted when it was killed', async () => {
    const turn = JSON.stringify(sampleTurn('turn_1', 'ses_1'));
    const child = start(turnStarter, [moduleOf('store/index.js'), home, turn, JSON.stringify(sampleUserMessage('m'))]);
    await child.untilLines(1);
    expect(await store.turnRecords.interruptedTurns('ses_1')).toEqual([]);
    child.process.kill('SIGKILL');
    await child.untilEnd();
    expect(await store.turnRecords.interruptedTurns('ses_1')).toEqual([
      { ...sampleTurn('turn_1', 'ses_1'), status: 'interrupted' },
    ]);
    expect(query('select status from turns')).toEqual([{ status: 'running' }]);
  });

  it('takes a turn from one process at a time, and after a kill from the next one', async () => {
    const begin = async (number: number) => {
      const turn = JSON.stringify(sampleTurn(`turn_${number}`, 'ses_1'));
      const message = JSON.stringify(sampleUserMessage(`msg_${number}`));
      const child = start(turnStarter, [moduleOf('store/index.js'), home, turn, message]);
      await child.untilLines(1);
      return child;
    };
    const [first, second] = await Promise.all([begin(1), begin(2)]);
    const winner = first.lines[0] === 'ready' ? first : second;
    const loser = winner === first ? second : first;
    expect([...winner.lines, ...loser.lines]).toEqual(['ready', `busy ${winner.process.pid}`]);
    expect(await store.turnRecords.loadTranscript('ses_1')).toHaveLength(1);
    winner.process.kill('SIGKILL');
    await winner.untilEnd();
    expect((await begin(3)).lines).toEqual(['ready']);
    expect(query("select status, ended_at from turns where id != 'turn_3'")).toEqual([
      { status: 'interrupted', ended_at: '2026-01-02T00:00:05.000Z' },
    ]);
  });

  it('waits for a lock that another process holds, without stopping this one', async () => {
    const database = new Libsql(join(home, 'fovea.db'));
    database.exec('begin immediate');
    let hasWritten = false;
    const writing = store.turnRecords.appendMessages('ses_1', [sampleUserMessage('msg_1')]).then(() => {
      hasWritten = true;
    });
    // The file is written by this process's event loop, which a blocked write would have stopped.
    for (let turn = 0; turn < 20; turn += 1) await writeFile(join(home, 'note'), String(turn));
    expect(hasWritten).toBe(false);
    database.exec('commit');
    database.close();
    await writing;
    expect(await store.turnRecords.loadTranscript('ses_1')).toHaveLength(1);
  });

  it('leaves an empty log behind when it is closed, and files that only their user can read', async () => {
    await store.turnRecords.appendMessages('ses_1', [sampleUserMessage('msg_1')]);
    expect((await stat(join(home, 'fovea.db-wal'))).size).toBeGreaterThan(0);
    await store.close();
    const names = await readdir(home);
    expect(names.filter((name) => !/^(blobs|fovea\.db(-wal|-shm)?)$/.test(name))).toEqual([]);
    for (const name of names) {
      const facts = await stat(join(home, name));
      if (name === 'fovea.db-wal') expect(facts.size).toBe(0);
      expect(facts.mode & 0o077).toBe(0);
    }
    store = await openStore({ home });
    expect(await store.turnRecords.loadTranscript('ses_1')).toHaveLength(1);
  });
});

/** The messages of a group follow each other, and no group is there in part. */
function expectWholeGroups(ids: readonly string[]): void {
  expect(ids.length % 3).toBe(0);
  for (let start = 0; start < ids.length; start += 3) {
    const group = ids[start]?.replace(/_a$/, '');
    expect(ids.slice(start, start + 3)).toEqual([`${group}_a`, `${group}_b`, `${group}_c`]);
  }
}
