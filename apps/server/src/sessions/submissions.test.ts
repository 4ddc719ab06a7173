import { cp, readdir, symlink, unlink } from 'node:fs/promises';
import { type FoveaEvent, type Session, textOf } from '@fovea/core/content';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectDamage } from '../../../../packages/core/src/testing/check-stores.ts';
import { makeTwoColorPng } from '../../../../packages/core/src/testing/make-pictures.ts';
import { expectClean } from '../../../../packages/core/src/testing/strict-server/expect-clean.ts';
import {
  hang,
  oracle,
  type Reply,
  replyError,
  replyText,
  replyToolCalls,
} from '../../../../packages/core/src/testing/strict-server/reply.ts';
import {
  type StrictServer,
  startStrictServer,
} from '../../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../../packages/core/src/testing/temporary-folder.ts';
import { compose } from '../compose.ts';
import { fillConfigDefaults } from '../config/config.ts';
import type { ConfigFile } from '../config/config-schema.ts';
import type { Fovea, TurnInput } from '../fovea.ts';

const redGreen = makeTwoColorPng({ left: 'red', right: 'green' });
const blueYellow = makeTwoColorPng({ left: 'blue', right: 'yellow' });

type Wire = Pick<NonNullable<ConfigFile['channels']>[string], 'supplier' | 'wireApi' | 'baseUrl'>;

interface Lab {
  readonly home: TemporaryFolder;
  readonly workspace: TemporaryFolder;
  readonly server: StrictServer;
  readonly session: Session;
  readonly fovea: Fovea;
  /** Composes again, over the same home or a copy of it; `more` replaces parts of the configuration. */
  open(more?: ConfigFile, folder?: string): Fovea;
}

async function createLab(script: readonly Reply[], wire?: (server: StrictServer) => Wire): Promise<Lab> {
  const server = await startStrictServer({ script });
  const [home, workspace] = await Promise.all([createTemporaryFolder(), createTemporaryFolder()]);
  const opened: Fovea[] = [];
  onTestFinished(async () => {
    for (const fovea of opened) await fovea.close();
    await server.close();
    await Promise.all([home.remove(), workspace.remove()]);
  });
  const channel = wire?.(server) ?? { supplier: 'openai', wireApi: 'openai-chat', baseUrl: server.baseUrl };
  const models = { seer: { imageInput: 'yes' }, second: { imageInput: 'yes' } } as const;
  const open: Lab['open'] = (more = {}, folder = 'fovea') => {
    const fovea = compose({
      config: fillConfigDefaults({ channels: { lab: { ...channel, apiKey: 'a-literal-key', models } }, ...more }, 'en'),
      home: home.resolve(folder),
      environment: { HOME: home.path },
    });
    opened.push(fovea);
    return fovea;
  };
  const fovea = open();
  const created = await fovea.createSession({ workspace: workspace.path, model: 'lab/seer' });
  if (!created.ok) throw created.error;
  return { home, workspace, server, session: created.value, fovea, open };
}

type Input = Partial<TurnInput> & { readonly text: string };

async function run({ session }: Lab, fovea: Fovea, input: Input): Promise<readonly FoveaEvent[]> {
  const events: FoveaEvent[] = [];
  for await (const event of fovea.runTurn({ sessionId: session.id, attachments: [], ...input })) events.push(event);
  return events;
}

async function submit({ session }: Lab, fovea: Fovea, input: Input) {
  const accepted = await fovea.submit({ sessionId: session.id, attachments: [], ...input });
  if (!accepted.ok) throw new Error(`refused: ${JSON.stringify(accepted.error)}`);
  return accepted.value;
}

/** What was said in the session, in its order. */
async function texts({ session }: Lab, fovea: Fovea): Promise<readonly string[]> {
  const transcript = await fovea.loadTranscript(session.id);
  return transcript.map((message) => (message.role === 'assistant' ? textOf(message) : message.content));
}

const said = (events: readonly FoveaEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

const endOf = (events: readonly FoveaEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== 'turn-end') throw new Error(`the turn ended with ${JSON.stringify(last)}`);
  return last.error === undefined ? last.status : `${last.status} ${last.error.code}`;
};

/** Something to wait for until it is released. */
function createGate(): { readonly until: Promise<void>; readonly release: () => void } {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release: () => release() };
}

