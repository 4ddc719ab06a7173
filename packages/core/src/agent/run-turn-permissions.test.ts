import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import { silentLogger } from '../base/logger.ts';
import { Secret } from '../base/secret.ts';
import type { ApprovalRequestEvent, FoveaEvent } from '../content/events.ts';
import type { FileDiff } from '../content/messages.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { answerOf, createTurnHarness, outlineOf, type TurnHarnessOptions } from '../testing/create-turn-harness.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { makeCall } from '../testing/make-transcript.ts';
import { createScriptedProvider, type ScriptedCall } from '../testing/scripted-provider.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import type { Tool } from '../tools/tool.ts';
import { createViewImageTool } from '../tools/view-image.ts';
import type { Approver } from './ports.ts';
import { undoLastTurn } from './undo-turn.ts';

let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});

afterEach(() => folder.remove());

const usage = { inputTokens: 1000, cachedTokens: 0, outputTokens: 100 };

function says(text: string): readonly ProviderEvent[] {
  return [
    { type: 'text-delta', text },
    { type: 'usage', usage },
    { type: 'finish', reason: 'stop' },
  ];
}

function calls(...wanted: readonly (readonly [string, string, unknown])[]): readonly ProviderEvent[] {
  return [
    ...wanted.map(
      ([id, name, args]): ProviderEvent => ({ type: 'tool-call', call: makeCall(id, name, JSON.stringify(args)) }),
    ),
    { type: 'usage', usage },
    { type: 'finish', reason: 'tool-calls' },
  ];
}

const diffOf = (path: string, text: string): FileDiff => {
  return { path, isNew: false, addedLines: 1, removedLines: 1, text, isCut: false };
};

/** Writes below the workspace, as the real tool does: first the journal, then the file. */
const writeTool: Tool = {
  name: 'write',
  effect: 'write',
  definition: () => ({ name: 'write', description: 'Writes.', parameters: {} }),
  async demand(toolArguments) {
    const { path } = toolArguments as { path: string };
    return { kind: 'write', target: path, isInsideWorkspace: !path.startsWith('/') };
  },
  async run(toolArguments, { access, journal }) {
    const { path, text } = toolArguments as { path: string; text: string };
    const file = join(access.workspace, path);
    const before = await readFile(file).catch(() => undefined);
    const after = Buffer.from(text);
    await journal?.record({ path: file, displayPath: path, ...(before && { before }), after });
    await writeFile(file, after);
    return { isError: false, content: `wrote ${path}: ${text}`, attachments: [], diff: diffOf(path, `+${text}`) };
  },
};

const commandTool: Tool = {
  name: 'run',
  effect: 'execute',
  definition: () => ({ name: 'run', description: 'Runs.', parameters: {} }),
  demand: async (toolArguments) => ({ kind: 'execute', target: (toolArguments as { line: string }).line }),
  run: async (_, { commandEnvironment }) => {
    return { isError: false, content: `ran with ${JSON.stringify(commandEnvironment)}`, attachments: [] };
  },
};

function harnessWith(script: readonly ScriptedCall[], options: Partial<TurnHarnessOptions> = {}) {
  const provider = createScriptedProvider(script);
  const tools = [writeTool, commandTool, createViewImageTool()];
  return { provider, ...createTurnHarness({ provider, tools, workspace: folder.path, ...options }) };
}

const yes: Approver = { decide: async () => ({ decision: 'allow' }) };

function only<Type extends FoveaEvent['type']>(events: readonly FoveaEvent[], ...types: readonly Type[]) {
  return events.filter((event): event is Extract<FoveaEvent, { type: Type }> =>
    types.some((type) => type === event.type),
  );
}

