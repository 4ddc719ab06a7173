import { isRecord, parseJson } from '@fovea/core/base';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTwoColorPng } from '../../../packages/core/src/testing/make-pictures.ts';
import { type CommandRun, runCommand } from '../../../packages/core/src/testing/run-command.ts';
import { expectClean } from '../../../packages/core/src/testing/strict-server/expect-clean.ts';
import { oracle, replyError, replyHtml, replyText } from '../../../packages/core/src/testing/strict-server/reply.ts';
import {
  type StrictServer,
  type StrictServerOptions,
  startStrictServer,
} from '../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';

interface World {
  readonly server: StrictServer;
  readonly workspace: TemporaryFolder;
  readonly home: TemporaryFolder;
  run(...words: string[]): Promise<CommandRun>;
}

const worlds: World[] = [];

afterEach(async () => {
  for (const { server, workspace, home } of worlds.splice(0)) {
    await Promise.all([server.close(), workspace.remove(), home.remove()]);
  }
});

/** An empty home with one channel at a strict endpoint, and a workspace with pictures. */
async function openWorld(options: StrictServerOptions = {}): Promise<World> {
  const server = await startStrictServer(options);
  const [workspace, home] = await Promise.all([createTemporaryFolder(), createTemporaryFolder()]);
  await workspace.write('a.png', makeTwoColorPng({ left: 'red', right: 'green' }));
  await workspace.write('b.png', makeTwoColorPng({ left: 'blue', right: 'yellow' }));
  await workspace.write('notes.txt', 'only words\n');
  await workspace.write('broken.png', makeTwoColorPng({ left: 'red', right: 'green' }).subarray(0, 60));
  await home.write(
    'config.jsonc',
    JSON.stringify({
      model: 'lab/seer',
      channels: {
        lab: {
          supplier: 'custom',
          wireApi: 'openai-chat',
          baseUrl: server.baseUrl,
          apiKey: 'env:LAB_KEY',
          models: { seer: { imageInput: 'yes' }, blind: { imageInput: 'no' } },
        },
      },
    }),
  );
  const world: World = {
    server,
    workspace,
    home,
    run: (...words) =>
      runCommand(words, {
        environment: { FOVEA_HOME: home.path, LAB_KEY: 'sk-lab' },
        currentFolder: workspace.path,
      }),
  };
  worlds.push(world);
  return world;
}

function call(name: string, path: string): string {
  return `CALL ${name} ${JSON.stringify({ path })}`;
}

function eventsOf(run: CommandRun): readonly Readonly<Record<string, unknown>>[] {
  return run.output
    .trim()
    .split('\n')
    .map((line) => {
      const parsed = parseJson(line);
      if (!parsed.ok || !isRecord(parsed.value)) throw new Error(`not a JSON object: ${line}`);
      return parsed.value;
    });
}

