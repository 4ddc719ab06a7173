import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CompiledFloors, compileFloors } from '../testing/compile-floors.ts';
import { sampleSession } from '../testing/sample-records.ts';
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
const children = new Set<ChildProcess>();

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
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await rm(parent, { recursive: true, force: true });
});

function start(script: string, words: readonly string[]): ChildProcess {
  const store = pathToFileURL(join(floors.folder, 'store')).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, store, ...words], {
    cwd: floors.folder,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  return child;
}

async function untilOutput(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the child has no output');
  return String((await once(child.stdout, 'data'))[0]);
}

const copies = (): Promise<readonly string[]> => readdir(join(home, 'backups')).catch(() => []);

describe('an upgrade beside other processes', () => {
  it('waits while a process works with the older tables, which can be read, and is made when it is dead', async () => {
    const child = start(worker, [join(home, 'fovea.db')]);
    expect(await untilOutput(child)).toBe('working\n');
    await expect(openStore({ home })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { pid: child.pid } });
    const reader = await openStore({ home, need: 'read' });
    expect(reader.isReadOnly).toBe(true);
    expect((await reader.sessions.get('ses_1'))?.id).toBe('ses_1');
    await expect(reader.sessions.update('ses_1', { title: 'x' })).rejects.toThrow(`the process ${child.pid} on `);
    await reader.close();
    expect(await copies()).toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'close');
    await (await openStore({ home })).close();
    expect(await copies()).toHaveLength(1);
  });

  it('is made once, with one copy, by three that begin at the same moment', async () => {
    const gate = join(parent, 'gate');
    const upgraders = [1, 2, 3].map(() => start(upgrader, [home, gate]));
    for (const child of upgraders) expect(await untilOutput(child)).toBe('ready\n');
    const ends = upgraders.map(async (child) => [await untilOutput(child), (await once(child, 'close'))[0]]);
    await writeFile(gate, '');
    expect(await Promise.all(ends)).toEqual([
      ['ses_1\n', 0],
      ['ses_1\n', 0],
      ['ses_1\n', 0],
    ]);
    expect(await copies()).toHaveLength(1);
  });
});
