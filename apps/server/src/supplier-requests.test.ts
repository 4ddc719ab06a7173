import {
  defineSupplier,
  type LimitRow,
  limitRowFor,
  type SupplierRow,
  suppliers,
  type WireApi,
} from '@fovea/core/catalog';
import type { FoveaEvent } from '@fovea/core/content';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeTwoColorPng, type TwoColors } from '../../../packages/core/src/testing/make-pictures.ts';
import { expectClean } from '../../../packages/core/src/testing/strict-server/expect-clean.ts';
import type { PersonalityId } from '../../../packages/core/src/testing/strict-server/personalities.ts';
import { oracle, replyToolCalls } from '../../../packages/core/src/testing/strict-server/reply.ts';
import {
  type StrictServer,
  startStrictServer,
} from '../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { compose } from './compose.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { Fovea } from './fovea.ts';

const NOWHERE = 'http://127.0.0.1:9';
const KEY = 'key-of-the-lab-0123456789';

const pictures = {
  'user.png': { left: 'red', right: 'green' },
  'one.png': { left: 'blue', right: 'yellow' },
  'two.png': { left: 'black', right: 'white' },
  'three.png': { left: 'green', right: 'blue' },
  'four.png': { left: 'white', right: 'red' },
  'five.png': { left: 'yellow', right: 'black' },
  'six.png': { left: 'red', right: 'blue' },
} as const satisfies Readonly<Record<string, TwoColors>>;
type PictureName = keyof typeof pictures;

/** What the tools show, turn by turn: one, two and three calls at once. */
const groups: readonly (readonly PictureName[])[] = [
  ['one.png'],
  ['two.png', 'three.png'],
  ['four.png', 'five.png', 'six.png'],
];

interface Case {
  readonly supplier: string;
  readonly wireApi: WireApi;
  readonly personality: PersonalityId;
  /**
   * Where no personality plays this supplier: its limit row, on a plain endpoint of the wire. Clones of
   * Messages show their models no picture of a `tool_result`, as that of DeepSeek.
   */
  readonly withOwnRow?: true;
  /** What the server was started with. */
  readonly limits?: Partial<LimitRow>;
}

