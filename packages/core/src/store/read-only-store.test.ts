import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../media/digest.ts';
import { type CompiledFloors, compileFloors } from '../testing/compile-floors.ts';
import { sampleSession, sampleUserMessage } from '../testing/sample-records.ts';
import { connect, createDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { openStore } from './open-store.ts';
import { SessionRepository } from './session-repository.ts';
import { supportedStore } from './supported-store.ts';

const bytes = Buffer.from('a picture');
const older = { ...supportedStore, migrations: supportedStore.migrations.slice(0, 5) };

let floors: CompiledFloors;
let folder: string;
let home: string;
let temporary: string;

beforeAll(async () => {
  floors = await compileFloors(['base', 'content', 'media', 'store']);
});

afterAll(() => floors?.remove());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-read-only-'));
  home = join(folder, 'home');
  temporary = join(folder, 'temporary');
  await mkdir(temporary);
  await chmod(folder, 0o755);
  await chmod(temporary, 0o777);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/**
 * Opens the home, reads all there is, tries to write, and prints what came of it. Root may write
 * everywhere: as root it becomes `nobody` once a first store has made it load its modules.
 */
const reader = `
  const [storeModule, home, scratch, digest, need, user] = process.argv.slice(1);
  const { openStore } = await import(storeModule);
  await (await openStore({ home: scratch })).close();
  if (user === 'nobody' && process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
  const told = (work) => work().then((value) => value ?? 'done', (error) => error.code + ' ' + error.message);
  const store = await openStore({ home, need }).catch((error) => {
    console.log(JSON.stringify({ failure: error.code + ' ' + error.message }));
    process.exit();
  });
  const now = '2026-01-02T00:00:00.000Z';
  console.log(JSON.stringify({
    isReadOnly: store.isReadOnly,
    sessions: (await store.sessions.list(9)).map(({ id, messageCount }) => id + ' ' + messageCount),
    messages: (await store.turnRecords.loadTranscript('ses_1')).length,
    bytes: await told(async () => String(Buffer.from(await store.blobs.get(digest)))),
    writing: await told(() => store.sessions.update('ses_1', { title: 'x'.repeat(100_000) })),
    leasing: store.isReadOnly ? await told(() => store.leases.acquire('ses_1', now)) : '',
    putting: store.isReadOnly ? await told(() => store.blobs.put(digest, Buffer.from('other'))) : '',
  }));
  await store.close();`;

interface ReadOptions {
  readonly need?: 'read' | 'write';
  readonly user?: 'nobody' | 'self';
}

function read({ need = 'read', user = 'nobody' }: ReadOptions = {}): Readonly<Record<string, unknown>> {
  const storeModule = pathToFileURL(join(floors.folder, 'store', 'index.js')).href;
  const words = [storeModule, home, join(folder, 'scratch'), digestOf(bytes), need, user];
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', reader, ...words], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', TMPDIR: temporary },
    encoding: 'utf8',
  });
  if (child.stdout === '') throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Readonly<Record<string, unknown>>;
}

/** One session with one message and the bytes of one picture. */
async function makeStore(): Promise<void> {
  const store = await openStore({ home });
  await store.sessions.create(sampleSession('ses_1'));
  await store.turnRecords.appendMessages('ses_1', [sampleUserMessage('msg_1')]);
  await store.blobs.put(digestOf(bytes), bytes);
  await store.close();
}

/** A store of an older build, which has to be upgraded before it can be read. */
async function makeOlderStore(): Promise<void> {
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'fovea.db'), '');
  const connection = await connect({ kind: 'sqlite', path: join(home, 'fovea.db') });
  await migrate(connection, older);
  await new SessionRepository(createDatabase(connection), 'local').create(sampleSession('ses_1'));
  await connection.kysely
    .updateTable('session_counters')
    .set({ message_count: 1, last_message_seq: 1, head_seq: 1 })
    .execute();
  const body = JSON.stringify(sampleUserMessage('msg_1'));
  const row = { session_id: 'ses_1', seq: 1, owner: 'local', id: 'msg_1', turn_id: 'turn_1', revision: 3, depth: 1 };
  await connection.kysely
    .insertInto('messages')
    .values({ ...row, body, parent_seq: null })
    .execute();
  await connection.close();
}

/** Everybody may read it, and its owner may no longer write. */
async function closeForWriting(path: string): Promise<void> {
  const isFolder = (await stat(path)).isDirectory();
  if (isFolder) for (const name of await readdir(path)) await closeForWriting(join(path, name));
  await chmod(path, isFolder ? 0o555 : 0o444);
}

async function fingerprint(): Promise<readonly string[]> {
  const names = (await readdir(home)).filter((name) => name.startsWith('fovea.db')).sort();
  const hashed = names.map(async (name) => {
    const content = await readFile(join(home, name));
    return `${name} ${createHash('sha256').update(content).digest('hex')}`;
  });
  return Promise.all(hashed);
}

