import { readdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type FoveaEvent, type Session, textOf } from '@fovea/core/content';
import { builtInTools } from '@fovea/core/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeTwoColorPng } from '../../../packages/core/src/testing/make-pictures.ts';
import { expectClean } from '../../../packages/core/src/testing/strict-server/expect-clean.ts';
import { hang, replyError, replyHtml, replyText } from '../../../packages/core/src/testing/strict-server/reply.ts';
import {
  type StrictServer,
  type StrictServerOptions,
  startStrictServer,
} from '../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { withStoreDatabase } from '../../../packages/core/src/testing/with-store-database.ts';
import { compose } from './compose.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { ConfigFile } from './config/config-schema.ts';
import type { Fovea, TurnInput } from './fovea.ts';
import { createJsonLinesLogger } from './json-lines-logger.ts';

const NOWHERE = 'http://127.0.0.1:9';
const KEY = 'key-of-the-lab-0123456789';
const redGreen = makeTwoColorPng({ left: 'red', right: 'green' });
const blueYellow = makeTwoColorPng({ left: 'blue', right: 'yellow' });

interface Lab {
  readonly home: TemporaryFolder;
  readonly workspace: TemporaryFolder;
  /** Composes again over the same home, as a restarted program does. */
  open(options?: { file?: ConfigFile; environment?: Record<string, string>; onLog?: (line: string) => void }): Fovea;
  baseUrl: string;
}

async function createLab(baseUrl = `${NOWHERE}/v1`): Promise<Lab> {
  const home = await createTemporaryFolder();
  const workspace = await createTemporaryFolder();
  const opened: Fovea[] = [];
  onTestFinished(async () => {
    for (const fovea of opened) await fovea.close();
    await home.remove();
    await workspace.remove();
  });
  const lab: Lab = {
    home,
    workspace,
    baseUrl,
    open({ file = labConfig(lab.baseUrl), environment = {}, onLog } = {}) {
      const surroundings = { HOME: home.path, LAB_KEY: KEY, ...environment };
      const fovea = compose({
        config: fillConfigDefaults(file, 'en'),
        home: home.resolve('fovea'),
        environment: surroundings,
        localServers: { ollamaUrl: NOWHERE, lmStudioUrl: NOWHERE, timeoutMs: 300 },
        ...(onLog === undefined
          ? {}
          : { logger: createJsonLinesLogger({ FOVEA_LOG: 'debug' }, { write: onLog }, Date.now) }),
      });
      opened.push(fovea);
      return fovea;
    },
  };
  return lab;
}

function labConfig(baseUrl: string, more: ConfigFile = {}): ConfigFile {
  return {
    channels: {
      lab: {
        supplier: 'openai',
        wireApi: 'openai-chat',
        baseUrl,
        apiKey: 'env:LAB_KEY',
        models: { seer: { imageInput: 'yes' }, blind: { imageInput: 'no' }, 'org/guess': {} },
      },
    },
    model: 'lab/seer',
    ...more,
  };
}

async function startServer(options: StrictServerOptions = {}): Promise<StrictServer> {
  const server = await startStrictServer({ keys: [KEY], ...options });
  onTestFinished(() => server.close());
  return server;
}

async function begin(fovea: Fovea, lab: Lab, model = 'lab/seer'): Promise<Session> {
  const created = await fovea.createSession({ workspace: lab.workspace.path, model });
  if (!created.ok) throw created.error;
  return created.value;
}

async function run(
  fovea: Fovea,
  session: Session,
  input: Partial<TurnInput> & { readonly text: string },
): Promise<readonly FoveaEvent[]> {
  const events: FoveaEvent[] = [];
  for await (const event of fovea.runTurn({ sessionId: session.id, attachments: [], ...input })) events.push(event);
  return events;
}

/** Begins a turn and reads until the first event of that type. */
async function runUntil(fovea: Fovea, session: Session, type: FoveaEvent['type']): Promise<AsyncIterator<FoveaEvent>> {
  const turn = fovea.runTurn({ sessionId: session.id, text: 'Hello.', attachments: [] })[Symbol.asyncIterator]();
  while ((await turn.next()).value?.type !== type);
  return turn;
}

