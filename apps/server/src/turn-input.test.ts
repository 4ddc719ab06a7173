import { formatDataUri } from '@fovea/core/base';
import type { FoveaEvent, Session } from '@fovea/core/content';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { expectDamage } from '../../../packages/core/src/testing/check-stores.ts';
import { createFixedClock } from '../../../packages/core/src/testing/fixed-clock.ts';
import { makeTwoColorPng } from '../../../packages/core/src/testing/make-pictures.ts';
import {
  type ScriptedHttpServer,
  startScriptedHttpServer,
} from '../../../packages/core/src/testing/scripted-http-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { withStoreDatabase } from '../../../packages/core/src/testing/with-store-database.ts';
import { compose } from './compose.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { ConfigFile } from './config/config-schema.ts';
import type { Fovea, TurnInput } from './fovea.ts';

const png = makeTwoColorPng({ left: 'red', right: 'green' });
const other = makeTwoColorPng({ left: 'blue', right: 'yellow' });
const PICTURE_URL = 'https://example.org/a.png';

let server: ScriptedHttpServer;
let workspace: TemporaryFolder;
let home: TemporaryFolder;
let fovea: Fovea;
let session: Session;

/** An answer of Chat Completions that says one word. */
const answer = {
  steps: [
    { write: 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"ok"},"finish_reason":null}]}\n\n' },
    { write: 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' },
  ],
};

function configWith(limits: NonNullable<NonNullable<ConfigFile['channels']>[string]['limits']>): ConfigFile {
  const channel = {
    supplier: 'custom',
    wireApi: 'openai-chat',
    baseUrl: `${server.origin}/v1`,
    apiKey: 'a-literal-key',
    models: { seer: { imageInput: 'yes' }, blind: { imageInput: 'no' } },
    limits,
  } as const;
  return { channels: { lab: channel, second: { ...channel, baseUrl: `${server.origin}/second/v1` } } };
}

function open(limits: Parameters<typeof configWith>[0] = {}, clock = createFixedClock(), more: ConfigFile = {}): Fovea {
  const opened = compose({
    config: fillConfigDefaults({ ...configWith(limits), ...more }, 'en'),
    home: home.resolve('fovea'),
    environment: { HOME: home.path },
    clock,
  });
  onTestFinished(() => opened.close());
  return opened;
}

async function begin(limits: Parameters<typeof configWith>[0] = {}, more: ConfigFile = {}): Promise<void> {
  fovea = open(limits, createFixedClock(), more);
  const created = await fovea.createSession({ workspace: workspace.path, model: 'lab/seer' });
  if (!created.ok) throw created.error;
  session = created.value;
}

async function run(input: Partial<TurnInput> & { readonly text: string }, by = fovea): Promise<readonly FoveaEvent[]> {
  server.enqueue(answer);
  const events: FoveaEvent[] = [];
  for await (const event of by.runTurn({ sessionId: session.id, attachments: [], ...input })) events.push(event);
  return events;
}

/** The content of the latest request's last user message: a string, or its parts in short. */
function lastContent(): unknown {
  const body = JSON.parse(server.requests.at(-1)?.body.toString('utf8') ?? '{}') as {
    messages: { role: string; content: string | { type: string; text?: string; image_url?: { url: string } }[] }[];
  };
  const content = body.messages.findLast((message) => message.role === 'user')?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((part) => part.text ?? part.image_url?.url.slice(0, 40));
}

const refusedIn = (events: readonly FoveaEvent[]) =>
  events.flatMap((event) =>
    event.type === 'turn-refused' ? event.items.map(({ index, name, code }) => [index, name, code]) : [],
  );

beforeEach(async () => {
  server = await startScriptedHttpServer();
  workspace = await createTemporaryFolder();
  home = await createTemporaryFolder();
  const folders = [workspace, home];
  const running = server;
  onTestFinished(async () => {
    await running.close();
    for (const folder of folders) await folder.remove();
  });
});

