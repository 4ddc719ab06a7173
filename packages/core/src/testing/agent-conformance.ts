import { afterEach, describe, expect, it } from 'vitest';
import type { LimitRow } from '../catalog/limit-row.ts';
import type { FoveaEvent } from '../content/events.ts';
import { normalizeBaseUrl } from '../providers/base-url.ts';
import type { Endpoint, Provider } from '../providers/provider.ts';
import type { Tool } from '../tools/tool.ts';
import { createPictureTools } from './create-picture-tools.ts';
import { answerOf, createTurnHarness, type TurnHarness, type TurnHarnessOptions } from './create-turn-harness.ts';
import { makeTwoColorJpeg, makeTwoColorPng } from './make-pictures.ts';
import { expectClean } from './strict-server/expect-clean.ts';
import type { PersonalityId } from './strict-server/personalities.ts';
import { type StrictServer, startStrictServer } from './strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

/** One wire, spoken to one kind of endpoint. */
export interface AgentWire {
  /** For the title: `openai-responses, pictures inline`. */
  readonly title: string;
  createProvider(): Provider;
  readonly personality: PersonalityId;
  /** Says where the pictures of tools go. */
  readonly limitRow: LimitRow;
  readonly endpoint?: Partial<Endpoint>;
}

interface World {
  readonly server: StrictServer;
  readonly folder: TemporaryFolder;
  readonly harness: TurnHarness;
  /** Stops the turn as soon as so many tools have given a result. */
  stopAfter(toolCount: number): AbortSignal;
  /** The same session in another process. */
  reopen(): TurnHarness;
}

const PICTURE_SIZE = { widthPx: 64, heightPx: 32 };
const SEEN = 'left red, right green';

/** Places of the picture among one, two and three things. */
const places = [1, 2, 3].flatMap((count) =>
  (['first', 'middle', 'last'] as const).slice(0, count).map((name, index) => ({ count, name, index })),
);

/** What the other calls of a group do. */
const companions = {
  'that give text': call('read_file', { path: 'notes.txt' }),
  'that fail': call('view_image', { path: 'gone.png' }),
  'that are cancelled': call('wait_for_stop', {}),
} as const;

/**
 * A whole agent over one wire and real HTTP: every way in of a picture, alone and in groups of
 * calls, seen by the strict server's oracle in this turn, the next, and after a restart; with the
 * same bytes before it each time. A new wire's test calls this once for each kind of endpoint.
 */
export function describeAgentConformance(wire: AgentWire): void {
  describe(`an agent over ${wire.title}`, () => {
    const worlds: World[] = [];
    afterEach(async () => {
      for (const { server, folder } of worlds.splice(0)) {
        await server.close();
        await folder.remove();
      }
    });
    const openWorld = async (): Promise<World> => {
      const world = await createWorld(wire);
      worlds.push(world);
      return world;
    };
    describeToolPictures(openWorld);
    describeAttachments(openWorld);
    describeBlindModel(openWorld);
  });
}