async function texts(fovea: Fovea, session: Session): Promise<readonly string[]> {
  const transcript = await fovea.loadTranscript(session.id);
  return transcript.map((message) => (message.role === 'assistant' ? textOf(message) : message.content));
}

const textIn = (events: readonly FoveaEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

const endOf = (events: readonly FoveaEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== 'turn-end') throw new Error(`the turn ended with ${JSON.stringify(last)}`);
  return last.error === undefined ? last.status : `${last.status} ${last.error.code}`;
};

describe('a session over the Chat Completions wire', () => {
  it('sees an attachment, remembers it, and goes on after a restart', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    await lab.workspace.write('shots/a.png', redGreen);
    await lab.workspace.write('b.png', blueYellow);
    const first = lab.open();
    const session = await begin(first, lab);

    const one = await run(first, session, { text: 'What is in\nthis picture?', attachments: ['shots/a.png'] });
    expect(one[0]).toMatchObject({ type: 'turn-accepted', sessionId: session.id });
    expect(textIn(one)).toBe('image 1 (64x32): left red, right green');
    expect(endOf(one)).toBe('completed');

    const two = await run(first, session, { text: 'And now?\nCALL view_image {"path":"b.png"}' });
    expect(textIn(two)).toContain('left blue, right yellow');
    await first.close();

    const second = lab.open();
    const found = await second.findSession(session.id.slice(0, 12));
    expect(found).toMatchObject({ id: session.id, title: 'What is in', model: 'lab/seer' });
    expect(found?.promptHead).toEqual(session.promptHead);
    const three = await run(second, session, { text: 'Once more, please.' });
    expect(textIn(three)).toContain('left red, right green');
    expect(textIn(three)).toContain('left blue, right yellow');

    expect(server.requests).toHaveLength(4);
    expect(server.requests.at(-1)?.pictures).toHaveLength(2);
    expectClean(server);
    const transcript = await second.loadTranscript(session.id);
    expect(transcript.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(await second.listSessions(10)).toMatchObject([
      { id: session.id, title: 'What is in', messageCount: 8, workspace: lab.workspace.path },
    ]);
  });

  it('uploads nothing for a bare path in the text', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    await lab.workspace.write('a.png', redGreen);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    const events = await run(fovea, session, { text: `Look at a.png and ${lab.workspace.resolve('a.png')}` });
    expect(textIn(events)).toBe('I see no image.');
    expect(server.requests[0]?.pictures).toEqual([]);
    expect(await fovea.loadTranscript(session.id)).toMatchObject([{ role: 'user', imageInputs: [] }, {}]);
    expectClean(server);
  });

  it('sends pictures as the imageInput of the model in the configuration says', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    await lab.workspace.write('a.png', redGreen);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    const text = 'CALL view_image {"path":"a.png"}';
    expect(textIn(await run(fovea, session, { text, model: 'lab/org/guess' }))).toContain('left red');
    expect(textIn(await run(fovea, session, { text, model: 'lab/blind' }))).toBe('I see no image.');
    expect((await fovea.findSession(session.id))?.model).toBe('lab/blind');
    const blindRequests = server.requests.filter((request) => request.body?.['model'] === 'blind');
    expect(blindRequests).toHaveLength(2);
    expect(blindRequests.flatMap((request) => request.pictures)).toEqual([]);
    expect(textIn(await run(fovea, session, { text: 'Again.', model: 'lab/seer' }))).toContain('left red');
    expect((await fovea.findSession(session.id))?.model).toBe('lab/seer');
    expectClean(server);
  });

  it('refuses an attachment for a model that takes none, and starts nothing', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    await lab.workspace.write('a.png', redGreen);
    const fovea = lab.open();
    const session = await begin(fovea, lab, 'lab/blind');
    const refused = await run(fovea, session, { text: 'What is it?', attachments: ['a.png'] });
    expect(refused).toMatchObject([
      { type: 'turn-refused', items: [{ index: 0, name: 'a.png', code: 'MODEL_CANNOT_SEE' }] },
    ]);
    expect(refused).toHaveLength(1);
    expect(server.requests).toEqual([]);
    expect(await fovea.loadTranscript(session.id)).toEqual([]);
    expect(endOf(await run(fovea, session, { text: 'Hello.' }))).toBe('completed');
    expect(server.requests).toHaveLength(1);
    expectClean(server);
  });

  it('names every bad attachment and takes none of them', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    await lab.workspace.write('good.png', redGreen);
    await lab.workspace.write('page.png', '<!doctype html><title>404</title>');
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    const attachments = ['good.png', 'page.png', 'absent.png'];
    const events = await run(fovea, session, { text: 'Look.', attachments });
    expect(events).toMatchObject([
      {
        type: 'turn-refused',
        items: [
          { index: 1, name: 'page.png', code: 'NOT_AN_IMAGE' },
          { index: 2, name: 'absent.png', code: 'NOT_FOUND' },
        ],
      },
    ]);
    expect(await fovea.loadTranscript(session.id)).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('runs a second turn of the session when the first one has ended, and says that it waits', async () => {
    const server = await startServer({ script: [replyText('One.'), replyText('Two.')] });
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    const first = run(fovea, session, { text: 'Hello.', submissionId: 'first' });
    const second = run(fovea, session, { text: 'Me too.', submissionId: 'second' });
    expect(textIn(await first)).toBe('One.');
    expect(textIn(await second)).toBe('Two.');
    expect((await second).find(({ type }) => type === 'queue')).toMatchObject({
      items: [{ submissionId: 'first' }, { submissionId: 'second', state: 'queued' }],
    });
    expect(await texts(fovea, session)).toEqual(['Hello.', 'One.', 'Me too.', 'Two.']);
  });

  it('takes nothing back beside a turn that another Fovea runs, and names its process', async () => {
    const server = await startServer({ script: [hang()] });
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    const turn = await runUntil(fovea, session, 'request');
    const other = lab.open();
    for (const work of [() => other.undo(session.id), () => other.deleteSession(session.id)]) {
      await expect(work()).rejects.toMatchObject({
        code: 'SESSION_BUSY',
        data: { localized: true, pid: process.pid, sessionId: session.id },
      });
      await expect(work()).rejects.toThrow(
        new RegExp(`^the process ${process.pid} \\(.+\\) is running a turn of the session`),
      );
    }
    const inChinese = lab.open({ file: labConfig(lab.baseUrl, { locale: 'zh-CN' }) }).undo(session.id);
    await expect(inChinese).rejects.toThrow(`进程 ${process.pid} (`);
    await expect(fovea.undo(session.id)).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await turn.return?.();
    expect(await other.undo(session.id)).toBeUndefined();
    expect(await texts(fovea, session)).toEqual(['Hello.']);
  });

  it('tells which turns were interrupted', async () => {
    const server = await startServer({ script: [hang(), replyText('Here.')] });
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    expect(await fovea.interruptedTurns(session.id)).toEqual([]);
    const turn = await runUntil(fovea, session, 'request');
    await server.waitForRequests(1);
    await turn.return?.();
    await run(fovea, session, { text: 'Again.' });
    const [first] = await fovea.loadTranscript(session.id);
    expect(await fovea.interruptedTurns(session.id)).toMatchObject([{ id: first?.turnId, status: 'interrupted' }]);
    await expect(fovea.interruptedTurns('ses_none')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('puts neither keys nor long texts nor bytes into log lines', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    await lab.workspace.write('a.png', redGreen);
    const lines: string[] = [];
    const fovea = lab.open({ onLog: (line) => lines.push(line) });
    const session = await begin(fovea, lab);
    const events = await run(fovea, session, { text: 'x'.repeat(5_000), attachments: ['a.png'] });
    expect(endOf(events)).toBe('completed');
    await fovea.close();
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes(KEY) || /[A-Za-z0-9+/=]{257}/.test(line))).toEqual([]);
    expect(JSON.stringify(events)).not.toContain(KEY);
  });
});