/** An answer that begins at once and goes on when it is let. */
function heldAnswer(words: string): { readonly reply: Reply; readonly release: () => void } {
  const { until, release } = createGate();
  return { reply: replyText(words, { faults: [{ kind: 'hold', afterFrames: 1, until }] }), release };
}

describe('a submission', () => {
  it('gets the same receipt again, after a restart and without its file too, and is told from what is stored', async () => {
    const lab = await createLab([oracle()]);
    await lab.workspace.write('a.png', redGreen);
    const input = { text: 'What is this?', attachments: ['a.png'], submissionId: 'sub-1' };
    const first = await run(lab, lab.fovea, input);
    await unlink(lab.workspace.resolve('a.png'));
    await lab.fovea.close();
    const later = lab.open();
    const [accepted] = first;
    const receipt = await submit(lab, later, input);
    expect(receipt).toMatchObject({ isRepeated: true, state: 'done', submissionId: 'sub-1' });
    const second = await run(lab, later, input);
    expect(accepted).toMatchObject({ type: 'turn-accepted', turnId: receipt.turnId });
    expect(second[0]).toEqual(accepted);
    expect(said(second)).toBe('image 1 (64x32): left red, right green');
    expect(endOf(second)).toBe('completed');
    expect(lab.server.requests).toHaveLength(1);
  });

  it('is refused when other content was accepted under its id', async () => {
    const lab = await createLab([replyText('Yes.')]);
    await run(lab, lab.fovea, { text: 'One.', submissionId: 'sub-1' });
    const other = run(lab, lab.fovea, { text: 'Two.', submissionId: 'sub-1' });
    await expect(other).rejects.toMatchObject({ code: 'SUBMISSION_CONFLICT' });
    expect(await texts(lab, lab.fovea)).toEqual(['One.', 'Yes.']);
  });

  it('is refused as a whole with every bad item by its place, and leaves and starts nothing', async () => {
    const lab = await createLab([]);
    const { workspace, home, session } = lab;
    const fovea = lab.open({ limits: { attachmentBytes: 2_000 }, ...channelsOf(lab) });
    await workspace.write('good.png', redGreen);
    await workspace.write('cut.png', redGreen.subarray(0, 60));
    await workspace.write('large.png', Buffer.concat([redGreen, Buffer.alloc(4_000)]));
    await workspace.write('page.png', '<!doctype html>');
    await home.write('outside.png', redGreen);
    await symlink(home.resolve('outside.png'), workspace.resolve('link.png'));
    const attachments = [
      'good.png',
      'missing.png',
      'cut.png',
      home.resolve('outside.png'),
      'link.png',
      'large.png',
      'page.png',
    ];
    const refused = await fovea.submit({ sessionId: session.id, text: 'Look at @page.png', attachments });
    expect(refused).toMatchObject({
      ok: false,
      error: [
        { index: 1, name: 'missing.png', code: 'NOT_FOUND' },
        { index: 2, name: 'cut.png', code: 'CORRUPT' },
        { index: 3, code: 'OUTSIDE_WORKSPACE' },
        { index: 4, name: 'link.png', code: 'OUTSIDE_WORKSPACE' },
        { index: 5, name: 'large.png', code: 'TOO_MANY_BYTES' },
        { index: 6, name: 'page.png', code: 'NOT_AN_IMAGE' },
      ],
    });
    const cancelled = await run(lab, fovea, { text: 'Look.', attachments: ['good.png'], signal: AbortSignal.abort() });
    expect(cancelled).toMatchObject([{ type: 'turn-refused', items: [{ index: 0, code: 'CANCELED' }] }]);
    expect(await fovea.queue(session.id)).toMatchObject({ items: [] });
    expect(await fovea.loadTranscript(session.id)).toEqual([]);
    expect(await fovea.checkStore()).toMatchObject({ faultCount: 0, counts: { turns: 0, queueItems: 0, edges: 0 } });
    expect(lab.server.requests).toEqual([]);
  });

  it('is sent as it was when it was accepted, whatever becomes of its files while it waits', async () => {
    const held = heldAnswer('Wait.');
    const lab = await createLab([held.reply, oracle()]);
    const { workspace, server } = lab;
    await workspace.write('a.png', redGreen);
    await workspace.write('b.png', blueYellow);
    await workspace.write('notes.txt', 'the first words');
    await submit(lab, lab.fovea, { text: 'Hello.' });
    await server.waitForRequests(1);
    const waiting = run(lab, lab.fovea, {
      text: 'See @notes.txt and @b.png',
      attachments: ['a.png'],
      submissionId: 'two',
    });
    await waitUntilQueued(lab, 'two');
    await workspace.write('a.png', blueYellow);
    await workspace.write('notes.txt', 'other words');
    await unlink(workspace.resolve('b.png'));
    held.release();
    expect(said(await waiting)).toBe(
      'image 1 (64x32): left red, right green\nimage 2 (64x32): left blue, right yellow',
    );
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('the first words');
    expectClean(server);
    expect(await lab.fovea.checkStore()).toMatchObject({ faultCount: 0 });
  });

  it('ends with what is wrong when the bytes of its own picture are gone, and goes on without old ones', async () => {
    const held = heldAnswer('Wait.');
    const lab = await createLab([oracle(), held.reply, replyText('Without it.')]);
    const { workspace, server, fovea } = lab;
    await workspace.write('a.png', redGreen);
    await workspace.write('b.png', blueYellow);
    await run(lab, fovea, { text: 'What is this?', attachments: ['a.png'] });
    await submit(lab, fovea, { text: 'Hello.' });
    await server.waitForRequests(2);
    const waiting = run(lab, fovea, { text: 'And this?', attachments: ['b.png'], submissionId: 'b' });
    await waitUntilQueued(lab, 'b');
    expectDamage(lab.home.resolve('fovea'), 'are missing');
    await removeBlobs(lab);
    held.release();
    expect(endOf(await waiting)).toBe('failed BLOB_MISSING');
    expect(server.requests).toHaveLength(2);
    const next = await run(lab, fovea, { text: 'Go on.' });
    expect(said(next)).toBe('Without it.');
    expect(next.filter(({ type }) => type === 'image-notice')).not.toEqual([]);
  });
});