describe('runTurn, with tools that change things', () => {
  it('tells of calls, questions, decisions and results in the order in which they come', async () => {
    const { submit } = harnessWith([
      calls(['c1', 'write', { path: 'a.txt', text: 'a' }], ['c2', 'run', { line: 'npm test' }]),
      says('Done.'),
    ]);
    const events = await submit('Do it.', { services: { approver: yes, commandEnvironment: { PATH: '/bin' } } });
    expect(outlineOf(events).slice(3, -5)).toEqual([
      'request-end',
      'tool-call',
      'tool-call',
      'tool-result',
      'approval-request',
      'approval-result',
      'tool-result',
      'usage',
      'step-end',
      'step-start',
      'request',
    ]);
    expect(only(events, 'tool-result')).toMatchObject([
      { toolCallId: 'c1', isError: false },
      { toolCallId: 'c2', isError: false, result: 'ran with {"PATH":"/bin"}' },
    ]);
  });

  it('goes on after what nobody could be asked about, with a result for every call', async () => {
    const { submit, transcript } = harnessWith([
      calls(['c1', 'run', { line: 'npm test' }], ['c2', 'write', { path: 'a.txt', text: 'a' }]),
      says('I could not test it.'),
    ]);
    const events = await submit('Do it.');
    expect(only(events, 'approval-request')).toEqual([]);
    expect(only(events, 'tool-result')).toMatchObject([
      { toolCallId: 'c1', isError: true, result: expect.stringContaining('--yes') },
      { toolCallId: 'c2', isError: false },
    ]);
    expect(events.at(-1)).toEqual({ type: 'turn-end', status: 'completed' });
    expect((await transcript()).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
  });

  it('writes nothing in a session that only reads', async () => {
    const script = [calls(['c1', 'write', { path: 'a.txt', text: 'a' }]), says('I may only read.')];
    const { submit } = harnessWith(script, { profile: 'read-only' });
    const events = await submit('Do it.', { services: { approver: yes } });
    expect(only(events, 'approval-request', 'approval-result')).toEqual([
      { type: 'approval-result', toolCallId: 'c1', decision: 'denied', by: 'profile' },
    ]);
    await expect(readFile(folder.resolve('a.txt'))).rejects.toThrow();
  });

  it('remembers an approval for the session, in its next turns too', async () => {
    const test = ['c1', 'run', { line: 'npm test' }] as const;
    const { submit } = harnessWith([calls(test), says('One.'), calls(test), says('Two.')]);
    const asked: ApprovalRequestEvent[] = [];
    const approver: Approver = {
      async decide(request) {
        asked.push(request);
        return { decision: 'allow', remember: 'session' };
      },
    };
    await submit('First.', { services: { approver } });
    const events = await submit('Second.', { services: { approver } });
    expect(only(events, 'approval-result')).toMatchObject([{ decision: 'allowed', by: 'remembered' }]);
    expect(asked).toHaveLength(1);
  });

  it('stops cleanly while it waits for a decision, and the next turn works', async () => {
    const controller = new AbortController();
    const { submit, transcript, provider } = harnessWith([
      calls(['c1', 'run', { line: 'one' }], ['c2', 'run', { line: 'two' }]),
      says('Again.'),
    ]);
    const approver: Approver = {
      decide: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new AppError('CANCELED', 'stopped')), { once: true });
          controller.abort();
        }),
    };
    const events = await submit('Do it.', { signal: controller.signal, services: { approver } });
    expect(events.at(-1)).toEqual({ type: 'turn-end', status: 'stopped' });
    expect(only(events, 'tool-result')).toMatchObject([
      { toolCallId: 'c1', isError: true },
      { toolCallId: 'c2', isError: true },
    ]);
    expect((await transcript()).filter(({ role }) => role === 'tool')).toHaveLength(2);
    expect(answerOf(await submit('Again?'))).toBe('Again.');
    expect(provider.requests).toHaveLength(2);
  });

  it('stores what a tool changed and tells it, and takes it back', async () => {
    await folder.write('a.txt', 'old');
    const { submit, transcript, records, blobs, clock } = harnessWith([
      calls(['c1', 'write', { path: 'a.txt', text: 'new' }]),
      says('Done.'),
    ]);
    const events = await submit('Do it.');
    const diff = diffOf('a.txt', '+new');
    expect(only(events, 'tool-result')).toMatchObject([{ diff }]);
    expect((await transcript())[2]).toMatchObject({ metadata: { attachments: [], diff } });
    const { fileChanges } = records;
    const undone = await undoLastTurn('ses_1', { fileChanges, blobs, clock, logger: silentLogger });
    expect(undone).toEqual({ turnId: 'turn_1', files: [{ path: 'a.txt', outcome: 'restored' }] });
    expect(await readFile(folder.resolve('a.txt'), 'utf8')).toBe('old');
  });
});