describe('an endpoint that fails', () => {
  it.each([
    ['a web page', [replyHtml()], 'failed ENDPOINT_NOT_AN_API'],
    [
      'a refused key',
      [replyError(401, { error: { message: 'bad key', type: 'auth' } })],
      'failed ENDPOINT_UNAUTHORIZED',
    ],
    ['an unknown model', [replyError(404, { error: { message: 'no such model' } })], 'failed ENDPOINT_NOT_FOUND'],
    // As often as such a request is sent again.
    ['a fault of its own', Array(4).fill(replyError(500, { error: { message: 'oops' } })), 'failed ENDPOINT_FAILED'],
    [
      'a stream that is cut',
      [replyText('Half of', { faults: [{ kind: 'cut', afterFrames: 2 }] })],
      'failed STREAM_CUT',
    ],
  ])('ends the turn after %s, and the session goes on', async (_, script, end) => {
    const server = await startServer({ script: [...script, replyText('Back again.')] });
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    expect(endOf(await run(fovea, session, { text: 'Hello?' }))).toBe(end);
    const next = await run(fovea, session, { text: 'Still there?' });
    expect(textIn(next)).toBe('Back again.');
    expect(endOf(next)).toBe('completed');
    expect(server.requests).toHaveLength(script.length + 1);
  });

  it('ends the turn when nobody listens, and the session goes on at another address', async () => {
    const lab = await createLab();
    const down = lab.open();
    const session = await begin(down, lab);
    expect(endOf(await run(down, session, { text: 'Hello?' }))).toBe('failed ENDPOINT_UNREACHABLE');
    await down.close();
    const server = await startServer();
    lab.baseUrl = server.baseUrl;
    expect(endOf(await run(lab.open(), session, { text: 'Hello?' }))).toBe('completed');
  });

  it('stops a turn of an endpoint that never answers', async () => {
    const server = await startServer({ script: [hang(), replyText('Here.')] });
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    const controller = new AbortController();
    const turn = run(fovea, session, { text: 'Hello?', signal: controller.signal });
    await server.waitForRequests(1);
    controller.abort(new Error('enough'));
    expect(endOf(await turn)).toBe('stopped');
    expect(textIn(await run(fovea, session, { text: 'And now?' }))).toBe('Here.');
  });
});