const cases: readonly Case[] = [
  { supplier: 'openai', wireApi: 'openai-chat', personality: 'openai' },
  { supplier: 'azure', wireApi: 'openai-chat', personality: 'azure' },
  { supplier: 'deepseek', wireApi: 'openai-chat', personality: 'deepseek-vision' },
  { supplier: 'volcengine', wireApi: 'openai-chat', personality: 'ark' },
  { supplier: 'dashscope', wireApi: 'openai-chat', personality: 'dashscope' },
  { supplier: 'zhipu', wireApi: 'openai-chat', personality: 'zhipu' },
  { supplier: 'moonshot', wireApi: 'openai-chat', personality: 'kimi' },
  { supplier: 'minimax', wireApi: 'openai-chat', personality: 'openai', withOwnRow: true },
  { supplier: 'openrouter', wireApi: 'openai-chat', personality: 'openai', withOwnRow: true },
  { supplier: 'mistral', wireApi: 'openai-chat', personality: 'mistral' },
  { supplier: 'xai', wireApi: 'openai-chat', personality: 'openai', withOwnRow: true },
  { supplier: 'gemini', wireApi: 'openai-chat', personality: 'openai', withOwnRow: true },
  { supplier: 'ollama', wireApi: 'openai-chat', personality: 'ollama' },
  { supplier: 'lmstudio', wireApi: 'openai-chat', personality: 'openai', withOwnRow: true },
  { supplier: 'vllm', wireApi: 'openai-chat', personality: 'vllm-7' },
  { supplier: 'llamacpp', wireApi: 'openai-chat', personality: 'openai', withOwnRow: true },
  { supplier: 'custom', wireApi: 'openai-chat', personality: 'openai', withOwnRow: true },
  { supplier: 'openai', wireApi: 'openai-responses', personality: 'openai' },
  { supplier: 'azure', wireApi: 'openai-responses', personality: 'azure' },
  { supplier: 'deepseek', wireApi: 'openai-responses', personality: 'deepseek-vision' },
  { supplier: 'volcengine', wireApi: 'openai-responses', personality: 'openai', withOwnRow: true },
  { supplier: 'openrouter', wireApi: 'openai-responses', personality: 'openai', withOwnRow: true },
  { supplier: 'xai', wireApi: 'openai-responses', personality: 'openai', withOwnRow: true },
  { supplier: 'ollama', wireApi: 'openai-responses', personality: 'ollama' },
  { supplier: 'lmstudio', wireApi: 'openai-responses', personality: 'openai', withOwnRow: true },
  { supplier: 'vllm', wireApi: 'openai-responses', personality: 'openai', withOwnRow: true, limits: { maxImages: 7 } },
  { supplier: 'llamacpp', wireApi: 'openai-responses', personality: 'openai', withOwnRow: true },
  { supplier: 'custom', wireApi: 'openai-responses', personality: 'responses-strings' },
  { supplier: 'anthropic', wireApi: 'anthropic-messages', personality: 'anthropic-now' },
  { supplier: 'bedrock', wireApi: 'anthropic-messages', personality: 'bedrock' },
  { supplier: 'deepseek', wireApi: 'anthropic-messages', personality: 'deepseek-messages' },
  { supplier: 'dashscope', wireApi: 'anthropic-messages', personality: 'dashscope-messages' },
  { supplier: 'ollama', wireApi: 'anthropic-messages', personality: 'ollama-messages' },
  { supplier: 'zhipu', wireApi: 'anthropic-messages', personality: 'deepseek-messages', withOwnRow: true },
  { supplier: 'moonshot', wireApi: 'anthropic-messages', personality: 'deepseek-messages', withOwnRow: true },
  { supplier: 'minimax', wireApi: 'anthropic-messages', personality: 'deepseek-messages', withOwnRow: true },
  { supplier: 'openrouter', wireApi: 'anthropic-messages', personality: 'deepseek-messages', withOwnRow: true },
  { supplier: 'lmstudio', wireApi: 'anthropic-messages', personality: 'deepseek-messages', withOwnRow: true },
  {
    supplier: 'vllm',
    wireApi: 'anthropic-messages',
    personality: 'deepseek-messages',
    withOwnRow: true,
    limits: { maxImages: 7 },
  },
  { supplier: 'llamacpp', wireApi: 'anthropic-messages', personality: 'deepseek-messages', withOwnRow: true },
  { supplier: 'custom', wireApi: 'anthropic-messages', personality: 'anthropic-now', withOwnRow: true },
];

async function openFovea(channel: {
  readonly supplier: string;
  readonly wireApi?: Exclude<WireApi, 'offline'>;
  readonly baseUrl?: string;
}) {
  const home = await createTemporaryFolder();
  const workspace = await createTemporaryFolder();
  for (const [name, colors] of Object.entries(pictures)) await workspace.write(name, makeTwoColorPng(colors));
  const fovea = compose({
    config: fillConfigDefaults(
      { channels: { lab: { ...channel, apiKey: 'env:LAB_KEY', models: { seer: { imageInput: 'yes' } } } } },
      'en',
    ),
    home: home.resolve('fovea'),
    environment: { HOME: home.path, LAB_KEY: KEY },
    localServers: { ollamaUrl: NOWHERE, lmStudioUrl: NOWHERE, timeoutMs: 300 },
  });
  onTestFinished(async () => {
    await fovea.close();
    await home.remove();
    await workspace.remove();
  });
  const session = await fovea.createSession({ workspace: workspace.path, model: 'lab/seer' });
  if (!session.ok) throw session.error;
  return { fovea, sessionId: session.value.id };
}

async function answerOf(
  fovea: Fovea,
  turn: { readonly sessionId: string; readonly text: string; readonly attachments?: readonly string[] },
): Promise<string> {
  const events: FoveaEvent[] = [];
  for await (const event of fovea.runTurn({ attachments: [], ...turn })) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'turn-end', status: 'completed' });
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}