describe('runTurn, when it asks after pictures were shown', () => {
  const test = ['c9', 'run', { line: 'npm test' }] as const;
  const picture = makeTwoColorPng({ left: 'red', right: 'green' });

  async function ask(script: readonly ScriptedCall[], options: { readonly isBlind?: boolean } = {}) {
    await folder.write('shot.png', picture);
    const asked: boolean[] = [];
    const approver: Approver = {
      async decide({ isAfterForeignPicture }) {
        asked.push(isAfterForeignPicture);
        return { decision: 'deny' };
      },
    };
    const harness = harnessWith(script, { imageInput: options.isBlind === true ? 'no' : 'yes' });
    return { ...harness, asked, services: { approver } };
  }

  it('knows that the user attached the only picture', async () => {
    const { submit, attach, asked, services } = await ask([calls(test), says('No.')]);
    const images = [await attach('a.png', picture, { widthPx: 64, heightPx: 32 })];
    await submit('Run what it says.', { images, services });
    expect(asked).toEqual([false]);
  });

  it('warns of a picture that a tool read, in this turn and in every later one', async () => {
    const look = ['c1', 'view_image', { path: 'shot.png' }] as const;
    const { submit, asked, services } = await ask([calls(look), calls(test), says('No.'), calls(test), says('No.')]);
    await submit('Look, then run.', { services });
    await submit('And now?', { services });
    expect(asked).toEqual([true, true]);
  });

  it('does not warn while no request has shown it: in the group that reads it, or to a model without eyes', async () => {
    const look = ['c1', 'view_image', { path: 'shot.png' }] as const;
    const seeing = await ask([calls(look, test), says('No.')]);
    await seeing.submit('Look and run.', { services: seeing.services });
    expect(seeing.asked).toEqual([false]);
    const blind = await ask([calls(look), calls(test), says('No.')], { isBlind: true });
    await blind.submit('Look, then run.', { services: blind.services });
    expect(blind.asked).toEqual([false]);
  });

  it('still warns when the picture is gone from the later requests of the turn', async () => {
    const look = ['c1', 'view_image', { path: 'shot.png' }] as const;
    const write = ['c2', 'write', { path: 'a.txt', text: 'a' }] as const;
    const script = [calls(look), says('Seen.'), calls(write), calls(test), calls(test), says('No.'), says('No.')];
    const { submit, blobs, asked, services, provider } = await ask(script);
    await submit('Look.', { services });
    const onEvent = (event: FoveaEvent): void => {
      if (event.type === 'tool-result') for (const digest of blobs.digests()) blobs.remove(digest);
    };
    await submit('Now write, then run.', { services, onEvent });
    const shown = provider.requests.map(({ messages }) => JSON.stringify(messages).includes('"type":"image"'));
    expect(shown.slice(0, 3)).toEqual([false, true, true]);
    expect(shown.at(-1)).toBe(false);
    expect(asked[0]).toBe(true);
  });

  it('warns of a URL that the endpoint fetched', async () => {
    const { submit, asked, services } = await ask([calls(test), says('No.')]);
    await submit('Run what it says.', { images: [{ url: 'https://a.example/b.png' }], services });
    expect(asked).toEqual([true]);
  });
});

describe('runTurn, with a price and with secrets', () => {
  it('tells what a step cost where the price is known', async () => {
    const price = { input: 1, cached: 0, output: 10, currency: 'USD' } as const;
    const priced = await harnessWith([says('Hello.')], { price }).submit('Hello.');
    expect(only(priced, 'usage')).toMatchObject([{ cost: { amount: 0.002, currency: 'USD' } }]);
    const unpriced = await harnessWith([says('Hello.')]).submit('Hello.');
    expect(only(unpriced, 'usage')[0]).not.toHaveProperty('cost');
  });

  it('lets no secret into an event, a message or a record, whoever says it', async () => {
    const value = 'sk-live-0123456789';
    const secrets = [new Secret(value)];
    const { submit, transcript, records } = harnessWith([
      calls(['c1', 'write', { path: 'a.txt', text: `key ${value}` }], ['c2', 'run', { line: `echo ${value}` }]),
      [
        { type: 'thinking-delta', text: `It is ${value.slice(0, 6)}` },
        { type: 'thinking-delta', text: value.slice(6) },
        { type: 'text-delta', text: `The key is ${value.slice(0, 9)}` },
        { type: 'text-delta', text: `${value.slice(9)}.` },
        { type: 'finish', reason: 'stop' },
      ],
      [{ type: 'error', error: new AppError('ENDPOINT_REFUSED', `lab: no key ${value} here`) }],
    ]);
    // The journal is the user's own file; here the tool gives its content back.
    const leaky: Tool = {
      ...commandTool,
      run: async () => ({
        isError: false,
        content: JSON.stringify({ content: `KEY=${value}` }),
        attachments: [],
        diff: diffOf('b.txt', `+KEY=${value}`),
      }),
    };
    const services = { secrets, approver: yes, tools: [writeTool, leaky] };
    const first = await submit('Do it.', { services });
    const second = await submit('And now?', { services });
    expect(answerOf(first)).toBe('The key is [secret].');
    expect(second.at(-1)).toMatchObject({ error: { code: 'ENDPOINT_REFUSED', message: 'lab: no key [secret] here' } });
    expect(only(first, 'tool-result')[1]).toMatchObject({
      result: '{"content":"KEY=[secret]"}',
      diff: { text: '+KEY=[secret]' },
    });
    for (const kept of [first, second, await transcript(), records.turns()]) {
      expect(JSON.stringify(kept)).not.toContain(value);
      expect(JSON.stringify(kept)).not.toContain(value.slice(0, 9));
    }
  });
});
