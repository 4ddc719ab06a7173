import { spawnSync } from 'node:child_process';
import { access, chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@fovea/core/base';
import type { ListedQueueItem } from '@fovea/core/content';
import { digestOf } from '@fovea/core/media';
import { openStore, type Store } from '@fovea/core/store';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTwoColorPng } from '../../../packages/core/src/testing/make-pictures.ts';
import { type CommandRun, runCommand } from '../../../packages/core/src/testing/run-command.ts';
import { type Reply, replyText, replyToolCalls } from '../../../packages/core/src/testing/strict-server/reply.ts';
import {
  type StrictServer,
  startStrictServer,
} from '../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';

interface Child {
  readonly done: Promise<CommandRun>;
  kill(signal: NodeJS.Signals): void;
}

interface World {
  readonly server: StrictServer;
  readonly workspace: TemporaryFolder;
  readonly home: TemporaryFolder;
  run(...words: string[]): Promise<CommandRun>;
  start(...words: string[]): Child;
  /** Looks at the store beside the processes that work on it. */
  stored<Value>(look: (store: Store) => Promise<Value>): Promise<Value>;
  waiting(sessionId: string): Promise<readonly ListedQueueItem[]>;
}

const picture = makeTwoColorPng({ left: 'red', right: 'green' });

const worlds: World[] = [];

afterEach(async () => {
  for (const { server, workspace, home } of worlds.splice(0)) {
    await Promise.all([server.close(), workspace.remove(), home.remove()]);
  }
});

async function openWorld(script: readonly Reply[] = []): Promise<World> {
  const server = await startStrictServer(script.length === 0 ? {} : { script });
  const [workspace, home] = await Promise.all([createTemporaryFolder(), createTemporaryFolder()]);
  await workspace.write('a.png', picture);
  const channel = {
    supplier: 'custom',
    wireApi: 'openai-chat',
    baseUrl: server.baseUrl,
    apiKey: 'env:LAB_KEY',
    models: { seer: { imageInput: 'yes' } },
  };
  await home.write('config.jsonc', JSON.stringify({ model: 'lab/seer', channels: { lab: channel } }));
  const options = { environment: { FOVEA_HOME: home.path, LAB_KEY: 'sk-lab' }, currentFolder: workspace.path };
  const run: World['run'] = (...words) => runCommand(words, options);
  const world: World = {
    server,
    workspace,
    home,
    run,
    start(...words) {
      let kill = (_: NodeJS.Signals): void => undefined;
      const done = runCommand(words, { ...options, onStart: (child) => (kill = (signal) => void child.kill(signal)) });
      return { done, kill: (signal) => kill(signal) };
    },
    async stored(look) {
      const store = await openStore({ home: home.path, need: 'read' });
      return look(store).finally(() => store.close());
    },
    waiting: async (sessionId) => (await world.stored(({ queue }) => queue.snapshot(sessionId))).items,
  };
  worlds.push(world);
  return world;
}

async function beginSession(world: World): Promise<string> {
  expect((await world.run('run', 'Hello')).exitCode).toBe(0);
  return newest(world);
}

async function newest({ stored }: World): Promise<string> {
  const session = await stored(({ sessions }) => sessions.latest());
  return session?.id ?? expect.fail('no session');
}

async function untilWaiting(world: World, sessionId: string, count: number): Promise<void> {
  const waiting = async () => (await world.waiting(sessionId)).length;
  await expect.poll(waiting, { timeout: 20_000, interval: 100 }).toBeGreaterThanOrEqual(count);
}

/** An answer that ends when `release` is called. */
function heldReply(text: string): { readonly reply: Reply; readonly release: () => void } {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  return { reply: replyText(text, { faults: [{ kind: 'hold', afterFrames: 2, until }] }), release };
}

