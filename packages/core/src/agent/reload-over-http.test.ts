import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLimitRow, unknownLimitRow } from '../catalog/limits.ts';
import type { ImageRef } from '../content/attachment-ref.ts';
import type { FoveaEvent } from '../content/events.ts';
import { digestOf } from '../media/digest.ts';
import { createAnthropicMessagesProvider } from '../providers/anthropic-messages/provider.ts';
import { normalizeBaseUrl } from '../providers/base-url.ts';
import { createOpenAiChatProvider } from '../providers/openai-chat/provider.ts';
import { createOpenAiResponsesProvider } from '../providers/openai-responses/provider.ts';
import type { AgentWire } from '../testing/agent-conformance.ts';
import { createPictureTools } from '../testing/create-picture-tools.ts';
import {
  createTurnHarness,
  type SubmitOptions,
  type TurnHarness,
  type TurnHarnessOptions,
} from '../testing/create-turn-harness.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { sampleQueueItem } from '../testing/sample-queue.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import { replyByDefault } from '../testing/strict-server/default-script.ts';
import { expectClean } from '../testing/strict-server/expect-clean.ts';
import { replyText } from '../testing/strict-server/reply.ts';
import { type StrictServer, startStrictServer } from '../testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import type { Tool } from '../tools/tool.ts';
import type { TurnServices } from './turn-services.ts';

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});
let folder: TemporaryFolder;

beforeAll(async () => {
  await cases.start();
  folder = await createTemporaryFolder();
  await folder.write('a.png', makeTwoColorPng({ left: 'red', right: 'green' }));
  await folder.write('notes.txt', 'only words\n');
});
afterAll(async () => {
  await cases.stop();
  await folder.remove();
});

/** `wordAfterFrames`: frames until the first word of an answer. */
const wires: readonly (AgentWire & { readonly wordAfterFrames: number })[] = [
  {
    title: 'Chat Completions',
    createProvider: () => createOpenAiChatProvider(),
    personality: 'openai',
    limitRow: findLimitRow('openai-chat') ?? unknownLimitRow,
    wordAfterFrames: 2,
  },
  {
    title: 'Responses',
    createProvider: () => createOpenAiResponsesProvider(),
    personality: 'openai',
    limitRow: findLimitRow('openai-responses') ?? unknownLimitRow,
    wordAfterFrames: 5,
  },
  {
    title: 'Messages',
    createProvider: () => createAnthropicMessagesProvider(),
    personality: 'anthropic-now',
    limitRow: findLimitRow('anthropic') ?? unknownLimitRow,
    endpoint: { cacheMarks: true, apiVersion: '2026-10-21' },
    wordAfterFrames: 4,
  },
];

interface World extends Pick<StoreCase, 'store' | 'home' | 'expectDamage'> {
  readonly server: StrictServer;
  /** Runs one turn: in the process that ran the one before, or in a new one that knows only what is stored. */
  send(text: string, options?: SubmitOptions & { readonly isReloaded?: boolean }): Promise<readonly FoveaEvent[]>;
  attach(name: string, colors: Parameters<typeof makeTwoColorPng>[0]): Promise<ImageRef>;
  /** What the user sends while the next tool runs. */
  steerLater(text: string, picture: ImageRef): void;
}

async function withWorld(
  wire: (typeof wires)[number],
  kind: 'sqlite' | 'postgres',
  use: (world: World) => Promise<void>,
): Promise<void> {
  await cases.withStore(kind, async ({ store, home, reopen, expectDamage }) => {
    const stalling = replyText('It is red.', { faults: [{ kind: 'stall', afterFrames: wire.wordAfterFrames }] });
    const server = await startStrictServer({
      personality: wire.personality,
      script: (request) => (request.messages.at(-1)?.text === 'Stop me.' ? stalling : replyByDefault(request)),
    });
    let steering: (() => Promise<unknown>) | undefined;
    const steered = (tool: Tool): Tool => ({
      ...tool,
      async run(toolArguments, context) {
        const steer = steering;
        steering = undefined;
        await steer?.();
        return tool.run(toolArguments, context);
      },
    });
    const provider = wire.createProvider();
    const options: TurnHarnessOptions = {
      provider,
      baseUrl: normalizeBaseUrl(provider.wireApi, server.baseUrl),
      workspace: folder.path,
      tools: createPictureTools().map(steered),
      limitRow: wire.limitRow,
      ...(wire.endpoint && { endpoint: wire.endpoint }),
    };
    let harness: TurnHarness = createTurnHarness(options);
    await store.sessions.create(harness.session);
    let process = await openProcess(store);
    try {
      await use({
        store,
        home,
        expectDamage,
        server,
        async send(text, { isReloaded = false, ...submit } = {}) {
          if (isReloaded) {
            await process.close();
            process = await openProcess(await reopen());
            harness = createTurnHarness({ ...options, reopened: harness });
          }
          return harness.submit(text, { ...submit, services: process.services });
        },
        async attach(name, colors) {
          const bytes = makeTwoColorPng(colors);
          const digest = digestOf(bytes);
          await store.blobs.put(digest, bytes);
          return { digest, mediaType: 'image/png', sizeBytes: bytes.length, name, widthPx: 64, heightPx: 32 };
        },
        steerLater(text, attachment) {
          const item = sampleQueueItem('steered', { intent: 'steer', text, imageInputs: [{ attachment }] });
          steering = () => store.queue.enqueue(item);
        },
      });
    } finally {
      await process.close();
      await server.close();
    }
  });
}

