import { afterEach, describe, expect, it } from 'vitest';
import { findLimitRow, unknownLimitRow } from '../../catalog/limits.ts';
import type { FoveaEvent } from '../../content/events.ts';
import { createPictureTools } from '../../testing/create-picture-tools.ts';
import {
  answerOf,
  createTurnHarness,
  type TurnHarness,
  type TurnHarnessOptions,
} from '../../testing/create-turn-harness.ts';
import { makeTwoColorPng } from '../../testing/make-pictures.ts';
import { expectClean } from '../../testing/strict-server/expect-clean.ts';
import type { PersonalityId } from '../../testing/strict-server/personalities.ts';
import { oracle, replyError, replyText, replyToolCalls, type StreamFault } from '../../testing/strict-server/reply.ts';
import type { Script } from '../../testing/strict-server/script.ts';
import { type StrictServer, startStrictServer } from '../../testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts';
import { normalizeBaseUrl } from '../base-url.ts';
import { createAnthropicMessagesProvider } from './provider.ts';

let server: StrictServer;
let folder: TemporaryFolder;

afterEach(async () => {
  await server.close();
  await folder.remove();
});

async function openSession(
  script: Script | undefined,
  {
    personality = 'anthropic-now',
    row = 'anthropic',
    ...more
  }: Partial<TurnHarnessOptions> & {
    readonly personality?: PersonalityId;
    readonly row?: string;
  } = {},
): Promise<{ readonly harness: TurnHarness; reopen(): TurnHarness }> {
  server = await startStrictServer({ personality, ...(script && { script }) });
  folder = await createTemporaryFolder();
  await folder.write('a.png', makeTwoColorPng({ left: 'red', right: 'green' }));
  const options: TurnHarnessOptions = {
    provider: createAnthropicMessagesProvider(),
    baseUrl: normalizeBaseUrl('anthropic-messages', server.baseUrl),
    workspace: folder.path,
    tools: createPictureTools(),
    limitRow: findLimitRow(row) ?? unknownLimitRow,
    ...more,
  };
  const harness = createTurnHarness(options);
  return { harness, reopen: () => createTurnHarness({ ...options, reopened: harness }) };
}

function statusOf(events: readonly FoveaEvent[]): string {
  const end = events.at(-1);
  return end?.type === 'turn-end' ? `${end.status} ${end.error?.code ?? ''}`.trim() : 'no end';
}

const viewImage = { name: 'view_image', arguments: { path: 'a.png' } };
const blockTypesOf = (index: number) => server.requests.at(-1)?.messages[index]?.partTypes;