describe('pictures by URL and by file id', () => {
  it('go through in the order given, among stored ones, where the limit row takes them', async () => {
    await workspace.write('b.png', other);
    await begin({ url: true, fileId: true });
    const file = { file: { channel: 'lab', id: 'file-7' } };
    await run({ text: 'compare', attachments: [PICTURE_URL, 'b.png', file] });
    expect(lastContent()).toEqual([
      PICTURE_URL,
      expect.stringMatching(/^data:image\/png;base64,/),
      'file-7',
      'compare',
    ]);
    const [message] = await fovea.loadTranscript(session.id);
    expect(message).toMatchObject({
      content: 'compare',
      imageInputs: [{ url: PICTURE_URL }, { attachment: { name: 'b.png' } }, file],
    });
    expect(message).not.toHaveProperty('images');
  });

  it('refuse the turn before it begins where it does not, by their place, with the way out', async () => {
    await workspace.write('b.png', other);
    await begin({ url: false });
    const file = { file: { channel: 'lab', id: 'file-7' } };
    const events = await run({ text: 'look', attachments: ['b.png', PICTURE_URL, file, 'missing.png'] });
    expect(refusedIn(events)).toEqual([
      [1, PICTURE_URL, 'URL_NOT_ALLOWED'],
      [2, 'file-7', 'URL_NOT_ALLOWED'],
      [3, 'missing.png', 'NOT_FOUND'],
    ]);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ items: [{ message: expect.stringContaining('attach the file') }, {}, {}] });
    expect(server.requests).toHaveLength(0);
    expect(await fovea.loadTranscript(session.id)).toEqual([]);
  });

  it('are refused where they are no address, too long, or kept at another channel', async () => {
    await begin({ url: true, fileId: true });
    const attachments = ['https://', 'http://a b/c.png', { file: { channel: 'second', id: 'file-7' } }];
    expect(refusedIn(await run({ text: 'look', attachments }))).toEqual([
      [0, 'https://', 'URL_NOT_ALLOWED'],
      [1, 'http://a b/c.png', 'URL_NOT_ALLOWED'],
      [2, 'file-7', 'URL_NOT_ALLOWED'],
    ]);
    expect(refusedIn(await run({ text: 'look', attachments: [PICTURE_URL], model: 'lab/blind' }))).toEqual([
      [0, PICTURE_URL, 'MODEL_CANNOT_SEE'],
    ]);
  });

  it('count among the attachments of a message', async () => {
    await begin({ url: true });
    const attachments = Array.from({ length: 21 }, (_, index) => `${PICTURE_URL}?${index}`);
    expect(refusedIn(await run({ text: 'look', attachments }))).toEqual([[20, `${PICTURE_URL}?20`, 'TOO_MANY_ITEMS']]);
    expect(refusedIn(await run({ text: 'look', attachments: attachments.slice(1) }))).toEqual([]);
    const mixed = [...attachments.slice(0, 15), ...Array<string>(6).fill('missing.png')];
    expect(refusedIn(await run({ text: 'look', attachments: mixed }))).toEqual([[20, 'missing.png', 'TOO_MANY_ITEMS']]);
  });

  it('never go to another channel than the file belongs to, nor to an endpoint that takes no URL: words stand there', async () => {
    await begin({ url: true, fileId: true });
    await run({ text: 'look', attachments: [{ file: { channel: 'lab', id: 'file-7' } }] });
    const events = await run({ text: 'again', model: 'second/seer' });
    const body = server.requests.at(-1)?.body.toString('utf8') ?? '';
    expect(body).toContain('[Picture not shown: file-7.');
    expect(body).not.toContain('image_url');
    expect(events.filter(({ type }) => type === 'image-notice')).toMatchObject([
      { name: 'file-7', code: 'URL_NOT_ALLOWED' },
    ]);
  });
});