describe('fovea run on a session that another process works on', () => {
  it('hands its message over, says that it waits, and prints its own answer', async () => {
    const held = heldReply('slow answer');
    const world = await openWorld([replyText('hi'), held.reply, replyText('quick answer')]);
    const id = await beginSession(world);
    const first = world.start('run', '-s', id, 'first');
    await world.server.waitForRequests(2);
    const second = world.start('run', '-s', id, 'second');
    await untilWaiting(world, id, 2);
    held.release();
    const [one, other] = await Promise.all([first.done, second.done]);
    expect(one).toMatchObject({ exitCode: 0, output: 'slow answer\n', diagnostics: '' });
    expect(other).toMatchObject({ exitCode: 0, output: 'quick answer\n' });
    expect(other.diagnostics).toMatch(
      /^Process \d+ is answering another message of this conversation; yours is number 2\.\n$/,
    );
    const shown = await world.run('sessions', 'show', id);
    expect(shown.output).toMatch(
      /first\n\nmodel lab\/seer\nslow answer\n\nyou\nsecond\n\nmodel lab\/seer\nquick answer/,
    );
  });

  it('answers several that begin at once, and mixes nothing', async () => {
    const world = await openWorld([replyText('hi'), replyText('one'), replyText('two'), replyText('three')]);
    const id = await beginSession(world);
    const runs = await Promise.all(['a', 'b', 'c'].map((text) => world.run('run', '-s', id, text)));
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(runs.map(({ output }) => output).sort()).toEqual(['one\n', 'three\n', 'two\n']);
    const parsed = parseJson((await world.run('sessions', 'show', id, '--json')).output);
    expect(parsed).toMatchObject({
      ok: true,
      value: { messages: Array.from({ length: 4 }, () => [{ role: 'user' }, { role: 'assistant' }]).flat() },
    });
  });

  it('goes on with what waits when the process that answers is killed', async () => {
    const held = heldReply('never');
    const world = await openWorld([replyText('hi'), held.reply, replyText('second answer')]);
    const id = await beginSession(world);
    const first = world.start('run', '-s', id, 'first');
    await world.server.waitForRequests(2);
    const second = world.start('run', '-s', id, 'second');
    await untilWaiting(world, id, 2);
    first.kill('SIGKILL');
    await first.done;
    expect(await second.done).toMatchObject({ exitCode: 0, output: 'second answer\n' });
    held.release();
    expect((await world.run('sessions', 'show', id)).output).toContain('before the turn was finished');
  });

  it('loses nothing when all of them are killed', async () => {
    const held = heldReply('never');
    const world = await openWorld([replyText('hi'), held.reply, replyText('second answer'), replyText('third answer')]);
    const id = await beginSession(world);
    const first = world.start('run', '-s', id, 'first');
    await world.server.waitForRequests(2);
    const second = world.start('run', '-s', id, '--attach', 'a.png', 'second');
    await untilWaiting(world, id, 2);
    second.kill('SIGKILL');
    first.kill('SIGKILL');
    await Promise.all([first.done, second.done]);
    held.release();
    const shown = await world.run('sessions', 'show', id);
    expect(shown.output).toContain('[a.png] second');
    expect(await world.run('run', '-c', 'third')).toMatchObject({ exitCode: 0, output: 'third answer\n' });
    expect((await world.run('sessions', 'show', id)).output).toMatch(
      /second\n\nmodel lab\/seer\nsecond answer\n\nyou\nthird/,
    );
    expect(await world.waiting(id)).toEqual([]);
  });

  it('takes its message back with Ctrl+C, and the turn before goes on', async () => {
    const held = heldReply('slow answer');
    const world = await openWorld([replyText('hi'), held.reply]);
    const id = await beginSession(world);
    const first = world.start('run', '-s', id, 'first');
    await world.server.waitForRequests(2);
    const second = world.start('run', '-s', id, 'second');
    await untilWaiting(world, id, 2);
    second.kill('SIGINT');
    const left = await second.done;
    expect(left.exitCode).toBe(130);
    expect(left.diagnostics).toContain('Your message was taken back before it was answered.');
    expect(await world.waiting(id)).toHaveLength(1);
    held.release();
    expect(await first.done).toMatchObject({ exitCode: 0, output: 'slow answer\n' });
  });
});