/** What a process has of the session that it holds. */
async function openProcess(store: StoreCase['store']) {
  const acquired = await store.leases.acquire('ses_1', '2026-01-02T03:04:05.000Z');
  if (!acquired.ok) return expect.fail('the session is held');
  const { lease } = acquired.value;
  const { turnRecords: records, approvals, fileChanges } = store.underLease(lease);
  const { blobs, contentGraph } = store;
  const services: Partial<TurnServices> = { records, approvals, fileChanges, blobs, contentGraph };
  return { services, close: () => store.leases.release(lease) };
}

function endOf(events: readonly FoveaEvent[]): string {
  const end = events.at(-1);
  return end?.type === 'turn-end' ? `${end.status} ${end.error?.code ?? ''}`.trim() : 'no end';
}

const view = `CALL view_image ${JSON.stringify({ path: 'a.png' })}`;
const viewRegion = `CALL view_image ${JSON.stringify({ path: 'a.png', region: { x: 1, y: 2, width: 30, height: 20 } })}`;
const read = `CALL read_file ${JSON.stringify({ path: 'notes.txt' })}`;

/** A conversation with everything that a history may hold. Gives the bodies of its requests. */
async function converse({ send, attach, steerLater, server, store }: World, isReloaded: boolean) {
  const blue = await attach('blue.png', { left: 'blue', right: 'yellow' });
  const black = await attach('black.png', { left: 'black', right: 'white' });
  const stop = new AbortController();
  const ends = [
    await send(`Look.\n${view}\n${read}`, { images: [blue], isReloaded }),
    await send(viewRegion, { isReloaded }),
  ];
  steerLater('Compare it with this one.', black);
  ends.push(await send(`${read}\n${view}`, { isReloaded }));
  ends.push(
    await send('Stop me.', {
      isReloaded,
      signal: stop.signal,
      onEvent: ({ type }) => type === 'text-delta' && stop.abort(),
    }),
    await send('And now?', { isReloaded }),
    await send('Sure?', { images: [blue], isReloaded }),
  );
  expect(ends.map(endOf)).toEqual(['completed', 'completed', 'completed', 'stopped', 'completed', 'completed']);
  const stored = await store.turnRecords.loadTranscript('ses_1');
  expect(stored.filter((message) => message.role === 'user' && message.turnId === 'turn_3')).toMatchObject([
    { content: `${read}\n${view}` },
    { content: 'Compare it with this one.', imageInputs: [{ attachment: { name: 'black.png' } }] },
  ]);
  expect(stored.filter((message) => message.role === 'assistant' && message.status === 'interrupted')).toHaveLength(1);
  const attachments = stored.flatMap((message) => (message.role === 'tool' ? message.metadata.attachments : []));
  expect(attachments.map(({ path, region }) => [path, region?.width])).toEqual([
    ['a.png', undefined],
    ['a.png', 30],
    ['a.png', undefined],
  ]);
  expectClean(server);
  return server.requests.map(({ body, bodyBytes }) => `${bodyBytes} ${JSON.stringify(body)}`);
}

for (const wire of wires) {
  describe(`a session that is loaded again, over ${wire.title}`, () => {
    for (const kind of ['sqlite', 'postgres'] as const) {
      it(`sends the same bytes as the process that went on, on ${kind}`, async () => {
        const bodies: (readonly string[])[] = [];
        for (const isReloaded of [false, true]) {
          await withWorld(wire, kind, async (world) => void bodies.push(await converse(world, isReloaded)));
        }
        const [running, reloaded] = bodies;
        expect(running).toHaveLength(9);
        expect(reloaded).toEqual(running);
      });

      it(`goes on with words for an old picture that is gone, and refuses a new one, on ${kind}`, async () => {
        await withWorld(wire, kind, async ({ home, server, send, attach, expectDamage }) => {
          expectDamage('the bytes of pictures are removed');
          const blue = await attach('blue.png', { left: 'blue', right: 'yellow' });
          expect(endOf(await send(view, { images: [blue] }))).toBe('completed');
          await removeBlobs(home);
          const events = await send('And now?', { isReloaded: true });
          expect(endOf(events)).toBe('completed');
          const notices = events.filter((event) => event.type === 'image-notice');
          expect(notices).toMatchObject([
            { kind: 'missing', name: 'blue.png', code: 'BLOB_MISSING' },
            { kind: 'missing', name: 'a.png', code: 'BLOB_MISSING' },
          ]);
          expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('[Picture missing: blue.png');
          const black = await attach('black.png', { left: 'black', right: 'white' });
          await removeBlobs(home);
          const sent = server.requests.length;
          expect(endOf(await send('And this?', { images: [black], isReloaded: true }))).toBe('failed BLOB_MISSING');
          expect(server.requests).toHaveLength(sent);
          expect(endOf(await send('Then without it.', { isReloaded: true }))).toBe('completed');
          expectClean(server, { prefixBreaks: true });
        });
      });
    }
  });
}

async function removeBlobs(home: string): Promise<void> {
  const names = await readdir(join(home, 'blobs'), { recursive: true });
  for (const name of names.filter((path) => /[0-9a-f]{64}$/.test(path))) await rm(join(home, 'blobs', name));
}
