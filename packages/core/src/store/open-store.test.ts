import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmdirSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileFloors } from '../testing/compile-floors.ts';
import { sampleSession, sampleUserMessage } from '../testing/sample-records.ts';
import { connect } from './database.ts';
import { openStore } from './open-store.ts';

let folder: string;
let home: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-home-'));
  home = join(folder, 'deep', 'home');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function makeDatabase(path: string, statement: string): void {
  const database = new Libsql(path);
  database.exec(statement);
  database.close();
}

/** Only some users on some systems may; elsewhere a full disk cannot be had. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const point = mkdtempSync(join(tmpdir(), 'fovea-mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', point]).status === 0;
  if (isMounted) spawnSync('umount', [point]);
  rmdirSync(point);
  return isMounted;
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

/** A connection that nobody holds any more is closed by the collector, and moves its log. */
async function collectUnused(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < 3; round += 1) {
    collect();
    await setTimeout(20);
  }
}

describe('openStore', () => {
  it('makes a home that only its user can read', async () => {
    const store = await openStore({ home });
    expect(await modeOf(home)).toBe(0o700);
    expect(await modeOf(join(home, 'fovea.db'))).toBe(0o600);
    expect(await modeOf(join(home, 'blobs'))).toBe(0o700);
    await store.close();
  });

  it('closes a database file that others could read', async () => {
    await (await openStore({ home })).close();
    await chmod(join(home, 'fovea.db'), 0o644);
    await (await openStore({ home })).close();
    expect(await modeOf(join(home, 'fovea.db'))).toBe(0o600);
  });

  it('syncs every commit to the disk and checks references between records', async () => {
    await (await openStore({ home })).close();
    const connection = await connect({ kind: 'sqlite', path: join(home, 'fovea.db') });
    const read = async (name: string) => (await sql.raw(`pragma ${name}`).execute(connection.kysely)).rows;
    expect(await read('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await read('synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await read('foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    await connection.close();
  });

  it('leaves a store of a newer build as it is, byte for byte', async () => {
    await (await openStore({ home })).close();
    const database = new Libsql(join(home, 'fovea.db'));
    database.exec('update meta set min_reader = 4, min_writer = 4, revision = 4; pragma wal_checkpoint(truncate)');
    database.close();
    await rm(join(home, 'blobs'), { recursive: true });
    const before = await fingerprint(home);
    const failure = await openStore({ home }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'UNSUPPORTED_REVISION', data: { minReader: 4, supportedRevision: 3 } });
    expect(await fingerprint(home)).toEqual(before);
    expect(await readdir(home)).not.toContain('blobs');
  });

  it('leaves the log of a store of a newer build as it is, and makes no copy of it', async () => {
    const store = await openStore({ home });
    const database = new Libsql(join(home, 'fovea.db'));
    database.exec('update meta set min_reader = 4, min_writer = 4, revision = 4, migration = 99');
    const left = join(folder, 'left');
    await mkdir(left);
    // As a process leaves its files when it is killed.
    for (const name of ['fovea.db', 'fovea.db-wal']) await copyFile(join(home, name), join(left, name));
    database.close();
    await store.close();
    const before = await contentOf(left);
    expect(before['fovea.db-wal']).not.toBe(digestOfNothing);
    for (const need of ['write', 'read'] as const) {
      await expect(openStore({ home: left, need })).rejects.toMatchObject({ code: 'UNSUPPORTED_REVISION' });
      await collectUnused();
      expect(await contentOf(left)).toEqual(before);
    }
  });

  it('refuses a home on a network file system, by its real path, and says where to go', async () => {
    const mountTable = join(folder, 'mounts');
    const shared = join(folder, 'shared disk');
    await mkdir(shared);
    await symlink(shared, join(folder, 'link'));
    const point = (await realpath(shared)).replaceAll(' ', '\\040');
    await writeFile(mountTable, `27 1 8:1 / / rw - ext4 /dev/sda rw\n40 27 0:40 / ${point} rw - nfs4 files:/x rw\n`);
    for (const need of ['write', 'read'] as const) {
      const failure = openStore({ home: join(folder, 'link', 'new', 'home'), mountTable, need });
      await expect(failure).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { kind: 'nfs4' } });
      await expect(failure).rejects.toThrow(/network file system \(nfs4, mounted at .*shared disk\).*set FOVEA_HOME/);
    }
    expect(await readdir(shared)).toEqual([]);
    await (await openStore({ home, mountTable })).close();
  });

  it('keeps everything readable but the messages that a damaged page held', async () => {
    const store = await openStore({ home });
    const texts = { ses_1: 'first', ses_2: 'MARKED', ses_3: 'last' };
    for (const [id, text] of Object.entries(texts)) {
      await store.sessions.create(sampleSession(id));
      const messages = Array.from({ length: 40 }, (_unused, index) =>
        sampleUserMessage(`msg_${id}_${index}`, { content: text.padEnd(1000, '.') }),
      );
      await store.turnRecords.appendMessages(id, messages);
    }
    await store.close();
    const path = join(home, 'fovea.db');
    await damagePages(path, (page, count) => count('MARKED') > 1 && count('first') + count('last') === 0 && page > 1);
    const opened = await openStore({ home });
    expect((await opened.sessions.list(9)).map(({ id }) => id)).toEqual(['ses_3', 'ses_2', 'ses_1']);
    expect(await opened.turnRecords.loadTranscript('ses_1')).toHaveLength(40);
    expect(await opened.turnRecords.loadTranscript('ses_3')).toHaveLength(40);
    const failure = opened.turnRecords.loadTranscript('ses_2');
    await expect(failure).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { systemCode: 'SQLITE_CORRUPT' } });
    await expect(failure).rejects.toThrow(/cannot be read: the database file is damaged .*`fovea check`.*backups/);
    await opened.close();
  });

  it('names the home and the reason when a file stands in its place', async () => {
    await mkdir(join(folder, 'deep'));
    await writeFile(home, '');
    const failure = openStore({ home });
    await expect(failure).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(failure).rejects.toThrow(`the home folder ${home} cannot be used: something that is not a folder`);
  });

  it('says that a database file is no database', async () => {
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'fovea.db'), 'something else entirely, and long enough for a header'.repeat(40));
    await expect(openStore({ home })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      data: { systemCode: 'SQLITE_NOTADB' },
    });
  });

  it.each([
    ['a folder', (path: string) => mkdir(path), 'it is a folder; move it away'],
    ['a pipe', (path: string) => void spawnSync('mkfifo', [path]), 'it is a pipe, device or socket; move it away'],
    ['a link to a device', (path: string) => symlink('/dev/zero', path), 'it is a pipe, device or socket'],
    [
      'a link that leads nowhere',
      (path: string) => symlink('/nowhere/x', path),
      'it does not exist and cannot be made',
    ],
    ['of other tables', (path: string) => makeDatabase(path, 'create table meta (x)'), 'its tables are not those of'],
  ])('names the database and the reason when it is %s', async (_kind, put, reason) => {
    await mkdir(home, { recursive: true });
    await put(join(home, 'fovea.db'));
    const failure = await openStore({ home }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(String(failure)).toContain(`the database ${join(home, 'fovea.db')} cannot be opened: ${reason}`);
  });

  it('names a damaged database and how to go on', async () => {
    await (await openStore({ home })).close();
    const path = join(home, 'fovea.db');
    const bytes = await readFile(path);
    await rm(`${path}-wal`, { force: true });
    await writeFile(path, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xff)]));
    const failure = openStore({ home });
    await expect(failure).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { systemCode: 'SQLITE_CORRUPT' } });
    await expect(failure).rejects.toThrow(
      `the database ${path} cannot be opened: the database file is damaged (SQLITE_CORRUPT); put a copy back, or read`,
    );
  });

  it('keeps the password of a database to itself', async () => {
    const database = { kind: 'postgres', connectionString: 'postgres://me:pw-1234@127.0.0.1:1/eyes' } as const;
    const failure = openStore({ home, database });
    await expect(failure).rejects.toThrow(
      'the database 127.0.0.1:1/eyes (PostgreSQL) cannot be opened: nothing answers',
    );
    await expect(failure).rejects.not.toThrow('pw-1234');
  });

  it.runIf(process.platform === 'linux')('refuses at once a home in a file system that takes no folders', async () => {
    const failure = openStore({ home: '/proc/nope/home' });
    await expect(failure).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { systemCode: 'ENOENT' } });
    await expect(failure).rejects.toThrow('the home folder /proc/nope/home cannot be used: it does not exist');
  });

  it.runIf(canMount())('reads on a full disk and says that there is no room to write', async () => {
    await mkdir(home, { recursive: true });
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', home]);
    try {
      // Made in a process of its own: this one would keep the shared file open.
      const floors = await compileFloors(['base', 'content', 'media', 'store']);
      const script = `
        const { openStore } = await import(process.argv[1]);
        const store = await openStore({ home: process.argv[2] });
        await store.sessions.create(JSON.parse(process.argv[3]));
        await store.close();`;
      const storeModule = pathToFileURL(join(floors.folder, 'store', 'index.js')).href;
      const words = [storeModule, home, JSON.stringify(sampleSession('ses_1'))];
      spawnSync(process.execPath, ['--input-type=module', '-e', script, ...words]);
      await floors.remove();
      await rm(join(home, 'fovea.db-shm'), { force: true });
      await writeFile(join(home, 'fill'), Buffer.alloc(1_000_000)).catch(() => undefined);
      const store = await openStore({ home });
      expect((await store.sessions.get('ses_1'))?.id).toBe('ses_1');
      await expect(store.sessions.update('ses_1', { title: 'x'.repeat(100_000) })).rejects.toThrow(
        'cannot be written: no space is left on the device (SQLITE_FULL); make room and try again',
      );
      await store.close();
    } finally {
      spawnSync('umount', ['--lazy', home]);
    }
  });

  it('says that nothing answers where PostgreSQL should be', async () => {
    const database = { kind: 'postgres', connectionString: 'postgres://127.0.0.1:1/nothing' } as const;
    await expect(openStore({ home, database })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      data: { systemCode: 'ECONNREFUSED' },
    });
  });

  it.runIf(process.platform === 'linux')('refuses a home or database that cannot be written', async () => {
    await (await openStore({ home })).close();
    const floors = await compileFloors(['base', 'content', 'media', 'store']);
    const open = (path: string) => openAsNobody(pathToFileURL(join(floors.folder, 'store', 'index.js')).href, path);
    try {
      for (const path of [folder, join(folder, 'deep')]) await chmod(path, 0o755);
      await chmod(home, 0o555);
      await chmod(join(home, 'fovea.db'), 0o444);
      expect(open(home)).toMatch(/^STORE_UNAVAILABLE the home folder .* cannot be used: permission denied \(EACCES\)/);
      await chmod(home, 0o777);
      expect(open(home)).toMatch(
        /^STORE_UNAVAILABLE the database .* cannot be opened: permission denied \(EACCES\); give/,
      );
      expect(open(join(folder, 'deep', 'new'))).toMatch(/^STORE_UNAVAILABLE .*permission denied \(EACCES\)/);
    } finally {
      await chmod(home, 0o700);
      await floors.remove();
    }
  });
});