describe('old messages', () => {
  const databaseFile = (): string => home.resolve('fovea/fovea.db');

  /** The stored text of the session's first message. */
  const readBody = () =>
    withStoreDatabase(databaseFile(), async (kysely) => {
      return (await kysely.selectFrom('messages').select('body').where('seq', '=', 1).executeTakeFirstOrThrow()).body;
    });

  /** Replaces the image fields of the session's first message, as an older build would have written them. */
  async function rewrite(fields: Readonly<Record<string, unknown>>): Promise<string> {
    const { imageInputs: _dropped, ...rest } = JSON.parse(await readBody()) as Record<string, unknown>;
    const body = JSON.stringify({ ...rest, ...fields });
    await withStoreDatabase(databaseFile(), (kysely) =>
      kysely.updateTable('messages').set({ body, revision: 1 }).where('seq', '=', 1).execute(),
    );
    return body;
  }

  async function beginOld(fields: Readonly<Record<string, unknown>>): Promise<string> {
    await begin({ url: true, fileId: true });
    await run({ text: 'what is this?' });
    await fovea.close();
    const body = await rewrite(fields);
    fovea = open({ url: true, fileId: true });
    return body;
  }

  it('show their legacy images in order: bytes admitted, URLs passed through, files of an unknown channel as words', async () => {
    const dataUri = formatDataUri({ mediaType: 'image/jpeg', bytes: png });
    const body = await beginOld({ images: [dataUri, PICTURE_URL, 'file-api-abc'] });
    await run({ text: 'go on' });
    const request = JSON.parse(server.requests.at(-1)?.body.toString('utf8') ?? '{}') as {
      messages: { content: unknown }[];
    };
    expect(request.messages[1]?.content).toMatchObject([
      { image_url: { url: formatDataUri({ mediaType: 'image/png', bytes: png }) } },
      { image_url: { url: PICTURE_URL } },
      { text: expect.stringContaining('file-api-abc') },
      { text: 'what is this?' },
    ]);
    await fovea.close();
    expect(await readBody()).toBe(body);
  });

  it('stay readable where a legacy image is bad, and no base64 of theirs is shown', async () => {
    const cut = formatDataUri({ mediaType: 'image/png', bytes: png.subarray(0, 60) });
    await beginOld({ images: [cut] });
    const events = await run({ text: 'go on' });
    expect(server.requests.at(-1)?.body.toString('utf8')).toContain('[Picture not shown: data URI (image/png).');
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', status: 'completed' });
    const shown = JSON.stringify(await fovea.loadTranscript(session.id));
    expect(shown).not.toContain(cut);
    expect(shown).toContain('data:image/png;base64,[');
  });

  it('are refused where both fields are there', async () => {
    expectDamage(home.resolve('fovea'), 'the message is not valid');
    await beginOld({ images: [PICTURE_URL], imageInputs: [{ url: PICTURE_URL }] });
    await expect(fovea.loadTranscript(session.id)).rejects.toMatchObject({ code: 'BOTH_IMAGE_FIELDS' });
  });
});

describe('@ references', () => {
  it('attach pictures and show texts and folders, while the stored text stays exactly as typed', async () => {
    await workspace.write('shots/a b.png', png);
    await workspace.write('src/a.ts', 'const one = 1;\n');
    await begin();
    const text = '  compare @"shots/a b.png"\twith @src/a.ts, mail me@example.com \n';
    await run({ text, attachments: [] });
    expect(lastContent()).toEqual([
      expect.stringMatching(/^data:image\/png;base64,/),
      text,
      "[The user's message refers to the file src/a.ts (15 B). Its text when the message was sent:]\n```\nconst one = 1;\n```",
    ]);
    const [message] = await fovea.loadTranscript(session.id);
    expect(message).toMatchObject({
      content: text,
      imageInputs: [{ attachment: { name: 'shots/a b.png' } }],
      references: [{ kind: 'text', path: 'src/a.ts', text: 'const one = 1;\n', isCut: false }],
    });
  });

  it('show what a file was when the message was sent, in later turns too', async () => {
    await workspace.write('notes.txt', 'old');
    await begin();
    await run({ text: 'read @notes.txt' });
    const first = server.requests.at(-1)?.body.toString('utf8') ?? '';
    await workspace.write('notes.txt', 'replaced-later');
    await run({ text: 'go on' });
    const second = server.requests.at(-1)?.body.toString('utf8') ?? '';
    const turn = first.slice(first.indexOf('"messages"'), -2);
    expect(second).toContain(turn);
    expect(second).not.toContain('replaced-later');
  });

  it('refuse the turn by place and name where a picture is bad, behind the attachments', async () => {
    await workspace.write('a.png', png);
    await workspace.write('bad.png', png.subarray(0, 60));
    await begin();
    const events = await run({ text: 'see @bad.png', attachments: ['a.png'] });
    expect(refusedIn(events)).toEqual([[1, 'bad.png', 'CORRUPT']]);
    expect(refusedIn(await run({ text: 'see @a.png', model: 'lab/blind' }))).toEqual([
      [0, 'a.png', 'MODEL_CANNOT_SEE'],
    ]);
  });

  it('leave forbidden paths as text and tell the user, once the turn has begun', async () => {
    await workspace.write('.env', 'KEY=hidden-value');
    await begin();
    const events = await run({ text: 'see @.env and @../x and @missing.txt' });
    expect(lastContent()).toBe('see @.env and @../x and @missing.txt');
    expect(
      events.slice(0, 3).map((event) => (event.type === 'reference-notice' ? [event.path, event.code] : event.type)),
    ).toEqual(['turn-accepted', ['.env', 'FORBIDDEN'], ['../x', 'OUTSIDE_WORKSPACE']]);
    expect(JSON.stringify([events, server.requests.at(-1)?.body.toString('utf8')])).not.toContain('hidden-value');
  });

  it('count only in what was typed', async () => {
    await workspace.write('notes.txt', 'secret plan');
    await begin();
    await run({ text: 'explain\n\nlog: @notes.txt', referencesIn: 'explain' });
    expect(lastContent()).toBe('explain\n\nlog: @notes.txt');
  });
});

