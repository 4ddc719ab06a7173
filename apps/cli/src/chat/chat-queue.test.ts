import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type Fovea, startFovea } from '@fovea/server';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../../packages/core/src/testing/run-command.ts';
import { type Reply, replyText } from '../../../../packages/core/src/testing/strict-server/reply.ts';
import {
  type StrictServer,
  startStrictServer,
} from '../../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../../packages/core/src/testing/temporary-folder.ts';
import { createTerminalScreen } from '../../../../packages/core/src/testing/terminal-screen.ts';
import { cliTexts } from '../texts.ts';
import { Chat } from './chat.ts';

interface World {
  readonly server: StrictServer;
  readonly workspace: TemporaryFolder;
  readonly home: TemporaryFolder;
  readonly environment: Readonly<Record<string, string>>;
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openWorld(script: readonly Reply[]): Promise<World> {
  const server = await startStrictServer({ script });
  const [workspace, home] = await Promise.all([createTemporaryFolder(), createTemporaryFolder()]);
  const channel = {
    supplier: 'custom',
    wireApi: 'openai-chat',
    baseUrl: server.baseUrl,
    apiKey: 'env:LAB_KEY',
    models: { seer: {} },
  };
  await home.write('config.jsonc', JSON.stringify({ locale: 'en', model: 'lab/seer', channels: { lab: channel } }));
  closing.push(
    () => server.close(),
    () => workspace.remove(),
    () => home.remove(),
  );
  return { server, workspace, home, environment: { FOVEA_HOME: home.path, LAB_KEY: 'sk-lab' } };
}

async function openFovea({ environment }: World): Promise<Fovea> {
  const started = await startFovea({ environment, logSink: process.stderr, queues: 'own' });
  if (!started.ok) throw started.error;
  const { fovea } = started.value;
  closing.push(() => fovea.close());
  return fovea;
}

/** A chat in this process, on the real services. */
async function openChat(world: World, sessionId?: string) {
  const fovea = await openFovea(world);
  const keyboard = new PassThrough();
  const output = new PassThrough();
  Object.defineProperties(output, { isTTY: { value: true }, columns: { value: 100 }, rows: { value: 40 } });
  const drawn = createTerminalScreen(40, 100);
  output.on('data', (chunk: Buffer) => drawn.write(chunk.toString()));
  const session = sessionId === undefined ? undefined : await fovea.findSession(sessionId);
  const model = await fovea.chooseModel();
  if (!model.ok) throw model.error;
  const chat = await Chat.open({
    terminal: { input: keyboard, output },
    fovea,
    context: {
      locale: 'en',
      texts: cliTexts('en'),
      currentFolder: world.workspace.path,
      configFile: '',
      foveaHome: world.home.path,
      hasColors: false,
      isPlain: false,
      signal: new AbortController().signal,
      openFovea: async () => fovea,
    },
    workspace: world.workspace.path,
    homeFolder: '/home/nobody',
    model: model.value,
    ...(session && { session }),
  });
  const finished = chat.run();
  closing.push(async () => {
    keyboard.end();
    await finished;
  });
  const screen = () => drawn.text();
  return { fovea, keyboard, finished, screen, until: (text: string | RegExp) => untilSeen(screen, text) };
}

async function untilSeen(screen: () => string, text: string | RegExp): Promise<void> {
  for (let attempt = 0; attempt < 2000; attempt += 1) {
    if (typeof text === 'string' ? screen().includes(text) : text.test(screen())) return;
    await sleep(10);
  }
  throw new Error(`the screen never showed ${String(text)}:\n${screen()}`);
}

function heldReply(text: string): { readonly reply: Reply; readonly release: () => void } {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  return { reply: replyText(text, { faults: [{ kind: 'hold', afterFrames: 3, until }] }), release };
}

async function onlySession(fovea: Fovea): Promise<string> {
  const session = await fovea.latestSession();
  if (session === undefined) throw new Error('no session');
  return session.id;
}

async function untilQueued(fovea: Fovea, sessionId: string, count: number): Promise<void> {
  for (let attempt = 0; attempt < 2000; attempt += 1) {
    if ((await fovea.queue(sessionId)).items.length === count) return;
    await sleep(10);
  }
  throw new Error(`never ${count} in the queue`);
}

describe('Chat on a stored session', () => {
  it('stores what is entered while a turn runs at once, lists it, changes its order, and takes it out', async () => {
    const held = heldReply('slow answer');
    const world = await openWorld([held.reply, replyText('answer to c'), replyText('answer to a')]);
    const chat = await openChat(world);
    chat.keyboard.write('first\r');
    await world.server.waitForRequests(1);
    chat.keyboard.write('a\rb\rc\r');
    await chat.until('[3 queued] › ');
    const other = await openFovea(world);
    await untilQueued(other, await onlySession(other), 4);
    chat.keyboard.write('/queue move 3 1\r');
    await chat.until('1  c\n2  a\n3  b\n');
    chat.keyboard.write('/queue remove 3\r');
    await chat.until('No longer queued: b');
    held.release();
    await chat.until(/slow answer\n› c\nanswer to c\n› a\nanswer to a/);
    chat.keyboard.write('/quit\r');
    expect(await chat.finished).toBe(0);
  });

  it('holds what waits when the turn is stopped, says so when it is opened again, and resumes it', async () => {
    const held = heldReply('never');
    const world = await openWorld([held.reply, replyText('second answer')]);
    const chat = await openChat(world);
    chat.keyboard.write('first\r');
    await world.server.waitForRequests(1);
    chat.keyboard.write('second\r');
    await chat.until('[1 queued] › ');
    chat.keyboard.write('\u001b');
    await chat.until('1 message waits');
    chat.keyboard.write('/quit\r');
    await chat.finished;
    expect(chat.screen()).toContain('Waits: second');
    await chat.fovea.close();
    const again = await openChat(world, await onlySession(await openFovea(world)));
    await again.until('1  second (held)\n1 message is held: the turn before was stopped.');
    again.keyboard.write('/queue resume\r');
    await again.until('› second\nsecond answer');
    held.release();
  });

  it('runs a message that steers too late as a turn of its own', async () => {
    const held = heldReply('slow answer');
    const world = await openWorld([held.reply, replyText('steered answer')]);
    const chat = await openChat(world);
    chat.keyboard.write('first\r');
    await world.server.waitForRequests(1);
    chat.keyboard.write('/steer look at b\r');
    await chat.until('› look at b (for the running turn)');
    const id = await onlySession(chat.fovea);
    await untilQueued(chat.fovea, id, 2);
    expect((await chat.fovea.queue(id)).items[1]).toMatchObject({ intent: 'steer', text: 'look at b' });
    held.release();
    await chat.until('steered answer');
  });

  it('shows the turn that another process runs, and hands its own message over', async () => {
    const held = heldReply('an answer that takes its time');
    const world = await openWorld([replyText('hi'), held.reply, replyText('own answer')]);
    const { environment, workspace } = world;
    await runCommand(['run', 'Hello'], { environment, currentFolder: workspace.path });
    const id = await onlySession(await openFovea(world));
    const other = runCommand(['run', '-s', id, 'theirs'], { environment, currentFolder: workspace.path });
    await world.server.waitForRequests(2);
    const chat = await openChat(world, id);
    await chat.until('› theirs');
    await chat.until('an answer');
    chat.keyboard.write('mine\r');
    await chat.until('[1 queued] › ');
    chat.keyboard.write('\u001b');
    await chat.until(/Process \d+ answers here; it has to be stopped there/);
    held.release();
    await chat.until('an answer that takes its time\n› mine\nown answer');
    expect(await other).toMatchObject({ exitCode: 0, output: 'an answer that takes its time\n' });
  });

  it('loses nothing when its process is killed', async () => {
    const held = heldReply('never');
    const world = await openWorld([held.reply, replyText('second answer'), replyText('third answer')]);
    const bin = fileURLToPath(new URL('../../bin/fovea.js', import.meta.url));
    // `script` is the terminal of the process.
    const command = `stty cols 100 rows 40; exec "${process.execPath}" "${bin}" chat`;
    const child = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: world.workspace.path,
      env: { ...world.environment, PATH: process.env['PATH'] ?? '', TERM: 'xterm' },
    });
    let written = '';
    child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()));
    const screen = () => stripVTControlCharacters(written);
    await untilSeen(screen, '› ');
    child.stdin.write('first\r');
    await world.server.waitForRequests(1);
    child.stdin.write('second\r');
    child.stdin.write('third\r');
    const fovea = await openFovea(world);
    const id = await onlySession(fovea);
    await untilQueued(fovea, id, 3);
    const holder = await fovea.findSessionHolder(id);
    process.kill(holder?.pid ?? 0, 'SIGKILL');
    await new Promise((resolve) => child.on('close', resolve));
    held.release();
    const chat = await openChat(world, id);
    await chat.until(/› second\nsecond answer\n› third\nthird answer/);
    chat.keyboard.write('/quit\r');
    await chat.finished;
    expect(await fovea.checkStore()).toMatchObject({ faultCount: 0 });
  });
});
