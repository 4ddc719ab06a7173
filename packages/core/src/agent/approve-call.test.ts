import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import type { Locale } from '../base/locale.ts';
import { silentLogger } from '../base/logger.ts';
import { Secret } from '../base/secret.ts';
import type { ApprovalRequestEvent } from '../content/events.ts';
import { createMemoryRecords, type MemoryRecords } from '../testing/create-memory-records.ts';
import { createToolContext } from '../testing/create-tool-context.ts';
import { makeCall } from '../testing/make-transcript.ts';
import type { Tool, ToolDemand, ToolEffect } from '../tools/tool.ts';
import type { ApprovalPolicy } from './approve-call.ts';
import { executeTools, planCalls } from './execute-tools.ts';
import type { ApprovalDecision, Approver } from './ports.ts';
import { createSecretMask } from './secret-mask.ts';

const noteEffects = async (): Promise<void> => {};

const command: ToolDemand = { kind: 'execute', target: 'npm test' };
const elsewhere: ToolDemand = { kind: 'write', target: '/tmp/a.txt', isInsideWorkspace: false };
const below: ToolDemand = { kind: 'write', target: 'a.txt', isInsideWorkspace: true };

interface Given {
  readonly demand?: ToolDemand | 'none' | 'broken';
  readonly effect?: ToolEffect;
  readonly policy?: Partial<ApprovalPolicy>;
  readonly records?: MemoryRecords;
  readonly controller?: AbortController;
  readonly locale?: Locale;
  readonly calls?: number;
}

/** Runs calls of one tool that asks for `demand`, and gives what was told and what has run, in order. */
async function decide(given: Given = {}): Promise<{ readonly told: readonly unknown[]; readonly log: string[] }> {
  const { demand = command, effect = 'execute', records = createMemoryRecords() } = given;
  const controller = given.controller ?? new AbortController();
  const log: string[] = [];
  const tool: Tool = {
    name: 'do_it',
    effect,
    definition: () => ({ name: 'do_it', description: 'Does it.', parameters: {} }),
    ...(demand !== 'none' && {
      demand: async () => {
        if (demand === 'broken') throw new Error('broken');
        return demand;
      },
    }),
    async run(_, { granted }) {
      log.push(`ran as ${JSON.stringify(granted)}`);
      return { isError: false, content: 'done', attachments: [] };
    },
  };
  const policy: ApprovalPolicy = {
    sessionId: 'ses_1',
    profile: 'workspace-write',
    approvals: records.approvals,
    isAfterForeignPicture: false,
    mask: createSecretMask([]),
    ...given.policy,
  };
  const context = createToolContext({
    workspace: '/',
    signal: controller.signal,
    ...(given.locale && { locale: given.locale }),
  });
  const calls = Array.from({ length: given.calls ?? 1 }, (_, index) => makeCall(`c${index + 1}`, 'do_it', '{"a":1}'));
  const told: unknown[] = [];
  const planned = planCalls(calls, { tools: [tool], locale: 'en' });
  for await (const event of executeTools(planned, { context, policy, logger: silentLogger, noteEffects })) {
    if (event.type === 'executed') told.push([event.call.toolCallId, event.outcome.isError, event.outcome.content]);
    else told.push(event);
  }
  return { told, log };
}

function answering(decision: ApprovalDecision, asked: ApprovalRequestEvent[] = []): Approver {
  return {
    async decide(request) {
      asked.push(request);
      return decision;
    },
  };
}

const allowed = { type: 'approval-result', toolCallId: 'c1', decision: 'allowed', by: 'user' };
const question = {
  type: 'approval-request',
  toolCallId: 'c1',
  name: 'do_it',
  arguments: '{"a":1}',
  demand: 'execute',
  target: 'npm test',
  isAfterForeignPicture: false,
};