describe('fovea run that is told to end', () => {
  it('leaves its message in the queue, where the next process finds it', async () => {
    const held = heldReply('slow answer');
    const world = await openWorld([replyText('hi'), held.reply, replyText('found again')]);
    const id = await beginSession(world);
    const first = world.start('run', '-s', id, 'first');
    await world.server.waitForRequests(2);
    const second = world.start('run', '-s', id, '--submission-id', 'job-2', 'second');
    await untilWaiting(world, id, 2);
    second.kill('SIGTERM');
    const left = await second.done;
    expect(left.exitCode).toBe(130);
    expect(left.diagnostics).toContain('Your message stays in the queue');
    expect(await world.waiting(id)).toHaveLength(2);
    held.release();
    await first.done;
    const again = await world.run('run', '-s', id, '--submission-id', 'job-2', 'second');
    expect(again).toMatchObject({ exitCode: 0, output: 'found again\n' });
  });
});

describe('fovea run where nobody looks', () => {
  it.each(['words', '--json'])(
    'does not wait for ever on a message that is held, and leaves it there (%s)',
    async (form) => {
      const command = { name: 'run_command', arguments: { command: 'touch begun; sleep 4' } };
      const world = await openWorld([replyText('hi'), replyToolCalls([command]), replyText('lets it go on')]);
      const id = await beginSession(world);
      const first = world.start('run', '-s', id, '--yes', 'first');
      await world.server.waitForRequests(2);
      const begun = () => access(world.workspace.resolve('begun'));
      await expect
        .poll(
          () =>
            begun().then(
              () => true,
              () => false,
            ),
          { timeout: 20_000 },
        )
        .toBe(true);
      const second = world.start('run', '-s', id, ...(form === '--json' ? [form] : []), 'second');
      await untilWaiting(world, id, 2);
      first.kill('SIGKILL');
      await first.done;
      expect((await second.done).exitCode).toBe(1);
      expect(await world.waiting(id)).toHaveLength(2);
      const resumed = await world.run('sessions', 'queue', id, '--resume');
      expect(resumed).toMatchObject({ exitCode: 0 });
      expect(resumed.output).toContain('lets it go on');
    },
  );
});

describe('fovea run --submission-id', () => {
  it('gives the same turn for the same id, refuses other content, and needs a session', async () => {
    const world = await openWorld([replyText('hi'), replyText('only once')]);
    const id = await beginSession(world);
    const once = await world.run('run', '-s', id, '--submission-id', 'job-1', 'Go');
    const again = await world.run('run', '-s', id, '--submission-id', 'job-1', 'Go');
    expect([once.output, again.output]).toEqual(['only once\n', 'only once\n']);
    expect(world.server.requests).toHaveLength(2);
    const other = await world.run('run', '-s', id, '--submission-id', 'job-1', 'Something else');
    expect(other).toMatchObject({ exitCode: 3, output: '' });
    expect(other.diagnostics).toContain('Choose another id');
    expect((await world.run('run', '--submission-id', 'job-1', 'Go')).exitCode).toBe(2);
  });
});

describe('fovea sessions queue', () => {
  it('holds what waits behind a turn that was stopped, lists, moves, removes and resumes it', async () => {
    const held = heldReply('never');
    const world = await openWorld([replyText('hi'), held.reply, replyText('answer to c'), replyText('answer to a')]);
    const id = await beginSession(world);
    const first = world.start('run', '-s', id, 'first');
    await world.server.waitForRequests(2);
    for (const [index, text] of ['a', 'b', 'c'].entries()) {
      const waiting = world.start('run', '-s', id, text);
      await untilWaiting(world, id, index + 2);
      waiting.kill('SIGKILL');
      await waiting.done;
    }
    first.kill('SIGINT');
    expect((await first.done).exitCode).toBe(130);
    held.release();
    const listed = await world.run('sessions', 'queue', id);
    expect(listed.output).toBe('1  a (held)\n2  b (held)\n3  c (held)\n');
    expect(listed.diagnostics).toContain('3 messages are held: the turn before was stopped.');
    expect((await world.run('sessions', 'queue', id, '--move', '3', '--before', '1')).output).toContain(
      '1  c (held)\n2  a',
    );
    expect((await world.run('sessions', 'queue', id, '--remove', '3')).output).toBe('1  c (held)\n2  a (held)\n');
    expect(await world.run('sessions', 'queue', id, '--remove', '3')).toMatchObject({ exitCode: 2 });
    const resumed = await world.run('sessions', 'queue', id, '--resume');
    expect(resumed).toMatchObject({ exitCode: 0, output: 'answer to c\nanswer to a\n', diagnostics: '› c\n› a\n' });
    expect(await world.waiting(id)).toEqual([]);
  });
});