describe('a picture under every profile', () => {
  it('is attached and viewed alike, below a workspace that is not the current folder', async () => {
    await workspace.write('a.png', png);
    await workspace.write('b.png', other);
    const call = {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'view_image', arguments: '{"path":"b.png"}' },
    };
    const viewing = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] };
    const startFolder = process.cwd();
    const sent: string[][] = [];
    for (const profile of ['read-only', 'workspace-write', 'full-access'] as const) {
      await begin({}, { permissions: { profile } });
      expect(session.profile).toBe(profile);
      server.enqueue({ steps: [{ write: `data: ${JSON.stringify(viewing)}\n\ndata: [DONE]\n\n` }] });
      const before = server.requests.length;
      const events = await run({ text: 'compare @a.png with b.png' });
      expect(events.at(-1)).toMatchObject({ type: 'turn-end', status: 'completed' });
      expect(events.filter(({ type }) => type.startsWith('approval'))).toEqual([]);
      sent.push(server.requests.slice(before).map(({ body }) => body.toString('utf8')));
    }
    const [first, second, third] = sent;
    expect(first).toHaveLength(2);
    expect(first?.[1]?.match(/data:image\/png;base64,/g)).toHaveLength(2);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(process.cwd()).toBe(startFolder);
    expect(startFolder).not.toBe(workspace.path);
  });
});

describe('what changes during a session', () => {
  it('is told where it happened, and never changes what was sent before', async () => {
    await workspace.write('AGENTS.md', 'Be brief.');
    await begin();
    await run({ text: 'one' });
    const first = server.requests.at(-1)?.body.toString('utf8') ?? '';
    await workspace.write('AGENTS.md', 'Be thorough.');
    await fovea.close();
    fovea = open({}, createFixedClock({ startMs: Date.UTC(2031, 4, 6, 0, 0, 1) }));
    await run({ text: 'two', model: 'second/seer' });
    expect(lastContent()).toMatch(
      /^\[It is 2031-05-06 now\.\]\n\[From here on second\/seer answers\..*\]\ntwo\n\[The workspace's instructions \(AGENTS\.md\) changed\..*\]\n```\nBe thorough\.\n```$/,
    );
    const second = server.requests.at(-1)?.body.toString('utf8') ?? '';
    expect(second).toContain(first.slice(first.indexOf('"messages"'), -2));
    await run({ text: 'three', model: 'second/seer' });
    expect(lastContent()).toBe('three');
    const third = server.requests.at(-1)?.body.toString('utf8') ?? '';
    expect(third).toContain(second.slice(second.indexOf('"messages"'), -2));
  });
});