describe('fovea run', () => {
  it.each(['read_file', 'view_image'])(
    'answers from the pixels that %s read, also in the next process',
    async (tool) => {
      const { run, server } = await openWorld();
      const first = await run('run', call(tool, 'a.png'));
      expect(first).toMatchObject({ exitCode: 0 });
      expect(first.output).toContain('left red, right green');
      expect(first.diagnostics).toContain(`• ${tool} a.png`);
      const second = await run('run', '-c', 'And again?');
      expect(second).toMatchObject({ exitCode: 0 });
      expect(second.output).toContain('left red, right green');
      expectClean(server);
    },
  );

  it('answers from the pixels of what was attached, in the order of the attachments', async () => {
    const { run, server } = await openWorld();
    const first = await run('run', '--attach', 'b.png', '--attach', 'a.png', 'Which colours?');
    expect(first.exitCode).toBe(0);
    expect(first.output).toMatch(/image 1 .*left blue, right yellow\nimage 2 .*left red, right green/);
    const second = await run('run', '-c', 'And again?');
    expect(second.output).toMatch(/image 1 .*left blue, right yellow\nimage 2 .*left red, right green/);
    expectClean(server);
  });

  it.each([
    ['one call', ['a.png']],
    ['two calls, the picture first', ['a.png', 'notes.txt']],
    ['two calls, the picture last', ['notes.txt', 'a.png']],
    ['three calls, the picture first', ['a.png', 'notes.txt', 'notes.txt']],
    ['three calls, the picture in the middle', ['notes.txt', 'a.png', 'notes.txt']],
    ['three calls, the picture last', ['notes.txt', 'notes.txt', 'a.png']],
    ['three calls, two pictures around a text', ['b.png', 'notes.txt', 'a.png']],
  ])('keeps a group of parallel calls legal: %s', async (_, paths) => {
    const { run, server } = await openWorld();
    const first = await run('run', paths.map((path) => call('read_file', path)).join('\n'));
    expect(first.exitCode).toBe(0);
    const colors: Readonly<Record<string, string>> = {
      'a.png': 'left red, right green',
      'b.png': 'left blue, right yellow',
    };
    const seen = paths.flatMap((path) => colors[path] ?? []);
    expect(first.output.match(/left \w+, right \w+/g)).toEqual(seen);
    const second = await run('run', '-c', 'And again?');
    expect(second.output.match(/left \w+, right \w+/g)).toEqual(seen);
    expectClean(server);
  });

  it('gives a text model an honest sentence for the picture of a tool, and no byte of it', async () => {
    const { run, server } = await openWorld({ personality: 'openai-textonly' });
    const first = await run('run', '-m', 'lab/blind', '--json', call('view_image', 'a.png'));
    expect(first.exitCode).toBe(0);
    expect(eventsOf(first)).toContainEqual(
      expect.objectContaining({ type: 'image-notice', kind: 'replaced-by-notice', name: 'a.png' }),
    );
    const second = await run('run', '-c', 'And now?');
    expect(second.exitCode).toBe(0);
    expect(server.requests.flatMap((request) => request.pictures)).toEqual([]);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('The image was not understood.');
    expectClean(server);
  });

  it('refuses an attachment to a text model before anything is sent, and goes on afterwards', async () => {
    const { run, server } = await openWorld({ personality: 'openai-textonly' });
    const refused = await run('run', '-m', 'lab/blind', '--attach', 'a.png', '--json', 'Which colours?');
    expect(refused.exitCode).toBe(3);
    expect(eventsOf(refused)).toEqual([
      { type: 'turn-refused', items: [expect.objectContaining({ index: 0, name: 'a.png', code: 'MODEL_CANNOT_SEE' })] },
    ]);
    expect(server.requests).toHaveLength(0);
    const next = await run('run', '-c', '-m', 'lab/blind', 'Only words.');
    expect(next).toMatchObject({ exitCode: 0, output: 'I see no image.\n' });
    expectClean(server);
  });

  it('refuses the whole turn for one bad picture among three and names it', async () => {
    const { run, server } = await openWorld();
    const refused = await run('run', '--attach', 'a.png', '--attach', 'broken.png', '--attach', 'gone.png', 'Look');
    expect(refused).toMatchObject({ exitCode: 3, output: '' });
    expect(refused.diagnostics).toContain('broken.png');
    expect(refused.diagnostics).toContain('not found: gone.png');
    expect(server.requests).toHaveLength(0);
  });

  it('uploads nothing for a path that is only written', async () => {
    const { run, server } = await openWorld();
    const answered = await run('run', 'What do you think of a.png?');
    expect(answered).toMatchObject({ exitCode: 0, output: 'I see no image.\n' });
    expectClean(server);
  });

  it('prints events as JSON lines without base64', async () => {
    const { run } = await openWorld();
    const answered = await run('run', '--json', call('view_image', 'a.png'));
    const types = eventsOf(answered).map((event) => event['type']);
    expect(types[0]).toBe('turn-accepted');
    expect(types.at(-1)).toBe('turn-end');
    expect(types).toEqual(
      expect.arrayContaining(['step-start', 'request', 'tool-call', 'tool-result', 'usage', 'step-end']),
    );
    expect(answered.output).not.toMatch(/[A-Za-z0-9+/]{200}/);
  });

  it('adds standard input to the prompt, and refuses one that is no text', async () => {
    const { server, workspace, home } = await openWorld();
    const environment = { FOVEA_HOME: home.path, LAB_KEY: 'sk-lab' };
    const piped = await runCommand(['run', 'Summarise:'], {
      environment,
      currentFolder: workspace.path,
      input: 'piped words',
    });
    expect(piped.exitCode).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('Summarise:\\n\\npiped words');
    const picture = makeTwoColorPng({ left: 'red', right: 'green' });
    const refused = await runCommand(['run', 'Look'], { environment, currentFolder: workspace.path, input: picture });
    expect(refused).toMatchObject({ exitCode: 2, output: '' });
    expect(refused.diagnostics).toContain('not UTF-8 text but PNG');
  });
});