describe('without any model', () => {
  it('reads a real screenshot that the question names, and says that no model is configured', async () => {
    const lab = await createLab();
    const screenshot = new URL('../../../fixtures/screenshots/dialog-en.png', import.meta.url);
    await lab.workspace.write('shot.png', await readFile(screenshot));
    const fovea = lab.open({ file: {} });
    const chosen = await fovea.chooseModel();
    expect(chosen).toMatchObject({ ok: true, value: { id: 'offline/reader', origin: 'built-in' } });
    const session = await begin(fovea, lab, 'offline/reader');
    const events = await run(fovea, session, { text: 'What does shot.png say?' });
    expect(endOf(events)).toBe('completed');
    expect(textIn(events)).toMatch(/^No model is configured/);
    expect(textIn(events)).toContain('Do you want to save the changes to report.docx?');
    expect(events.some((event) => event.type === 'tool-call' && event.name === 'view_image')).toBe(true);
  }, 60_000);
});

describe('sessions', () => {
  it('are not made for a workspace that is no folder, or a model that does not exist', async () => {
    const lab = await createLab();
    const file = await lab.workspace.write('file.txt', 'x');
    const fovea = lab.open();
    const make = async (workspace: string, model: string) => {
      const created = await fovea.createSession({ workspace, model });
      return created.ok ? 'made' : [created.error.code, created.error.message];
    };
    const absent = lab.workspace.resolve('absent');
    expect(await make(absent, 'lab/seer')).toEqual(['NOT_FOUND', `the workspace folder does not exist: ${absent}`]);
    expect(await make(file, 'lab/seer')).toEqual(['NOT_FOUND', `the workspace is not a folder: ${file}`]);
    for (const blank of ['', '  ']) {
      expect(await make(blank, 'lab/seer')).toEqual([
        'NOT_FOUND',
        'the path of the workspace folder is empty; "." is the current folder',
      ]);
    }
    expect((await make(lab.workspace.path, 'lab/nobody'))[0]).toBe('UNKNOWN_MODEL');
    expect((await make(lab.workspace.path, 'elsewhere/seer'))[0]).toBe('UNKNOWN_CHANNEL');
    expect(await fovea.listSessions(10)).toEqual([]);
  });

  it('carry the workspace’s instructions, but none from outside of it', async () => {
    const lab = await createLab();
    await lab.workspace.write('AGENTS.md', '# House\nUse tabs.\n');
    const fovea = lab.open({ file: labConfig(`${NOWHERE}/v1`, { systemPrompt: 'Be kind.' }) });
    const { promptHead } = await begin(fovea, lab);
    expect(promptHead.systemPrompt).toContain('Use tabs.');
    expect(promptHead.systemPrompt.endsWith('Be kind.')).toBe(true);
    expect(promptHead.tools.map((tool) => tool.name)).toEqual(builtInTools().map((tool) => tool.name));

    const outside = await createTemporaryFolder();
    onTestFinished(() => outside.remove());
    const secret = await outside.write('secret.txt', 'very secret');
    const other = await createLab();
    await symlink(secret, other.workspace.resolve('AGENTS.md'));
    expect((await begin(other.open(), other)).promptHead.systemPrompt).not.toContain('very secret');
    const third = await createLab();
    await third.workspace.write('AGENTS.md/nested.txt', 'a folder');
    expect((await begin(third.open(), third)).promptHead.systemPrompt).not.toContain('AGENTS.md');
  });

  it('cut long instructions and say so', async () => {
    const lab = await createLab();
    await lab.workspace.write('AGENTS.md', `${'ä'.repeat(20_000)}END`);
    const { promptHead } = await begin(lab.open(), lab);
    expect(promptHead.systemPrompt).not.toContain('END');
    expect(promptHead.systemPrompt).not.toContain('\uFFFD');
    expect(promptHead.systemPrompt).toContain('only its first 32 KiB');
  });

  it('keep the tools that they began with, whatever a later build has', async () => {
    const server = await startServer({ script: [replyText('Hello.')] });
    const lab = await createLab(server.baseUrl);
    const first = lab.open();
    const session = await begin(first, lab);
    await first.close();
    const older = JSON.stringify({ ...session.promptHead, tools: session.promptHead.tools.slice(0, 2) });
    await withStoreDatabase(lab.home.resolve('fovea/fovea.db'), (kysely) =>
      kysely.updateTable('sessions').set({ prompt_head: older }).execute(),
    );
    await run(lab.open(), session, { text: 'Hello.' });
    const body = server.requests[0]?.body as { tools?: readonly { function: { name: string } }[] };
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(['read_file', 'view_image']);
  });

  it('count what each model used, with what it cost where a price is known', async () => {
    const usage = { inputTokens: 1_000_000, cachedTokens: 0, outputTokens: 500_000 };
    const server = await startServer({ script: [replyText('One.', { usage }), replyText('Two.', { usage })] });
    const lab = await createLab(server.baseUrl);
    const file = labConfig(lab.baseUrl);
    const price = { input: 2, output: 8, currency: 'CNY' } as const;
    const models = { ...file.channels?.['lab']?.models, seer: { imageInput: 'yes', price } } as const;
    const channel = { ...file.channels?.['lab'], supplier: 'openai', models };
    const fovea = lab.open({ file: { ...file, channels: { lab: channel } } });
    const session = await begin(fovea, lab);
    const events = await run(fovea, session, { text: 'One?' });
    expect(events.filter(({ type }) => type === 'usage')).toMatchObject([{ cost: { amount: 6, currency: 'CNY' } }]);
    await run(fovea, session, { text: 'Two?', model: 'lab/blind' });
    const counted = { answers: 1, ...usage };
    expect(await fovea.sessionUsage(session.id)).toEqual({
      models: [
        { model: 'lab/seer', ...counted, cost: { amount: 6, currency: 'CNY' } },
        { model: 'lab/blind', ...counted },
      ],
      costs: [{ amount: 6, currency: 'CNY' }],
    });
    await expect(fovea.sessionUsage('ses_none')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('take another title', async () => {
    const server = await startServer({ script: [replyText('One.')] });
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    await run(fovea, session, { text: 'One?' });
    await fovea.renameSession(session.id, 'Numbers');
    expect(await fovea.findSession(session.id)).toMatchObject({ title: 'Numbers' });
    await expect(fovea.renameSession('ses_none', 'x')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('have the file changes of their last turn taken back', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    expect(await fovea.undo(session.id)).toBeUndefined();
    await run(fovea, session, { text: 'CALL write_file {"path":"a.txt","content":"one"}' });
    expect(await readFile(lab.workspace.resolve('a.txt'), 'utf8')).toBe('one');
    expect(await fovea.undo(session.id)).toMatchObject({ files: [{ path: 'a.txt', outcome: 'removed' }] });
    await expect(readFile(lab.workspace.resolve('a.txt'))).rejects.toThrow('ENOENT');
    expect(await fovea.undo(session.id)).toBeUndefined();
    await expect(fovea.undo('ses_none')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('have the profile of the configuration', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open({ file: labConfig(lab.baseUrl, { permissions: { profile: 'read-only' } }) });
    const session = await begin(fovea, lab);
    expect(session.profile).toBe('read-only');
    const events = await run(fovea, session, { text: 'CALL write_file {"path":"a.txt","content":"one"}' });
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([{ isError: true }]);
    await expect(readFile(lab.workspace.resolve('a.txt'))).rejects.toThrow('ENOENT');
  });

  it('speak the language of the configuration to the model', async () => {
    const lab = await createLab();
    const fovea = lab.open({ file: labConfig(`${NOWHERE}/v1`, { locale: 'zh-CN' }) });
    const session = await begin(fovea, lab);
    expect(fovea.locale).toBe('zh-CN');
    expect(session.modelLocale).toBe('zh-CN');
    expect(session.promptHead.systemPrompt).toContain('工作区');
  });

  it('are found by the workspace, whatever path names it', async () => {
    const lab = await createLab();
    const fovea = lab.open();
    const session = await begin(fovea, lab);
    const link = lab.home.resolve('link');
    await symlink(lab.workspace.path, link);
    expect((await fovea.latestSession(link))?.id).toBe(session.id);
    expect((await fovea.latestSession(`${lab.workspace.path}/`))?.id).toBe(session.id);
    expect((await fovea.latestSession())?.id).toBe(session.id);
    expect(await fovea.latestSession(lab.home.path)).toBeUndefined();
    expect(await fovea.latestSession(lab.home.resolve('absent'))).toBeUndefined();
    await expect(run(fovea, { ...session, id: 'ses_0' }, { text: 'x' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await expect(fovea.loadTranscript('ses_0')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('are gone on with from the last that was answered, not from one whose only turn was refused', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    const fovea = lab.open();
    const refusedFirst = await begin(fovea, lab);
    const attachments = ['absent.png'];
    expect(await run(fovea, refusedFirst, { text: 'Look.', attachments })).toMatchObject([{ type: 'turn-refused' }]);
    expect((await fovea.latestSession(lab.workspace.path))?.id).toBe(refusedFirst.id);
    const answered = await begin(fovea, lab);
    expect(endOf(await run(fovea, answered, { text: 'Hello.' }))).toBe('completed');
    const refusedLast = await begin(fovea, lab);
    await run(fovea, refusedLast, { text: 'Look.', attachments });
    expect((await fovea.latestSession(lab.workspace.path))?.id).toBe(answered.id);
    expect((await fovea.listSessions(10)).map((session) => session.id)).toEqual([answered.id]);
    expect((await fovea.findSession(refusedLast.id))?.id).toBe(refusedLast.id);
  });

  it('are named when the beginning of an id fits several', async () => {
    const lab = await createLab();
    const fovea = lab.open();
    const [first, second] = [await begin(fovea, lab), await begin(fovea, lab)];
    await expect(fovea.findSession('ses_')).rejects.toMatchObject({
      code: 'AMBIGUOUS_NAME',
      message: `several sessions begin with "ses_"; give more of the id. There are: ${second.id}, ${first.id}`,
      data: { name: 'ses_', candidates: [second.id, first.id], localized: true },
    });
    expect((await fovea.findSession(first.id))?.id).toBe(first.id);
    expect(await fovea.findSession('ses_none')).toBeUndefined();
  });

  it('refuse a turn whose channel is gone or whose key is missing', async () => {
    const lab = await createLab();
    const session = await begin(lab.open(), lab);
    await expect(run(lab.open({ file: {} }), session, { text: 'x' })).rejects.toMatchObject({
      code: 'UNKNOWN_CHANNEL',
    });
    await expect(run(lab.open({ environment: { LAB_KEY: '' } }), session, { text: 'x' })).rejects.toMatchObject({
      code: 'KEY_MISSING',
      message: 'the key of the channel "lab" is missing: the environment variable LAB_KEY is not set',
    });
  });
});

describe('files that may not be read', () => {
  it('are the home folder, the user’s keys and what the configuration forbids, also through links', async () => {
    const server = await startServer();
    const lab = await createLab(server.baseUrl);
    const file = labConfig(server.baseUrl, {
      permissions: { forbidRead: ['~/private'], externalFolders: { home: lab.home.path } },
    });
    await lab.home.write('.ssh/id.png', redGreen);
    await lab.home.write('private/a.png', redGreen);
    await lab.home.write('open/a.png', redGreen);
    await lab.home.write('fovea/inside.png', redGreen);
    await symlink(lab.home.resolve('private/a.png'), lab.home.resolve('open/link.png'));
    const fovea = lab.open({ file });
    const session = await begin(fovea, lab);
    const attempt = async (path: string) => {
      const [event] = await run(fovea, session, { text: 'Look.', attachments: [path] });
      return event?.type === 'turn-refused' ? event.items[0]?.code : event?.type;
    };
    const whoseList = async (path: string) => {
      const [inspected] = await fovea.inspect([path], { as: 'attachment', workspace: lab.workspace.path });
      return inspected?.verdict === 'refused' ? inspected.refusal.detail : undefined;
    };
    expect(await whoseList('home/.ssh/id.png')).toBe('built-in');
    expect(await whoseList('home/fovea/inside.png')).toBe('built-in');
    expect(await whoseList('home/open/link.png')).toBe('configured');
    expect(await attempt('home/open/a.png')).toBe('turn-accepted');
    for (const path of ['home/.ssh/id.png', 'home/private/a.png', 'home/fovea/inside.png', 'home/open/link.png']) {
      expect([path, await attempt(path)]).toEqual([path, 'FORBIDDEN']);
    }
  });
});

describe('inspect', () => {
  it('says what each way in takes, and stores nothing', async () => {
    const lab = await createLab();
    await lab.workspace.write('a.png', redGreen);
    await lab.workspace.write('notes.txt', 'hello');
    await lab.workspace.write('fake.png', 'hello');
    const sizeBytes = redGreen.byteLength;
    const file = labConfig(`${NOWHERE}/v1`, {
      limits: { viewImageBytes: sizeBytes - 1, readFileImageBytes: sizeBytes, attachmentPixels: 64 * 32 - 1 },
    });
    const fovea = lab.open({ file });
    const inspect = (as: 'view-image' | 'read-file' | 'attachment') =>
      fovea.inspect(['a.png', 'notes.txt', 'fake.png'], { as, workspace: lab.workspace.path });
    expect(await inspect('read-file')).toMatchObject([
      { verdict: 'accepted', path: 'a.png', mediaType: 'image/png', widthPx: 64, heightPx: 32, sizeBytes, frames: 1 },
      { verdict: 'text', path: 'notes.txt', sizeBytes: 5 },
      { verdict: 'refused', path: 'fake.png', refusal: { code: 'NOT_AN_IMAGE' } },
    ]);
    expect(await inspect('view-image')).toMatchObject([
      { verdict: 'refused', refusal: { code: 'TOO_MANY_BYTES', actual: sizeBytes, limit: sizeBytes - 1 } },
      { verdict: 'refused', path: 'notes.txt', refusal: { code: 'NOT_AN_IMAGE' } },
      { verdict: 'refused', path: 'fake.png', refusal: { code: 'NOT_AN_IMAGE' } },
    ]);
    expect(await inspect('attachment')).toMatchObject([
      { verdict: 'refused', refusal: { code: 'TOO_MANY_PIXELS', actual: 2048, limit: 2047 } },
      { verdict: 'refused' },
      { verdict: 'refused' },
    ]);
    expect(await readdir(lab.home.path)).toEqual([]);
    await expect(
      fovea.inspect(['a.png'], { as: 'view-image', workspace: lab.workspace.resolve('absent') }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('makes the wire variant of an endpoint', async () => {
    const lab = await createLab();
    await lab.workspace.write(
      'wide.png',
      makeTwoColorPng({ left: 'red', right: 'green' }, { widthPx: 3000, heightPx: 30 }),
    );
    await lab.workspace.write('broken.png', redGreen.slice(0, 60));
    const fovea = lab.open();
    const options = { as: 'attachment', workspace: lab.workspace.path } as const;
    const variant = await fovea.makeVariant('wide.png', { ...options, endpoint: 'openai-chat' });
    if (!variant.ok) throw new Error(variant.error.code);
    expect(variant.value.reference).toMatchObject({ widthPx: 1568, sizeBytes: variant.value.bytes.byteLength });
    expect(await fovea.makeVariant('broken.png', options)).toMatchObject({ ok: false, error: { code: 'CORRUPT' } });
    await expect(fovea.makeVariant('wide.png', { ...options, endpoint: 'nowhere' })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

describe('proxies', () => {
  /** A proxy for which every name is this machine, and which writes down where it was asked to connect to. */
  async function startProxy(): Promise<{ readonly url: string; readonly targets: string[] }> {
    const targets: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, client, head) => {
      targets.push(request.url ?? '');
      const port = (request.url ?? '').split(':').at(-1);
      const target = connect(Number(port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        target.write(head);
        target.pipe(client).pipe(target);
      });
      target.on('error', () => client.destroy());
      client.on('error', () => target.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, targets };
  }

  it('are used as the variables say', async () => {
    const server = await startServer();
    const proxy = await startProxy();
    const lab = await createLab(server.baseUrl);
    const file = labConfig(server.baseUrl.replace('127.0.0.1', 'eyes.test'));
    const through = lab.open({ file, environment: { HTTP_PROXY: proxy.url } });
    const session = await begin(through, lab);
    expect(endOf(await run(through, session, { text: 'Hello.' }))).toBe('completed');
    expect(proxy.targets).toEqual([`eyes.test:${new URL(server.url).port}`]);
    const around = lab.open({ environment: { HTTP_PROXY: proxy.url } });
    expect(endOf(await run(around, session, { text: 'Hello.' }))).toBe('completed');
    expect(proxy.targets).toHaveLength(1);
  });

  it.each([
    [
      'en',
      ' (ECONNREFUSED); the request went through the proxy 127.0.0.1:9, and NO_PROXY=eyes.test would send it directly',
    ],
    ['zh-CN', ' (ECONNREFUSED))。请求经过代理 127.0.0.1:9;设置 NO_PROXY=eyes.test 可以直接连接'],
  ] as const)(
    'are named where no connection was made through them, without their password (%s)',
    async (locale, end) => {
      const lab = await createLab('http://eyes.test/v1');
      const fovea = lab.open({
        file: labConfig(lab.baseUrl, { locale }),
        environment: { HTTP_PROXY: 'http://me:pw-1234@127.0.0.1:9' },
      });
      const events = await run(fovea, await begin(fovea, lab), { text: 'Hello.' });
      const last = events.at(-1);
      expect(last).toMatchObject({ type: 'turn-end', status: 'failed', error: { code: 'ENDPOINT_UNREACHABLE' } });
      expect(last?.type === 'turn-end' && last.error?.message).toContain(end);
      expect(JSON.stringify(events)).not.toContain('pw-1234');
    },
  );
});

describe('a home folder that cannot be used', () => {
  it('is said by the first call that needs it', async () => {
    const lab = await createLab();
    await lab.home.write('fovea', 'a file where the folder should be');
    const fovea = lab.open();
    expect((await fovea.listModels()).length).toBe(4);
    await expect(fovea.listSessions(1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await fovea.close();
  });
});