function describeToolPictures(openWorld: () => Promise<World>): void {
  for (const tool of ['read_file', 'view_image']) {
    for (const { count, name, index } of places) {
      for (const [companion, other] of Object.entries(companions).slice(0, count === 1 ? 1 : undefined)) {
        const among = count === 1 ? 'alone' : `${name} of ${count} calls, among others ${companion}`;
        it(`sees the picture of ${tool}, ${among}`, async () => {
          const world = await openWorld();
          const isStopped = companion === 'that are cancelled';
          const lines = Array.from({ length: count }, (_, at) =>
            at === index ? call(tool, { path: 'shots/a.png' }) : other,
          );
          const first = await world.harness.submit(lines.join('\n'), isStopped ? { signal: world.stopAfter(1) } : {});
          expect(statusOf(first)).toBe(isStopped ? 'stopped' : 'completed');
          const seen = `call_${index + 1} (${tool})`;
          if (!isStopped) expectSeen(first, [seen]);
          expectSeen(await world.harness.submit('And now?'), [seen]);
          expectSeen(await world.reopen().submit('And after a restart?'), [seen]);
          expectSameBytes(world.server);
          expectClean(world.server);
        });
      }
    }
  }

  it('sees the pictures of three calls in call order, each named by its call', async () => {
    const { server, harness } = await openWorld();
    const paths = ['c.jpg', 'shots/a.png', 'shots/b.png'];
    const events = await harness.submit(paths.map((path) => call('view_image', { path })).join('\n'));
    expect(answerOf(events).split('\n')).toEqual([
      expect.stringMatching(/call_1 \(view_image\).*left black, right white/),
      expect.stringMatching(/call_2 \(view_image\).*left red, right green/),
      expect.stringMatching(/call_3 \(view_image\).*left blue, right yellow/),
    ]);
    expect(statusOf(await harness.submit('And now?'))).toBe('completed');
    expectClean(server);
  });

  it('sees the pictures of two groups in a row', async () => {
    const { server, harness } = await openWorld();
    await harness.submit(call('view_image', { path: 'shots/a.png' }));
    const events = await harness.submit(
      [call('read_file', { path: 'notes.txt' }), call('view_image', { path: 'shots/b.png' })].join('\n'),
    );
    expect(answerOf(events).split('\n')).toEqual([
      expect.stringMatching(/call_1 \(view_image\).*left red, right green/),
      expect.stringMatching(/call_3 \(view_image\).*left blue, right yellow/),
    ]);
    expectClean(server);
  });
}

function describeAttachments(openWorld: () => Promise<World>): void {
  for (const { count, name, index } of places) {
    it(`sees the picture that a user attached ${count === 1 ? 'alone' : `${name} of ${count}`}, before the words as typed`, async () => {
      const { server, harness, reopen } = await openWorld();
      const images = [];
      for (let at = 0; at < count; at += 1) {
        const colors = at === index ? ({ left: 'red', right: 'green' } as const) : FILLERS[at];
        images.push(await harness.attach(`${at}.png`, makeTwoColorPng(colors ?? FILLERS[0]), PICTURE_SIZE));
      }
      const typed = '  which is\twarmer? ';
      const expectOrder = (events: readonly FoveaEvent[]) => {
        expect(statusOf(events)).toBe('completed');
        const lines = answerOf(events).split('\n');
        expect(lines).toHaveLength(count);
        expect(lines.map((line) => line.includes(SEEN))).toEqual(lines.map((_, at) => at === index));
      };
      expectOrder(await harness.submit(typed, { images }));
      const last = server.requests[0]?.messages.at(-1);
      expect(last?.partTypes).toHaveLength(count + 1);
      expect(last?.partTypes.at(-1)).toMatch(/text/);
      expect(last?.text).toBe(typed);
      expectOrder(await harness.submit('And now?'));
      expectOrder(await reopen().submit('And after a restart?'));
      expectClean(server);
    });
  }

  it('sees an attached picture and the one of a tool in one turn', async () => {
    const { server, harness } = await openWorld();
    const image = await harness.attach('b.png', makeTwoColorPng({ left: 'blue', right: 'yellow' }), PICTURE_SIZE);
    const events = await harness.submit(call('view_image', { path: 'shots/a.png' }), { images: [image] });
    expect(answerOf(events).split('\n')).toEqual([
      expect.stringContaining('left blue, right yellow'),
      expect.stringMatching(/call_1 \(view_image\).*left red, right green/),
    ]);
    expect(statusOf(await harness.submit('', { images: [image] }))).toBe('completed');
    expectClean(server);
  });
}

function describeBlindModel(openWorld: () => Promise<World>): void {
  it('sends no picture of any kind to a model that takes none, and all of them to one that does', async () => {
    const { server, harness } = await openWorld();
    const image = await harness.attach('b.png', makeTwoColorPng({ left: 'blue', right: 'yellow' }), PICTURE_SIZE);
    await harness.submit(call('view_image', { path: 'shots/a.png' }), { images: [image] });
    const seen = server.requests.length;
    const blind = { imageInput: 'no' } as const;
    expect(answerOf(await harness.submit('Blind now.', blind))).toBe('I see no image.');
    const lines = [call('view_image', { path: 'c.jpg' }), call('read_file', { path: 'notes.txt' })].join('\n');
    expect(answerOf(await harness.submit(lines, blind))).toBe('I see no image.');
    expect(server.requests.slice(seen).flatMap(({ pictures }) => pictures)).toEqual([]);
    const events = await harness.submit('Seeing again.');
    expect(answerOf(events).split('\n')).toEqual([
      expect.stringContaining('left blue, right yellow'),
      expect.stringMatching(/call_1 \(view_image\).*left red, right green/),
      expect.stringMatching(/call_2 \(view_image\).*left black, right white/),
    ]);
    // The same history, in words and in pictures, has no common prefix.
    expectClean(server, { prefixBreaks: true });
  });
}