describe('fovea run, when something is wrong', () => {
  it.each([
    [
      'an error of the endpoint',
      replyError(500, { error: { message: 'boom', type: 'server_error' } }, { 'x-should-retry': 'false' }),
      'boom',
    ],
    ['a refused key', replyError(401, { error: { message: 'bad key', type: 'invalid_request_error' } }), 'key'],
    ['a web page', replyHtml(), ''],
    ['a cut stream', replyText('half of an ans', { faults: [{ kind: 'cut', afterFrames: 2 }] }), ''],
  ])('tells %s in one line, exit code 1, and the session works afterwards', async (_, reply, words) => {
    const { run, server } = await openWorld({ script: [reply, replyText('better'), replyText('fine')] });
    const failed = await run('run', 'Hello');
    expect(failed.exitCode).toBe(1);
    expect(failed.diagnostics.trim().split('\n')).toHaveLength(1);
    expect(failed.diagnostics).toContain(words);
    const next = await run('run', '-c', 'Still there?');
    expect(next).toMatchObject({ exitCode: 0, output: 'better\n' });
    expect((await run('run', '-c', 'And now?')).output).toBe('fine\n');
    const replayed = JSON.stringify(server.requests.at(-1)?.body);
    expect(replayed).not.toContain('half of an ans');
  });

  it('tells that it tries again, and goes on when the endpoint answers', async () => {
    const { run } = await openWorld({ script: [replyError(503, {}, { 'retry-after-ms': '1' }), replyText('fine')] });
    const answered = await run('run', 'Hello');
    expect(answered).toMatchObject({ exitCode: 0, output: 'fine\n' });
    expect(answered.diagnostics).toMatch(/^! The endpoint did not answer .* \(attempt 2\)\.\n$/);
  });

  it('tells that the endpoint is down, after it has tried again', async () => {
    const { run, server } = await openWorld();
    await server.close();
    const failed = await run('run', 'Hello');
    expect(failed.exitCode).toBe(1);
    const lines = failed.diagnostics.trim().split('\n');
    expect(lines.slice(0, -1).every((line) => line.startsWith('! The endpoint did not answer'))).toBe(true);
    expect(lines.at(-1)).toMatch(/ECONNREFUSED.*tried 4 times/);
  });

  it('names file, line and key of a wrong configuration, and leaves the home alone', async () => {
    const { run, home } = await openWorld();
    await home.write('config.jsonc', '{\n  "locale": "en",\n  "chanels": {}\n}\n');
    const failed = await run('run', 'Hello');
    expect(failed).toMatchObject({ exitCode: 2, output: '' });
    expect(failed.diagnostics).toMatch(/config\.jsonc:3:\d+: .*chanels/);
    expect(failed.diagnostics).toContain('channels');
  });

  it('names the models that there are when one is unknown', async () => {
    const { run } = await openWorld();
    const failed = await run('run', '-m', 'lab/nobody', 'Hello');
    expect(failed.exitCode).toBe(2);
    expect(failed.diagnostics).toContain('seer');
    expect((await run('sessions', 'list', '--json')).output.trim()).toBe('[]');
  });

  it('tells in one line that its output cannot be written', async () => {
    const { workspace, home } = await openWorld();
    const failed = await runCommand(['run', 'Hello'], {
      environment: { FOVEA_HOME: home.path, LAB_KEY: 'sk-lab' },
      currentFolder: workspace.path,
      outputFile: '/dev/full',
    });
    expect(failed.exitCode).toBe(1);
    expect(failed.diagnostics).toBe('Error: standard output cannot be written (no space left on the device).\n');
  });

  it('stops on Ctrl+C with exit code 130, and the session works afterwards', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { server, workspace, home, run } = await openWorld({
      script: [replyText('never ends', { faults: [{ kind: 'hold', afterFrames: 2, until: held }] }), replyText('fine')],
    });
    const stopped = await runCommand(['run', 'Hello'], {
      environment: { FOVEA_HOME: home.path, LAB_KEY: 'sk-lab' },
      currentFolder: workspace.path,
      onStart: (child) => {
        void server.waitForRequests(1).then(() => child.kill('SIGINT'));
      },
    });
    release();
    expect(stopped.exitCode).toBe(130);
    expect(await run('run', '-c', 'And now?')).toMatchObject({ exitCode: 0, output: 'fine\n' });
  });

  it.each([
    [['run'], 'nothing to ask'],
    [['nonsense'], "unknown command 'nonsense'"],
    [['run', '--nonsense', 'x'], "unknown option '--nonsense'"],
    [['inspect'], 'missing required argument'],
    [['inspect', 'a.png', '--endpoint', 'nowhere'], 'unknown'],
    [['inspect', 'a.png', '--as', 'poster'], 'poster'],
    [['sessions', 'show', 'ses_nothing'], 'no session "ses_nothing"'],
    [['run', '-c', '-s', 'ses_1', 'x'], 'either -s or -c'],
    [['run', '-C', '/nowhere/at/all', 'x'], '/nowhere/at/all'],
    [['--config', '/nowhere.jsonc', 'run', 'x'], '/nowhere.jsonc'],
    [[], 'needs a terminal'],
    [['chat'], 'needs a terminal'],
    [['run', '-C', '', 'x'], 'Give the name of a folder'],
  ])('refuses %j with exit code 2 and says why', async (words, why) => {
    const { run } = await openWorld();
    const failed = await run(...words);
    expect(failed).toMatchObject({ exitCode: 2, output: '' });
    expect(failed.diagnostics).toContain(why);
  });
});

