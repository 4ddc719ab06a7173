import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { createTurnHarness, type TurnHarnessOptions } from '../testing/create-turn-harness.ts';
import { makeCall } from '../testing/make-transcript.ts';
import { createScriptedProvider } from '../testing/scripted-provider.ts';
import type { Tool } from '../tools/tool.ts';
import type { Approver } from './ports.ts';

const says: readonly ProviderEvent[] = [
  { type: 'text-delta', text: 'Done.' },
  { type: 'finish', reason: 'stop' },
];

function calls(...names: readonly string[]): readonly ProviderEvent[] {
  return [
    ...names.map((name, index): ProviderEvent => ({ type: 'tool-call', call: makeCall(`c${index + 1}`, name, '{}') })),
    { type: 'finish', reason: 'tool-calls' },
  ];
}

/** What happened, in its order; each tool says whether it found an effect noted when it began. */
function harnessWith(script: readonly (readonly ProviderEvent[])[], options: Partial<TurnHarnessOptions> = {}) {
  const log: string[] = [];
  const tool = (name: string, effect: Tool['effect']): Tool => ({
    name,
    effect,
    definition: () => ({ name, description: name, parameters: { type: 'object' } }),
    demand: async () =>
      effect === 'write' ? { kind: 'write', target: name, isInsideWorkspace: true } : { kind: 'execute', target: name },
    async run() {
      log.push(`${name} begins, noted: ${harness.records.turnsWithEffects().join() || 'nothing'}`);
      return { isError: false, content: 'done', attachments: [] };
    },
  });
  const tools = [tool('look', 'read'), tool('change', 'write'), tool('command', 'execute')];
  const harness = createTurnHarness({ provider: createScriptedProvider(script), tools, ...options });
  const note = harness.records.noteEffects.bind(harness.records);
  harness.records.noteEffects = async (turnId) => {
    // As slow as a disk: a tool that did not wait would begin before it is noted.
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`note ${turnId}`);
    await note(turnId);
  };
  return { log, ...harness };
}

function answering(decision: 'allow' | 'deny', log: string[]): Approver {
  return {
    async decide() {
      log.push(`asked: ${decision}`);
      return { decision };
    },
  };
}

describe('runTurn, noting that a turn may have changed something', () => {
  it('has it noted before the first tool that may begins, once a turn', async () => {
    const { submit, log } = harnessWith([
      calls('look', 'change', 'change'),
      calls('change'),
      says,
      calls('change'),
      says,
    ]);
    await submit('first');
    expect(log).toEqual([
      'look begins, noted: nothing',
      'note turn_1',
      'change begins, noted: turn_1',
      'change begins, noted: turn_1',
      'change begins, noted: turn_1',
    ]);
    await submit('second');
    expect(log.slice(5)).toEqual(['note turn_2', 'change begins, noted: turn_1,turn_2']);
  });

  it('notes it after the call was allowed, and not for one that was denied', async () => {
    const { submit, log } = harnessWith([calls('command'), says, calls('command'), says]);
    await submit('first', { services: { approver: answering('deny', log) } });
    expect(log).toEqual(['asked: deny']);
    await submit('second', { services: { approver: answering('allow', log) } });
    expect(log.slice(1)).toEqual(['asked: allow', 'note turn_2', 'command begins, noted: turn_2']);
  });

  it('notes nothing where the profile refuses, and for tools that only read', async () => {
    const { submit, log, records } = harnessWith([calls('look', 'look'), calls('change', 'command', 'look'), says], {
      profile: 'read-only',
    });
    await submit('first');
    expect(records.turnsWithEffects()).toEqual([]);
    expect(log).toEqual(Array(3).fill('look begins, noted: nothing'));
  });

  it('does not run the tool when it cannot be noted', async () => {
    const { submit, log, records } = harnessWith([calls('change'), says]);
    records.noteEffects = () => Promise.reject(new AppError('STORE_UNAVAILABLE', 'disk full'));
    const events = await submit('first');
    expect(events.at(-1)).toMatchObject({ status: 'failed', error: { code: 'STORE_UNAVAILABLE' } });
    expect(log).toEqual([]);
  });
});
