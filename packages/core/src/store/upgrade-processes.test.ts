import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CompiledFloors, compileFloors } from '../testing/compile-floors.ts';
import { sampleSession } from '../testing/sample-records.ts';
import { type ScriptProcess, ScriptProcesses } from '../testing/script-processes.ts';
import { connect, createDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { openStore } from './open-store.ts';
import { SessionRepository } from './session-repository.ts';
import { supportedStore } from './supported-store.ts';

const older = { ...supportedStore, migrations: supportedStore.migrations.slice(0, 5) };

/** An older build in the middle of a turn: says so, and waits to be killed. */
const worker = `
const [folder, path] = process.argv.slice(1);
const { connect } = await import(folder + '/database.js');
const { currentProcessMark } = await import(folder + '/process-mark.js');
const { kysely } = await connect({ kind: 'sqlite', path });
await kysely.insertInto('turns').values({
  id: 'turn_1', session_id: 'ses_1', owner: 'local', submission_id: 'sub', status: 'running',
  started_at: '2026-01-02T00:00:00.000Z', writer: JSON.stringify(currentProcessMark()), epoch: 0, has_effects: 0,
}).execute();
console.log('working');
setInterval(() => {}, 1000);
`;

/** Opens the home once the file `gate` exists, and says how that went. */
const upgrader = `
const { existsSync } = await import('node:fs');
const [folder, home, gate] = process.argv.slice(1);
const { openStore } = await import(folder + '/index.js');
await (await openStore({ home: gate + process.pid })).close();
console.log('ready');
while (!existsSync(gate)) await new Promise((resolve) => setImmediate(resolve));
const store = await openStore({ home });
console.log((await store.sessions.get('ses_1')).id);
await store.close();
`;

let floors: CompiledFloors;
let parent: string;
let home: string;
const processes = new ScriptProcesses();

beforeAll(async () => {
  floors = await compileFloors(['base', 'content', 'media', 'store']);
});

afterAll(() => floors?.remove());

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fovea-upgrade-'));
  home = join(parent, 'home');
  await mkdir(home);
  await writeFile(join(home, 'fovea.db'), '');
  const connection = await connect({ kind: 'sqlite', path: join(home, 'fovea.db') });
  await migrate(connection, older);
  await new SessionRepository(createDatabase(connection), 'local').create(sampleSession('ses_1'));
  await connection.close();
});

afterEach(async () => {
  processes.killAll();
  await rm(parent, { recursive: true, force: true });
});

function start(script: string, words: readonly string[]): ScriptProcess {
  const store = pathToFileURL(join(floors.folder, 'store')).href;
  return processes.start(script, { folder: floors.folder, words: [store, ...words] });
}

const copies = (): Promise<readonly string[]> => readdir(join(home, 'backups')).catch(() => []);

describe('an upgrade beside other processes', () => {
  it('waits while a process works with the older tables, which can be read, and is made when it is dead', async () => {
    const script = start(worker, [join(home, 'fovea.db')]);
    await script.untilLines(1);
    const { pid } = script.process;
    await expect(openStore({ home })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { pid } });
    const reader = await openStore({ home, need: 'read' });
    expect(reader.isReadOnly).toBe(true);
    expect((await reader.sessions.get('ses_1'))?.id).toBe('ses_1');
    await expect(reader.sessions.update('ses_1', { title: 'x' })).rejects.toThrow(`the process ${pid} on `);
    await reader.close();
    expect(await copies()).toEqual([]);
    script.process.kill('SIGKILL');
    await script.untilEnd();
    await (await openStore({ home })).close();
    expect(await copies()).toHaveLength(1);
  });

  it('is made once, with one copy, by three that begin at the same moment', async () => {
    const gate = join(parent, 'gate');
    const upgraders = [1, 2, 3].map(() => start(upgrader, [home, gate]));
    for (const script of upgraders) await script.untilLines(1);
    await writeFile(gate, '');
    for (const script of upgraders) {
      expect(await script.untilEnd()).toMatchObject({ exitCode: 0, diagnostics: '' });
      expect(script.lines).toEqual(['ready', 'ses_1']);
    }
    expect(await copies()).toHaveLength(1);
  });
});