const FILLERS = [
  { left: 'blue', right: 'yellow' },
  { left: 'black', right: 'white' },
  { left: 'grey', right: 'blue' },
] as const;

/** A strict endpoint, a folder with pictures, and a session that works with both. */
async function createWorld(wire: AgentWire): Promise<World> {
  const server = await startStrictServer({ personality: wire.personality });
  const folder = await createTemporaryFolder();
  await folder.write('shots/a.png', makeTwoColorPng({ left: 'red', right: 'green' }));
  await folder.write('shots/b.png', makeTwoColorPng({ left: 'blue', right: 'yellow' }));
  await folder.write('c.jpg', makeTwoColorJpeg({ left: 'black', right: 'white' }));
  await folder.write('notes.txt', 'only words\n');
  const provider = wire.createProvider();
  const finished = createFinishWatch();
  const options: TurnHarnessOptions = {
    provider,
    baseUrl: normalizeBaseUrl(provider.wireApi, server.baseUrl),
    workspace: folder.path,
    tools: [...createPictureTools().map(finished.watch), waitForStop],
    limitRow: wire.limitRow,
    ...(wire.endpoint && { endpoint: wire.endpoint }),
  };
  const harness = createTurnHarness(options);
  return {
    server,
    folder,
    harness,
    stopAfter: finished.stopAfter,
    reopen: () => createTurnHarness({ ...options, reopened: harness }),
  };
}

/** A tool that gives nothing until it is stopped. */
const waitForStop: Tool = {
  name: 'wait_for_stop',
  effect: 'read',
  definition: () => ({
    name: 'wait_for_stop',
    description: 'Waits.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  }),
  run: () => new Promise(() => undefined),
};

/** Counts the tools that have given a result, to stop a turn at a known place. */
function createFinishWatch(): { watch(tool: Tool): Tool; stopAfter(toolCount: number): AbortSignal } {
  let count = 0;
  let stop: { readonly atCount: number; readonly controller: AbortController } | undefined;
  return {
    watch: (tool) => ({
      ...tool,
      async run(toolArguments, context) {
        const outcome = await tool.run(toolArguments, context);
        count += 1;
        if (stop?.atCount === count) void stopSoon(stop.controller);
        return outcome;
      },
    }),
    stopAfter(toolCount) {
      stop = { atCount: count + toolCount, controller: new AbortController() };
      return stop.controller.signal;
    },
  };
}

/** Long enough for the result to have been taken. */
async function stopSoon(controller: AbortController): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
}

function call(name: string, toolArguments: Readonly<Record<string, unknown>>): string {
  return `CALL ${name} ${JSON.stringify(toolArguments)}`;
}

function statusOf(events: readonly FoveaEvent[]): string {
  const end = events.at(-1);
  return end?.type === 'turn-end' ? `${end.status} ${end.error?.message ?? ''}`.trim() : 'no end';
}

/** The answer sees exactly one picture, the right one, named by its call. */
function expectSeen(events: readonly FoveaEvent[], words: readonly string[]): void {
  expect(statusOf(events)).toBe('completed');
  expect(answerOf(events).split('\n')).toHaveLength(1);
  for (const expected of [SEEN, ...words]) expect(answerOf(events)).toContain(expected);
}

/** The picture was the same, byte for byte, in every request that held it. */
function expectSameBytes(server: StrictServer): void {
  const digests = server.requests.flatMap(({ pictures }) => pictures.map(({ digest }) => digest));
  expect(new Set(digests).size).toBe(1);
}