describe('approveCall', () => {
  it('asks before a command runs, and runs it as it was allowed', async () => {
    const asked: ApprovalRequestEvent[] = [];
    const { told, log } = await decide({ policy: { approver: answering({ decision: 'allow' }, asked) } });
    expect(told).toEqual([question, allowed, ['c1', false, 'done']]);
    expect(asked).toEqual([question]);
    expect(log).toEqual([`ran as ${JSON.stringify(command)}`]);
  });

  it('says of a write elsewhere that it is one', async () => {
    const { told, log } = await decide({
      demand: elsewhere,
      effect: 'write',
      policy: { approver: answering({ decision: 'allow' }) },
    });
    expect(told[0]).toMatchObject({ demand: 'write-outside', target: '/tmp/a.txt' });
    expect(log).toEqual([`ran as ${JSON.stringify(elsewhere)}`]);
  });

  it('tells nothing of what the profile allows, and asks nobody', async () => {
    const asked: ApprovalRequestEvent[] = [];
    const approver = answering({ decision: 'deny' }, asked);
    expect((await decide({ demand: below, effect: 'write', policy: { approver } })).told).toEqual([
      ['c1', false, 'done'],
    ]);
    expect((await decide({ policy: { approver, profile: 'full-access' } })).told).toEqual([['c1', false, 'done']]);
    expect(asked).toEqual([]);
  });

  it('refuses what the profile refuses, asks nobody, and says whose decision it was', async () => {
    const asked: ApprovalRequestEvent[] = [];
    for (const demand of [below, elsewhere, command]) {
      const approver = answering({ decision: 'allow' }, asked);
      const { told, log } = await decide({ demand, effect: 'write', policy: { approver, profile: 'read-only' } });
      expect(told).toEqual([
        { type: 'approval-result', toolCallId: 'c1', decision: 'denied', by: 'profile' },
        ['c1', true, expect.stringContaining('this session only reads')],
      ]);
      expect(log).toEqual([]);
    }
    expect(asked).toEqual([]);
  });

  it.each([
    ['en', /needs the user's approval and nobody can be asked.*terminal or with --yes/],
    ['zh-CN', /需要用户批准.*终端.*--yes/],
  ] as const)('refuses what nobody can be asked about, and tells the way out, in %s', async (locale, words) => {
    const { told, log } = await decide({ locale });
    expect(told).toEqual([
      { type: 'approval-result', toolCallId: 'c1', decision: 'denied', by: 'profile' },
      ['c1', true, expect.stringMatching(words)],
    ]);
    expect(log).toEqual([]);
  });

  it('gives the model a denial with its reason as the result, and goes on', async () => {
    const approver: Approver = {
      decide: async ({ toolCallId }) =>
        toolCallId === 'c1' ? { decision: 'deny', reason: 'Not on a Friday.' } : { decision: 'allow' },
    };
    const { told, log } = await decide({ policy: { approver }, calls: 2 });
    expect(told).toEqual([
      question,
      { type: 'approval-result', toolCallId: 'c1', decision: 'denied', by: 'user' },
      ['c1', true, expect.stringContaining('the user did not allow it. Their reason: Not on a Friday.')],
      { ...question, toolCallId: 'c2' },
      { ...allowed, toolCallId: 'c2' },
      ['c2', false, 'done'],
    ]);
    expect(log).toHaveLength(1);
  });

  it('gives the question to the reader of the events before it asks it', async () => {
    const order: string[] = [];
    const approver: Approver = {
      async decide() {
        order.push('asked');
        return { decision: 'allow' };
      },
    };
    const records = createMemoryRecords();
    const tool: Tool = {
      name: 'do_it',
      effect: 'execute',
      definition: () => ({ name: 'do_it', description: '', parameters: {} }),
      run: async () => ({ isError: false, content: '', attachments: [] }),
    };
    const policy: ApprovalPolicy = {
      sessionId: 'ses_1',
      profile: 'workspace-write',
      approver,
      approvals: records.approvals,
      isAfterForeignPicture: false,
      mask: createSecretMask([]),
    };
    const events = executeTools(planCalls([makeCall('c1', 'do_it', '')], { tools: [tool], locale: 'en' }), {
      context: createToolContext({ workspace: '/' }),
      policy,
      logger: silentLogger,
      noteEffects,
    });
    expect((await events.next()).value).toMatchObject({ type: 'approval-request' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual([]);
    await events.next();
    expect(order).toEqual(['asked']);
  });

  it('takes a tool that states no demand, or a broken one, at its worst', async () => {
    const approver = answering({ decision: 'deny' });
    const worst = async (given: Given) => (await decide({ ...given, policy: { approver } })).told[0];
    expect(await worst({ demand: 'none', effect: 'execute' })).toMatchObject({ demand: 'execute', target: 'do_it' });
    expect(await worst({ demand: 'none', effect: 'write' })).toMatchObject({
      demand: 'write-outside',
      target: 'do_it',
    });
    expect(await worst({ demand: 'broken', effect: 'write' })).toMatchObject({ demand: 'execute', target: 'do_it' });
  });

  it('says whether pictures of strangers were shown', async () => {
    const asked: ApprovalRequestEvent[] = [];
    await decide({ policy: { approver: answering({ decision: 'allow' }, asked), isAfterForeignPicture: true } });
    expect(asked).toMatchObject([{ isAfterForeignPicture: true }]);
  });

  it('shows whoever decides no secret', async () => {
    const asked: ApprovalRequestEvent[] = [];
    const mask = createSecretMask([new Secret('sk-very-secret')]);
    const demand: ToolDemand = { kind: 'execute', target: 'echo sk-very-secret' };
    await decide({ demand, policy: { approver: answering({ decision: 'allow' }, asked), mask } });
    expect(asked).toMatchObject([{ target: 'echo [secret]' }]);
  });

  it('does not run what could not be decided, and says why', async () => {
    const approver: Approver = { decide: () => Promise.reject(new AppError('INTERNAL', 'the window is gone')) };
    const { told, log } = await decide({ policy: { approver } });
    expect(told).toEqual([
      question,
      { type: 'approval-result', toolCallId: 'c1', decision: 'denied', by: 'profile' },
      ['c1', true, expect.stringContaining('could not be asked (the window is gone)')],
    ]);
    expect(log).toEqual([]);
  });
});

describe('approveCall, with approvals that a session remembers', () => {
  const remembering = answering({ decision: 'allow', remember: 'session' });

  it('does not ask again for the same tool and target, and says why', async () => {
    const records = createMemoryRecords();
    await decide({ records, policy: { approver: remembering } });
    const { told, log } = await decide({ records });
    expect(told).toEqual([{ ...allowed, by: 'remembered' }, ['c1', false, 'done']]);
    expect(log).toEqual([`ran as ${JSON.stringify(command)}`]);
  });

  it('remembers nothing unless it was asked to', async () => {
    const records = createMemoryRecords();
    await decide({ records, policy: { approver: answering({ decision: 'allow' }) } });
    expect((await decide({ records })).told).toHaveLength(2);
    expect((await decide({ records })).log).toEqual([]);
  });

  it('asks for every other target, kind of demand and session', async () => {
    const records = createMemoryRecords();
    await decide({ records, policy: { approver: remembering } });
    for (const given of [
      { demand: { kind: 'execute', target: 'npm test ' } },
      { demand: { kind: 'execute', target: 'npm test; rm -r .' } },
      { demand: { kind: 'write', target: 'npm test', isInsideWorkspace: false } },
      { policy: { sessionId: 'ses_2' } },
    ] satisfies readonly Given[]) {
      const { told, log } = await decide({ records, ...given });
      expect(told[0]).toMatchObject({ decision: 'denied' });
      expect(log).toEqual([]);
    }
  });

  it('does not outrank the profile', async () => {
    const records = createMemoryRecords();
    await decide({ records, policy: { approver: remembering } });
    expect((await decide({ records, policy: { profile: 'read-only' } })).log).toEqual([]);
  });
});

describe('approveCall, when the user stops while it waits', () => {
  it.each(['obeys the stop', 'ignores the stop'])(
    'answers this call and those behind it as cancelled, with an approver that %s',
    async (kind) => {
      const controller = new AbortController();
      const approver: Approver = {
        decide: (_, signal) =>
          new Promise((_resolve, reject) => {
            if (kind === 'obeys the stop') {
              signal.addEventListener('abort', () => reject(new AppError('CANCELED', 'stopped')), { once: true });
            }
            setImmediate(() => controller.abort());
          }),
      };
      const { told, log } = await decide({ controller, policy: { approver }, calls: 2 });
      expect(told).toEqual([
        question,
        ['c1', true, expect.stringMatching(/^Cancelled: /)],
        ['c2', true, expect.stringMatching(/^Cancelled: /)],
      ]);
      expect(log).toEqual([]);
    },
  );

  it('neither runs, tells nor remembers what was allowed in the moment of the stop', async () => {
    const controller = new AbortController();
    const records = createMemoryRecords();
    const approver: Approver = {
      async decide() {
        controller.abort();
        return { decision: 'allow', remember: 'session' };
      },
    };
    const { told, log } = await decide({ controller, records, policy: { approver } });
    expect(told).toEqual([question, ['c1', true, expect.stringMatching(/^Cancelled: /)]]);
    expect(log).toEqual([]);
    expect((await decide({ records })).log).toEqual([]);
  });
});