describe('fovea inspect', () => {
  it('gives facts of what would be taken and the true reason otherwise', async () => {
    const { run } = await openWorld();
    const inspected = await run('inspect', '--json', 'a.png', 'broken.png', 'notes.txt', 'gone.png');
    expect(inspected.exitCode).toBe(3);
    const parsed = parseJson(inspected.output);
    expect(parsed).toMatchObject({
      ok: true,
      value: [
        { path: 'a.png', verdict: 'accepted', mediaType: 'image/png', widthPx: 64, heightPx: 32, frames: 1 },
        { path: 'broken.png', verdict: 'refused', code: 'CORRUPT', trueType: 'image/png' },
        { path: 'notes.txt', verdict: 'refused', code: 'NOT_AN_IMAGE', trueType: 'text/plain' },
        { path: 'gone.png', verdict: 'refused', code: 'NOT_FOUND' },
      ],
    });
    expect(await run('inspect', '--json', '--as', 'read-file', 'notes.txt')).toMatchObject({ exitCode: 0 });
  });

  it('writes the wire variant, and never over the original', async () => {
    const { run, workspace } = await openWorld();
    const written = await run('inspect', 'a.png', '--variant', 'out.png', '--endpoint', 'openai-chat');
    expect(written.exitCode).toBe(0);
    expect(written.diagnostics).toMatch(/out\.png: image\/png, 64×32, .*sent unchanged\n$/);
    expect((await run('inspect', '--json', 'out.png')).exitCode).toBe(0);
    expect((await run('inspect', 'a.png', '--variant', workspace.resolve('a.png'))).exitCode).toBe(2);
    expect((await run('inspect', 'a.png', 'b.png', '--variant', 'x.png')).exitCode).toBe(2);
  });
});