/** Root may write everywhere: as root the child becomes `nobody` once a first store has made it load its modules. */
function openAsNobody(storeModule: string, path: string): string {
  const script = `
    const [storeModule, home, scratch] = process.argv.slice(1);
    const { openStore } = await import(storeModule);
    await (await openStore({ home: scratch })).close();
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
    await openStore({ home }).then(
      async (store) => { await store.close(); console.log('opened'); },
      (error) => console.log(error.code, error.message, JSON.stringify(error.data)),
    );`;
  const child = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script, storeModule, path, join(folder, 'scratch')],
    {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    },
  );
  return child.stdout || child.stderr;
}

const digestOfNothing = createHash('sha256').digest('hex');

/** Of every file but the shared view of the log, which holds nothing that lasts. */
async function contentOf(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path)).filter((name) => !name.endsWith('-shm'));
  const entries = names.map(async (name) => {
    const bytes = await readFile(join(path, name));
    return [name, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const PAGE_BYTES = 4096;

/** Overwrites the pages that `choose` takes; at least one. */
async function damagePages(
  path: string,
  choose: (page: number, count: (text: string) => number) => boolean,
): Promise<void> {
  const bytes = await readFile(path);
  let damaged = 0;
  for (let start = 0; start < bytes.length; start += PAGE_BYTES) {
    const page = bytes.subarray(start, start + PAGE_BYTES);
    const text = page.toString('latin1');
    if (!choose(start / PAGE_BYTES, (word) => text.split(word).length - 1)) continue;
    page.fill(0xff);
    damaged += 1;
  }
  if (damaged === 0) throw new Error('no page was damaged');
  await writeFile(path, bytes);
}

async function fingerprint(path: string): Promise<Record<string, string>> {
  const file = join(path, 'fovea.db');
  const { mtimeMs, mode } = await stat(file);
  return {
    hash: createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
    facts: `${mtimeMs} ${mode}`,
  };
}