describe('fovea sessions fork and delete', () => {
  it('copies a session, deletes it only with --yes, and gc keeps what is young', async () => {
    const world = await openWorld();
    expect((await world.run('run', '--attach', 'a.png', 'Which colours?')).exitCode).toBe(0);
    const id = await newest(world);
    const fork = (await world.run('sessions', 'fork', id)).output.trim();
    expect(fork).toMatch(/^ses_/);
    const asked = await world.run('sessions', 'delete', id);
    expect(asked).toMatchObject({ exitCode: 2, output: '' });
    expect(asked.diagnostics).toContain('--yes');
    expect((await world.run('sessions', 'delete', id, '--yes')).output).toContain('fovea gc frees the space');
    expect((await world.run('gc')).output).toMatch(/0 files that nothing refers to; \d+ kept/);
    expect((await world.run('run', '-s', fork, 'Again?')).output).toContain('left red, right green');
    await world.run('sessions', 'delete', fork, '--yes');
    const collected = await world.run('gc');
    expect(collected.exitCode).toBe(0);
    expect(collected.output).toMatch(/kept for now, because .* younger than ten minutes/);
  });

  it('deletes no session that is being answered', async () => {
    const held = heldReply('slow');
    const world = await openWorld([replyText('hi'), held.reply]);
    const id = await beginSession(world);
    const first = world.start('run', '-s', id, 'first');
    await world.server.waitForRequests(2);
    expect(await world.run('sessions', 'delete', id, '--yes')).toMatchObject({ exitCode: 2, output: '' });
    held.release();
    expect((await first.done).exitCode).toBe(0);
  });
});

describe('fovea check', () => {
  it('names a damaged picture in one line with what to do, exit code 1', async () => {
    const world = await openWorld();
    expect((await world.run('run', '--attach', 'a.png', 'Which colours?')).exitCode).toBe(0);
    const digest = digestOf(picture).slice('sha256:'.length);
    const path = join(world.home.path, 'blobs', digest.slice(0, 2), digest.slice(2, 4), digest);
    const whole = await readFile(path);
    await writeFile(path, 'x');
    const checked = await world.run('check');
    expect(checked.exitCode).toBe(1);
    expect(checked.output).toMatch(/✗ content_edges .*\. The conversation goes on without this picture\./);
    expect(checked.output).toContain('1 thing is wrong.');
    expect(parseJson((await world.run('check', '--json')).output)).toMatchObject({
      ok: true,
      value: { faultCount: 1, faults: [{ kind: 'blob-damaged' }] },
    });
    await writeFile(path, whole);
  });
});

/** Everything below can be read by everybody, and written by nobody. */
async function openToReaders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444);
  }
  await chmod(folder, 0o555);
}

describe('a home that can only be read', () => {
  it.runIf(process.getuid?.() === 0)('is listed, shown and checked, and run says why it cannot', async () => {
    const world = await openWorld([replyText('hi')]);
    const id = await beginSession(world);
    await openToReaders(world.home.path);
    await chmod(world.workspace.path, 0o755);
    const asNobody = (...words: string[]) => {
      const bin = fileURLToPath(new URL('../bin/fovea.js', import.meta.url));
      return spawnSync(process.execPath, [bin, ...words], {
        uid: 65534,
        gid: 65534,
        cwd: world.workspace.path,
        env: { PATH: process.env['PATH'] ?? '', FOVEA_HOME: world.home.path, LAB_KEY: 'sk-lab' },
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
      });
    };
    expect(asNobody('sessions', 'list').stdout).toContain(id);
    expect(asNobody('sessions', 'show', id).stdout).toContain('hi');
    expect(asNobody('check')).toMatchObject({ status: 0, stdout: expect.stringContaining('Nothing is wrong.') });
    const run = asNobody('run', '-s', id, 'More?');
    expect(run).toMatchObject({ status: 2, stdout: '' });
    expect(run.stderr).toContain(world.home.path);
  });
});