const everything = { isReadOnly: true, sessions: ['ses_1 1'], messages: 1 };
const refusal = /^STORE_UNAVAILABLE the store can only be read: the home folder .*: permission denied \(EACCES\); give/;
const refused = {
  writing: expect.stringMatching(refusal),
  leasing: expect.stringMatching(refusal),
  putting: expect.stringMatching(refusal),
};

/** Only some users on some systems may; elsewhere a full disk cannot be had. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const point = mkdtempSync(join(tmpdir(), 'fovea-mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', point]).status === 0;
  if (isMounted) spawnSync('umount', [point]);
  rmdirSync(point);
  return isMounted;
}

describe.runIf(process.platform === 'linux')('a store that cannot be written', () => {
  it('is read whole from a home without write access, and refuses every write with one error', async () => {
    await makeStore();
    for (const name of ['fovea.db-wal', 'fovea.db-shm']) await rm(join(home, name), { force: true });
    await closeForWriting(home);
    const before = await fingerprint();
    expect(read()).toEqual({ ...everything, bytes: 'a picture', ...refused });
    expect(await fingerprint()).toEqual(before);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('is read with what a killed process left in its log', async () => {
    const store = await openStore({ home: join(folder, 'killed') });
    await store.sessions.create(sampleSession('ses_1'));
    await store.turnRecords.appendMessages('ses_1', [sampleUserMessage('msg_1')]);
    await mkdir(home);
    for (const name of ['fovea.db', 'fovea.db-wal']) await copyFile(join(folder, 'killed', name), join(home, name));
    await store.close();
    await closeForWriting(home);
    const before = await fingerprint();
    expect(read()).toMatchObject({ ...everything, bytes: expect.stringMatching(/^BLOB_MISSING/), ...refused });
    expect(await fingerprint()).toEqual(before);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('is read beside a process that writes into it', async () => {
    const store = await openStore({ home });
    await store.sessions.create(sampleSession('ses_1'));
    await store.turnRecords.appendMessages('ses_1', [sampleUserMessage('msg_1')]);
    await closeForWriting(home);
    expect(read()).toMatchObject({ ...everything, ...refused });
    await store.turnRecords.appendMessages('ses_1', [sampleUserMessage('msg_2')]);
    expect(read()).toMatchObject({ ...everything, sessions: ['ses_1 2'], messages: 2 });
    await store.close();
  });

  it('is read when its tables are older ones, and they stay so', async () => {
    await makeOlderStore();
    await closeForWriting(home);
    const before = await fingerprint();
    expect(read()).toMatchObject({ ...everything, ...refused });
    expect(await fingerprint()).toEqual(before);
    expect(await readdir(home)).not.toContain('backups');
    expect(await readdir(temporary)).toEqual([]);
  });

  it('is refused where it has to be written', async () => {
    await makeStore();
    await closeForWriting(home);
    expect(read({ need: 'write' })).toEqual({
      failure: expect.stringMatching(/^STORE_UNAVAILABLE the home folder .* cannot be used: permission denied/),
    });
  });

  it('tells why it cannot be opened where there is nothing to read either', () => {
    home = join(folder, 'nothing', 'home');
    expect(read()).toEqual({
      failure: expect.stringMatching(/^STORE_UNAVAILABLE the home folder .* cannot be used: permission denied/),
    });
  });

  it.runIf(canMount())('is not upgraded on a full disk, says so, and is read', async () => {
    await mkdir(home);
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=700k', 'tmpfs', home]);
    try {
      await makeOlderStore();
      // Room for the log's shared view, and for no copy.
      await writeFile(join(home, 'fill'), Buffer.alloc(2_000_000)).catch(() => undefined);
      const fill = await stat(join(home, 'fill'));
      await writeFile(join(home, 'fill'), Buffer.alloc(fill.size - 100_000));
      const before = await fingerprint();
      expect(read({ need: 'write', user: 'self' })).toEqual({
        failure: expect.stringMatching(
          /^STORE_UNAVAILABLE the database .* is not upgraded, because no copy .*no space is left on the device .*make room/,
        ),
      });
      expect((await fingerprint())[0]).toBe(before[0]);
      expect(await readdir(join(home, 'backups'))).toEqual([]);
      expect(read({ user: 'self' })).toMatchObject({
        ...everything,
        writing: expect.stringMatching(
          /^STORE_UNAVAILABLE the store can only be read: .*no space is left on the device/,
        ),
      });
      expect((await fingerprint())[0]).toBe(before[0]);
    } finally {
      spawnSync('umount', ['--lazy', home]);
    }
  });
});