describe('a queue', () => {
  it('shows what waits, takes another order and loses what was removed', async () => {
    const held = heldAnswer('One.');
    const lab = await createLab([held.reply, replyText('Four.'), replyText('Two.')]);
    const { fovea, session, server } = lab;
    const first = run(lab, fovea, { text: '1' });
    await server.waitForRequests(1);
    const two = await submit(lab, fovea, { text: '2' });
    const three = await submit(lab, fovea, { text: '3' });
    const four = await submit(lab, fovea, { text: '4' });
    await fovea.moveQueued(session.id, four.itemId, two.itemId);
    await fovea.removeQueued(session.id, three.itemId);
    await expect(fovea.removeQueued(session.id, 'item_none')).rejects.toMatchObject({ code: 'QUEUE_ITEM_NOT_FOUND' });
    const { items } = await fovea.queue(session.id);
    expect(items.map(({ text, state }) => [text, state])).toEqual([
      ['1', 'running'],
      ['4', 'queued'],
      ['2', 'queued'],
    ]);
    held.release();
    await first;
    await run(lab, fovea, { text: '2', submissionId: two.submissionId });
    expect(await texts(lab, fovea)).toEqual(['1', 'One.', '4', 'Four.', '2', 'Two.']);
  });

  it.each([
    ['failed', replyError(401, { error: { message: 'no', type: 'auth' } })],
    ['stopped', hang()],
  ] as const)('waits for the user after a turn that %s; what is submitted then runs at once', async (status, reply) => {
    const lab = await createLab([reply, replyText('New.'), replyText('Held.')]);
    const { fovea, session, server } = lab;
    const stop = new AbortController();
    const first = fovea.runTurn({ sessionId: session.id, text: '1', attachments: [], signal: stop.signal });
    const events: FoveaEvent[] = [];
    for await (const event of first) {
      events.push(event);
      if (event.type === 'turn-accepted') await submit(lab, fovea, { text: '2', submissionId: 'two' });
      if (event.type === 'request' && status === 'stopped') {
        await server.waitForRequests(1);
        stop.abort();
      }
    }
    expect(endOf(events)).toContain(status);
    expect(await fovea.queue(session.id)).toMatchObject({
      held: { because: status, count: 1 },
      items: [{ text: '2' }],
    });
    const next = await run(lab, fovea, { text: '3' });
    expect(next.find(({ type }) => type === 'queue')).toMatchObject({ held: { because: status, count: 1 } });
    expect(said(next)).toBe('New.');
    await fovea.resumeQueue(session.id);
    expect(said(await run(lab, fovea, { text: '2', submissionId: 'two' }))).toBe('Held.');
    expect(await texts(lab, fovea)).toEqual(['1', '3', 'New.', '2', 'Held.']);
  });

  it('gives a steering message to the running turn at its next step, and a turn of its own when it comes too late', async () => {
    const { until, release } = createGate();
    const call = replyToolCalls([{ name: 'list_directory', arguments: { path: '.' } }], {
      faults: [{ kind: 'hold', afterFrames: 1, until }],
    });
    const lab = await createLab([call, replyText('Both.'), replyText('Late.')]);
    const { fovea, server } = lab;
    const first = run(lab, fovea, { text: 'Look around.' });
    await server.waitForRequests(1);
    const steering = run(lab, fovea, { text: 'In English.', intent: 'steer', submissionId: 'steer' });
    await waitUntilQueued(lab, 'steer');
    release();
    expect(said(await first)).toBe('Both.');
    expect(endOf(await steering)).toBe('completed');
    expect(JSON.stringify(server.requests[1]?.body)).toContain('In English.');
    expect(server.requests).toHaveLength(2);
    expect(said(await run(lab, fovea, { text: 'Too late.', intent: 'steer' }))).toBe('Late.');
    const turnIds = (await fovea.loadTranscript(lab.session.id)).flatMap((message) =>
      message.role === 'user' ? [message.turnId] : [],
    );
    expect(new Set(turnIds).size).toBe(2);
  });

  it('keeps an item whose model is gone, and runs it when the user lets it', async () => {
    const lab = await createLab([hang(), replyText('At last.')]);
    const { fovea, session, server } = lab;
    const first = run(lab, fovea, { text: '1' });
    await server.waitForRequests(1);
    const waiting = await submit(lab, fovea, { text: '2', submissionId: 'two' });
    await fovea.close();
    expect(endOf(await first)).toBe('interrupted');
    const without = lab.open({
      channels: {
        other: { supplier: 'custom', wireApi: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', models: { x: {} } },
      },
    });
    expect(endOf(await run(lab, without, { text: '2', submissionId: 'two' }))).toBe('failed UNKNOWN_CHANNEL');
    expect(await without.queue(session.id)).toMatchObject({
      items: [{ state: 'blocked', error: { code: 'UNKNOWN_CHANNEL' } }],
    });
    const again = lab.open();
    await again.requeue(session.id, waiting.itemId);
    expect(said(await run(lab, again, { text: '2', submissionId: 'two' }))).toBe('At last.');
  });

  it('loses a submission whose sender leaves before it begins', async () => {
    const held = heldAnswer('One.');
    const lab = await createLab([held.reply]);
    const { fovea, session, server } = lab;
    const first = run(lab, fovea, { text: '1' });
    await server.waitForRequests(1);
    const stop = new AbortController();
    const aborted = run(lab, fovea, { text: '2', submissionId: 'two', signal: stop.signal });
    await waitUntilQueued(lab, 'two');
    stop.abort();
    expect(endOf(await aborted)).toBe('stopped');
    const left = fovea.runTurn({ sessionId: session.id, text: '3', attachments: [] })[Symbol.asyncIterator]();
    expect((await left.next()).value).toMatchObject({ type: 'turn-accepted' });
    await left.return?.();
    expect(await fovea.queue(session.id)).toMatchObject({ items: [{ text: '1' }] });
    held.release();
    await first;
    expect(await texts(lab, fovea)).toEqual(['1', 'One.']);
  });
});

describe('a session that is opened again', () => {
  it.each([
    ['openai-chat', 'openai', 'openai'],
    ['openai-responses', 'openai', 'openai'],
    ['anthropic-messages', 'anthropic-now', 'anthropic'],
  ] as const)(
    'sends over %s what the running process would have sent, byte for byte',
    async (wireApi, personality, supplier) => {
      const calls = replyToolCalls([{ name: 'view_image', arguments: { path: 'b.png' } }]);
      const lab = await createLab([oracle(), calls, oracle(), oracle(), oracle()], (server) => ({
        ...{ supplier, wireApi },
        baseUrl: wireApi === 'anthropic-messages' ? `${server.url}/${personality}` : server.baseUrlOf(personality),
      }));
      const { workspace, server, fovea, home } = lab;
      await workspace.write('a.png', redGreen);
      await workspace.write('b.png', blueYellow);
      await run(lab, fovea, { text: 'What is this?', attachments: ['a.png'] });
      await run(lab, fovea, { text: 'And the other one?' });
      await cp(home.resolve('fovea'), home.resolve('copy'), { recursive: true });
      const running = await run(lab, fovea, { text: 'Both again?' });
      const reloaded = await run(lab, lab.open({}, 'copy'), { text: 'Both again?' });
      expect(said(running)).toMatch(/left red, right green\n.*left blue, right yellow$/);
      expect(said(reloaded)).toBe(said(running));
      const [before, after] = server.requests.slice(-2);
      expect(JSON.stringify(after?.body)).toBe(JSON.stringify(before?.body));
      expect(after?.bodyBytes).toBe(before?.bodyBytes);
    },
  );
});

describe('the course of a session', () => {
  it('goes on in the place of an edited message; what is no message of the user is refused before anything is stored', async () => {
    const lab = await createLab([replyText('One.'), replyText('Two.'), replyText('Other.')]);
    const { fovea, session, server } = lab;
    await run(lab, fovea, { text: '1' });
    await run(lab, fovea, { text: '2' });
    const [, answer, second] = await fovea.loadTranscript(session.id);
    for (const edits of ['msg_none', answer?.id ?? '']) {
      const unknown = fovea.submit({ sessionId: session.id, text: 'x', attachments: [], edits });
      await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await fovea.queue(session.id)).toMatchObject({ items: [] });
    expect(said(await run(lab, fovea, { text: 'not 2', ...(second && { edits: second.id }) }))).toBe('Other.');
    expect(await texts(lab, fovea)).toEqual(['1', 'One.', 'not 2', 'Other.']);
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('Two.');
    expect(server.problems).toEqual([]);
  });

  it('is read in pages, goes back behind an answer, and is forked and deleted by itself', async () => {
    const lab = await createLab([oracle(), replyText('Two.'), oracle()]);
    const { fovea, session, workspace } = lab;
    await workspace.write('a.png', redGreen);
    await run(lab, fovea, { text: '1', attachments: ['a.png'] });
    await run(lab, fovea, { text: '2' });
    const all = await fovea.loadTranscript(session.id);
    const newest = await fovea.loadMessages(session.id, { limit: 3 });
    expect(newest).toEqual(all.slice(1));
    expect(await fovea.loadMessages(session.id, { limit: 3, before: newest[0]?.id ?? '' })).toEqual(all.slice(0, 1));
    await expect(fovea.loadMessages('ses_none', { limit: 3 })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const fork = await fovea.forkSession(session.id);
    await fovea.rewindSession(session.id, all[1]?.id ?? '');
    expect(await fovea.loadTranscript(session.id)).toEqual(all.slice(0, 2));
    expect(await fovea.loadTranscript(fork.id)).toEqual(all);
    await fovea.deleteSession(session.id);
    expect(await fovea.findSession(session.id)).toBeUndefined();
    await expect(fovea.deleteSession(session.id)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await fovea.collectGarbage()).toMatchObject({ blobs: { collected: 0 } });
    expect(said(await run({ ...lab, session: fork }, fovea, { text: '3' }))).toContain('left red, right green');
    expect(await fovea.checkStore()).toMatchObject({ faultCount: 0 });
  });
});

function channelsOf({ server }: Lab): ConfigFile {
  const models = { seer: { imageInput: 'yes' } } as const;
  const { baseUrl } = server;
  return {
    channels: { lab: { supplier: 'openai', wireApi: 'openai-chat', baseUrl, apiKey: 'a-literal-key', models } },
  };
}

async function waitUntilQueued({ fovea, session }: Lab, submissionId: string): Promise<void> {
  await expect
    .poll(async () => (await fovea.queue(session.id)).items.map((item) => item.submissionId), { timeout: 20_000 })
    .toContain(submissionId);
}

/** Every stored byte, as if the disk had lost it. */
async function removeBlobs({ home }: Lab): Promise<void> {
  const folder = home.resolve('fovea/blobs');
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await unlink(`${entry.parentPath}/${entry.name}`);
  }
}