describe('a turn over Messages', () => {
  it('gives every thought back with its proof, in this turn, the next, and after a restart', async () => {
    const thinking = { reasoning: 'Hm, 图片. ', opaque: 'c2VjcmV0' };
    const { harness, reopen } = await openSession([
      replyToolCalls([viewImage], { ...thinking, text: 'I look.' }),
      replyToolCalls([viewImage], { reasoning: 'Again.' }),
      oracle(thinking),
      oracle(),
      oracle(),
    ]);
    expect(answerOf(await harness.submit('Look.'))).toContain('left red, right green');
    expect(blockTypesOf(1)).toEqual(['thinking', 'redacted_thinking', 'text', 'tool_use']);
    expect(blockTypesOf(3)).toEqual(['thinking', 'tool_use']);
    expect(statusOf(await harness.submit('And now?'))).toBe('completed');
    expect(statusOf(await reopen().submit('And after a restart?'))).toBe('completed');
    expect(blockTypesOf(5)).toEqual(['thinking', 'redacted_thinking', 'text']);
    expect(server.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expectClean(server);
  });

  it('sends no thought that came without its proof', async () => {
    const { harness } = await openSession([
      replyToolCalls([viewImage], { reasoning: 'Hm.', faults: [{ kind: 'signature-missing' }] }),
      oracle({ reasoning: 'Hm.', faults: [{ kind: 'signature-missing' }] }),
      oracle(),
    ]);
    expect(answerOf(await harness.submit('Look.'))).toContain('left red, right green');
    expect(statusOf(await harness.submit('And now?'))).toBe('completed');
    expect([blockTypesOf(1), blockTypesOf(3)]).toEqual([['tool_use'], ['text']]);
    expectClean(server);
  });

  it('sends the pictures of a tool that failed behind the results, each named by its call', async () => {
    const failing = createPictureTools().map((tool): typeof tool => ({
      ...tool,
      run: async (toolArguments, context) => ({ ...(await tool.run(toolArguments, context)), isError: true }),
    }));
    const { harness } = await openSession(undefined, { tools: failing });
    const line = `CALL view_image ${JSON.stringify({ path: 'a.png' })}`;
    expect(answerOf(await harness.submit(`${line}\n${line}`)).split('\n')).toEqual([
      expect.stringMatching(/after 'call_1 \(view_image\): a\.png'\): left red, right green$/),
      expect.stringMatching(/after 'call_2 \(view_image\): a\.png'\): left red, right green$/),
    ]);
    expect(blockTypesOf(2)).toEqual(['tool_result', 'tool_result', 'text', 'image', 'text', 'image']);
    expect(statusOf(await harness.submit('And now?'))).toBe('completed');
    expectClean(server);
  });

  const endpoints: readonly (readonly [PersonalityId, string, TurnHarnessOptions['endpoint']])[] = [
    ['anthropic-now', 'anthropic', { apiVersion: '2026-10-21', cacheMarks: true, keyHeader: 'bearer' }],
    ['anthropic-now', 'anthropic', { keyHeader: 'x-api-key' }],
    ['bedrock', 'anthropic-bedrock-vertex', { keyHeader: 'both', cacheMarks: true }],
    ['dashscope-messages', 'dashscope-messages', { keyHeader: 'both' }],
    ['deepseek-messages', 'deepseek-messages', { keyHeader: 'x-api-key' }],
    ['ollama-messages', 'unknown', {}],
  ];
  for (const [personality, row, endpoint] of endpoints) {
    it(`is taken by ${personality}, its key as ${endpoint?.keyHeader ?? 'bearer'}`, async () => {
      const { harness } = await openSession(undefined, { personality, row, endpoint: endpoint ?? {} });
      const events = await harness.submit('CALL view_image {"path":"a.png"}');
      expect(answerOf(events)).toMatch(/call_1 \(view_image\).*left red, right green/);
      expect(statusOf(await harness.submit('And now?'))).toBe('completed');
      const names = Object.keys(server.requests[0]?.headers ?? {});
      const isSent = (name: string) => names.includes(name);
      const { keyHeader = 'bearer' } = endpoint ?? {};
      expect([isSent('authorization'), isSent('x-api-key')]).toEqual([
        keyHeader !== 'x-api-key',
        keyHeader !== 'bearer',
      ]);
      expect(server.requests[0]?.headers['anthropic-version']).toBe(endpoint?.apiVersion ?? '2023-06-01');
      expectClean(server);
    });
  }

  const harmless: readonly StreamFault['kind'][] = [
    ...(['split-bytes', 'crlf', 'comments', 'unknown-events', 'unnamed-frames', 'done-twice'] as const),
    ...(['finish-missing', 'usage-missing', 'interleaved-tool-calls', 'obfuscation'] as const),
  ];
  for (const kind of harmless) {
    it(`is right in spite of ${kind}`, async () => {
      const faults = [{ kind }] as readonly StreamFault[];
      const { harness } = await openSession([
        replyToolCalls([viewImage, viewImage], { reasoning: 'Hm, 图片.', faults }),
        oracle({ reasoning: 'Hm.', faults }),
        oracle({ faults }),
      ]);
      const events = await harness.submit('Look.');
      expect(answerOf(events).split('\n')).toHaveLength(2);
      expect(answerOf(events)).toContain('call_2 (view_image)');
      expect(statusOf(await harness.submit('And now?'))).toBe('completed');
      expectClean(server);
    });
  }

  const breaking: readonly (readonly [string, StreamFault, string])[] = [
    ['cut', { kind: 'cut', afterFrames: 5 }, 'STREAM_CUT'],
    ['reset', { kind: 'reset', afterFrames: 5 }, 'STREAM_CUT'],
    ['without its end mark', { kind: 'done-missing' }, 'STREAM_CUT'],
    ['broken by an error', { kind: 'error-frame', afterFrames: 5 }, 'ENDPOINT_FAILED'],
  ];
  for (const [name, fault, code] of breaking) {
    it(`that is ${name} fails clearly, stores nothing as whole, and the next turn works`, async () => {
      // As often as it may be tried again.
      const broken = replyToolCalls([viewImage], { text: 'I look.', reasoning: 'Hm.', faults: [fault] });
      let isBroken = true;
      const { harness } = await openSession(() => (isBroken ? broken : replyText('Here I am.')));
      expect(statusOf(await harness.submit('Look.'))).toBe(`failed ${code}`);
      expect((await harness.transcript()).some((message) => message.role === 'tool')).toBe(false);
      isBroken = false;
      expect(answerOf(await harness.submit('Again.'))).toBe('Here I am.');
      expectClean(server);
    });
  }

  it('tells the words of a refusal', async () => {
    const error = { type: 'invalid_request_error', message: 'messages.0.content.0.image: no' };
    const { harness } = await openSession([replyError(400, { type: 'error', error, request_id: 'req_1' })]);
    const events = await harness.submit('Look.');
    expect(statusOf(events)).toBe('failed ENDPOINT_REFUSED');
    expect(JSON.stringify(events.at(-1))).toContain('messages.0.content.0.image: no');
  });
});