/** A user's picture, then one, two and three pictures of tools at once; the model thinks before each call. */
function startServer(options: Parameters<typeof startStrictServer>[0]): Promise<StrictServer> {
  return startStrictServer({
    keys: [KEY],
    ...options,
    script: [
      oracle({ reasoning: 'A picture.' }),
      ...groups.flatMap((group) => [
        replyToolCalls(
          group.map((path) => ({ name: 'view_image', arguments: { path } })),
          { reasoning: `I want to see ${group.join(' and ')}.` },
        ),
        oracle({ reasoning: 'Now I see.' }),
      ]),
    ],
  });
}

async function expectAllSeen({ fovea, sessionId }: Awaited<ReturnType<typeof openFovea>>): Promise<void> {
  const seen: string[] = [];
  const expectSeen = (answer: string, names: readonly PictureName[]) => {
    seen.push(...names.map((name) => `left ${pictures[name].left}, right ${pictures[name].right}`));
    expect(answer.split('\n').map((line) => line.replace(/^.*: /, ''))).toEqual(seen);
  };
  expectSeen(await answerOf(fovea, { sessionId, text: 'What is it?', attachments: ['user.png'] }), ['user.png']);
  for (const group of groups) expectSeen(await answerOf(fovea, { sessionId, text: 'And these?' }), group);
}

describe('a request to a supplier', () => {
  it.each(cases)(
    'over $wireApi is taken by a strict $supplier ($personality), and every picture is seen',
    async ({ supplier, wireApi, personality, withOwnRow, limits }) => {
      if (wireApi === 'offline') throw new Error('no wire');
      const server = await startServer({
        personality,
        ...(withOwnRow && { limits: { ...limitRowFor(supplier, wireApi), ...limits } }),
      });
      onTestFinished(() => server.close());
      // The version belongs to the call on Messages.
      const baseUrl = wireApi === 'anthropic-messages' ? `${server.url}/${personality}` : server.baseUrl;
      await expectAllSeen(await openFovea({ supplier, wireApi, baseUrl }));
      expect(server.requests.at(-1)?.pictures).toHaveLength(7);
      expect(server.stepsLeft()).toBe(0);
      expectClean(server);
    },
  );

  it('is tried for every wire of every supplier', () => {
    const tried = cases.map(({ supplier, wireApi }) => `${supplier} ${wireApi}`);
    const all = suppliers.flatMap(({ id, endpoints }) => endpoints.map(({ wireApi }) => `${id} ${wireApi}`));
    expect(all.filter((pair) => !tried.includes(pair))).toEqual(['offline offline']);
  });
});

describe('a new supplier', () => {
  it('works with a row of id, name, wire and base URL', async () => {
    const server = await startServer({ personality: 'openai', limits: limitRowFor('custom', 'openai-chat') });
    onTestFinished(() => server.close());
    addToCatalog(defineSupplier({ id: 'newcomer', name: 'Newcomer', chat: { baseUrl: server.baseUrl } }));
    await expectAllSeen(await openFovea({ supplier: 'newcomer' }));
    expectClean(server);
  });

  it('makes a channel by its key alone', async () => {
    const server = await startServer({ personality: 'anthropic-now' });
    onTestFinished(() => server.close());
    const messages = { baseUrl: `${server.url}/anthropic-now` };
    addToCatalog(defineSupplier({ id: 'newcomer', name: 'Newcomer', environmentKey: 'NEW_KEY', messages }));
    const home = await createTemporaryFolder();
    const fovea = compose({
      config: fillConfigDefaults({}, 'en'),
      home: home.resolve('fovea'),
      environment: { HOME: home.path, NEW_KEY: KEY },
      localServers: { ollamaUrl: NOWHERE, lmStudioUrl: NOWHERE, timeoutMs: 300 },
    });
    onTestFinished(async () => {
      await fovea.close();
      await home.remove();
    });
    const session = await fovea.createSession({ workspace: home.path, model: 'newcomer/anything' });
    if (!session.ok) throw session.error;
    expect(await answerOf(fovea, { sessionId: session.value.id, text: 'Hello.' })).toBe('I see no image.');
    expectClean(server);
  });
});

/** As if the row stood in the catalogue, for one test. */
function addToCatalog(row: SupplierRow): void {
  const list = suppliers as SupplierRow[];
  list.push(row);
  onTestFinished(() => {
    list.splice(list.indexOf(row), 1);
  });
}