describe('fovea sessions', () => {
  it('lists conversations and shows one, for people and as JSON', async () => {
    const { run } = await openWorld();
    await run('run', call('view_image', 'a.png'));
    const listed = parseJson((await run('sessions', 'list', '--json')).output);
    if (!listed.ok || !Array.isArray(listed.value)) throw new Error('no list');
    const [session] = listed.value as { id: string }[];
    const shown = await run('sessions', 'show', session?.id ?? '');
    expect(shown.output).toContain('• view_image');
    expect(shown.output).toContain('left red, right green');
    const asJson = await run('sessions', 'show', session?.id.slice(0, 12) ?? '', '--json');
    expect(parseJson(asJson.output)).toMatchObject({
      ok: true,
      value: {
        session: { id: session?.id },
        messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }, { role: 'assistant' }],
      },
    });
  });
});

describe('fovea, killed in the middle', () => {
  it('opens the session again, says where it broke off, and answers', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { server, workspace, home, run } = await openWorld({
      script: [
        replyText('never ends', { faults: [{ kind: 'hold', afterFrames: 2, until: held }] }),
        oracle(),
        oracle(),
      ],
    });
    const killed = await runCommand(['run', '--attach', 'a.png', 'Which colours?'], {
      environment: { FOVEA_HOME: home.path, LAB_KEY: 'sk-lab' },
      currentFolder: workspace.path,
      onStart: (child) => {
        void server.waitForRequests(1).then(() => child.kill('SIGKILL'));
      },
    });
    release();
    expect(killed.exitCode).toBeNull();
    const listed = parseJson((await run('sessions', 'list', '--json')).output);
    if (!listed.ok || !Array.isArray(listed.value)) throw new Error('no list');
    const [session] = listed.value as { id: string }[];
    expect((await run('sessions', 'show', session?.id ?? '')).output).toContain('before the turn was finished');
    const next = await run('run', '-c', 'And now?');
    expect(next).toMatchObject({ exitCode: 0 });
    expect(next.output).toContain('left red, right green');
    expect((await run('run', '-c', 'Again?')).output).toContain('left red, right green');
    expectClean(server);
  });
});

describe('fovea', () => {
  it('prints its help in the configured language', async () => {
    const { run, home } = await openWorld();
    expect((await run('--help')).output).toContain('Usage: fovea');
    expect(await run('sessions')).toMatchObject({ exitCode: 0, diagnostics: '' });
    await home.write('config.jsonc', '{ "locale": "zh-CN" }');
    const help = await run('run', '--help');
    expect(help.output).toContain('用法:');
    expect((await run('run')).diagnostics).toContain('没有要问的内容');
    expect((await run('run', '--nonsense')).diagnostics).toBe('错误:未知选项 --nonsense\n');
  });

  it('chooses no model silently when a key is found', async () => {
    const { workspace, home } = await openWorld();
    await home.write('config.jsonc', '{}');
    const asked = await runCommand(['run', 'Hello'], {
      environment: { FOVEA_HOME: home.path, OPENAI_API_KEY: 'sk-paid-account' },
      currentFolder: workspace.path,
    });
    expect(asked).toMatchObject({ exitCode: 2, output: '' });
    expect(asked.diagnostics).toContain('openai/');
    expect(asked.diagnostics).not.toContain('sk-paid');
  });

  it('does not say that no model is configured when the built-in reader was chosen beside others', async () => {
    const { run } = await openWorld();
    const answered = await run('run', '-m', 'offline/reader', 'What is in a.png?');
    expect(answered.exitCode).toBe(0);
    expect(answered.output).not.toContain('No model is configured');
    expect(answered.output).toContain('built-in reader');
  });

  it('answers without any model by the built-in reader, and says so first', async () => {
    const { run, home } = await openWorld();
    await home.write('config.jsonc', '{}');
    const answered = await run('run', 'What is in a.png?');
    expect(answered.exitCode).toBe(0);
    expect(answered.output.split('\n')[0]).toContain('No model is configured');
    expect(answered.output).toMatch(/red.*green|green.*red/);
  });
});
