import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import type { FoveaEvent } from '../content/events.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import type { MemoryRecords } from '../testing/create-memory-records.ts';
import { createTurnHarness, outlineOf } from '../testing/create-turn-harness.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { makeCall } from '../testing/make-transcript.ts';
import { createScriptedProvider, type ScriptedCall } from '../testing/scripted-provider.ts';
import type { Tool } from '../tools/tool.ts';
import type { TurnRecords } from './ports.ts';

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

function toolNamed(name: string, effect: Tool['effect'], run: Tool['run']): Tool {
  return {
    name,
    effect,
    definition: () => ({ name, description: name, parameters: { type: 'object' } }),
    demand: async () => ({ kind: 'write', target: name, isInsideWorkspace: true }),
    run,
  };
}

const done: Tool['run'] = async () => ({ isError: false, content: 'done', attachments: [] });

function harnessWith(script: readonly ScriptedCall[], tools: readonly Tool[] = []) {
  const provider = createScriptedProvider(script);
  const all = [toolNamed('look', 'read', done), toolNamed('change', 'write', done), ...tools];
  return { provider, ...createTurnHarness({ provider, tools: all }) };
}

type Write = 'noteEffects' | 'joinSteering' | 'appendMessages' | 'saveVariant' | 'savePlan' | 'takeRequestNumber';

/** From the call of `write` that comes `after` others on, another process has the session. */
function loseAt(records: MemoryRecords, write: Write, after = 0): { readonly ends: readonly string[] } {
  const ends: string[] = [];
  const refuse = (): Promise<never> => Promise.reject(new AppError('LEASE_LOST', 'another process took it over'));
  const original = records[write] as (...values: unknown[]) => Promise<unknown>;
  let count = 0;
  const stubs: Partial<Record<Write | 'endTurn', () => Promise<never>>> = {
    endTurn: () => {
      ends.push('endTurn');
      return refuse();
    },
  };
  Object.assign(records, stubs, {
    [write]: (...values: unknown[]) => {
      count += 1;
      return count > after ? refuse() : original.apply(records, values);
    },
  });
  return { ends };
}

const lostEnd = { type: 'turn-end', status: 'interrupted', error: { code: 'LEASE_LOST' } };

function endOf(events: readonly FoveaEvent[]) {
  return events.at(-1);
}

describe('runTurn, when another process takes the session over', () => {
  const picture = makeTwoColorPng({ left: 'red', right: 'green' });
  const writes: readonly (readonly [Write, number, string])[] = [
    ['takeRequestNumber', 0, 'before the request goes out'],
    ['savePlan', 0, 'while the request goes out'],
    ['saveVariant', 0, 'while a picture is prepared'],
    ['appendMessages', 0, 'when the answer is stored'],
    ['noteEffects', 0, 'before a tool changes something'],
    ['appendMessages', 1, 'when the result of a tool is stored'],
    ['joinSteering', 0, 'at the next step'],
  ];
  for (const [write, after, when] of writes) {
    it(`ends as interrupted and stores no end: ${when}`, async () => {
      const { submit, records, attach, provider } = harnessWith([calls('look', 'change'), says]);
      const image = await attach('a.png', picture, { widthPx: 64, heightPx: 32 });
      const { ends } = loseAt(records, write, after);
      const events = await submit('first', { images: [image] });
      expect(endOf(events)).toMatchObject(lostEnd);
      expect(outlineOf(events).slice(-2)).toEqual(['step-end', 'turn-end']);
      expect(ends).toEqual([]);
      expect(provider.requests.length).toBeLessThanOrEqual(1);
    });
  }

  it('prepares no old picture without the lease', async () => {
    const { submit, records, attach, provider } = harnessWith([says, says]);
    const image = await attach('a.png', picture, { widthPx: 64, heightPx: 32 });
    await submit('first', { images: [image], imageInput: 'no' });
    loseAt(records, 'saveVariant');
    expect(endOf(await submit('second'))).toMatchObject(lostEnd);
    expect(provider.requests).toHaveLength(1);
  });

  it('is lost, not stopped, when the stop came because of it', async () => {
    const stop = new AbortController();
    const { submit, records, transcript } = harnessWith([calls('look'), says]);
    loseAt(records, 'appendMessages', 1);
    const events = await submit('first', {
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'tool-call') stop.abort();
      },
    });
    expect(endOf(events)).toMatchObject(lostEnd);
    expect(await transcript()).toHaveLength(2);
  });

  it('stops the tools that still run, before anything more is told', async () => {
    const signals: AbortSignal[] = [];
    const endless = toolNamed('wait', 'read', (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    const { submit, records } = harnessWith([calls('look', 'wait'), says], [endless]);
    loseAt(records, 'appendMessages', 1);
    const told: unknown[] = [];
    const events = await submit('first', {
      onEvent: ({ type }) => type === 'step-end' && told.push(signals.map(({ aborted }) => aborted)),
    });
    expect(endOf(events)).toMatchObject(lostEnd);
    expect(told).toEqual([[true]]);
  });

  it('learns of it at the end of the turn, and tells it instead of the end that it would have stored', async () => {
    const { submit, records } = harnessWith([says]);
    const { ends } = loseAt(records, 'noteEffects');
    expect(endOf(await submit('first'))).toMatchObject(lostEnd);
    expect(ends).toEqual(['endTurn']);
  });
});

describe('runTurn, when the end of a turn cannot be stored', () => {
  const full: TurnRecords['endTurn'] = () => Promise.reject(new AppError('STORE_UNAVAILABLE', 'disk full'));

  it('tells it as interrupted, which is what becomes of it', async () => {
    const { submit, records } = harnessWith([says]);
    records.endTurn = full;
    expect(endOf(await submit('first'))).toEqual({
      type: 'turn-end',
      status: 'interrupted',
      error: { code: 'STORE_UNAVAILABLE', message: 'disk full' },
    });
  });

  it('throws nothing at whoever leaves', async () => {
    const { start, records } = harnessWith([says]);
    records.endTurn = full;
    const events = start('first');
    await events.next();
    await expect(events.return(undefined)).resolves.toEqual({ done: true, value: undefined });
  });
});

describe('runTurn, left while it waits', () => {
  it('is interrupted at once', async () => {
    const { start, records } = harnessWith([
      async function* (_, { signal }) {
        yield { type: 'text-delta', text: 'It is' };
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    ]);
    const events = start('first');
    for (let type = ''; type !== 'text-delta'; ) type = (await events.next()).value?.type ?? 'end';
    const waiting = events.next();
    await events.return(undefined);
    await waiting;
    expect(records.turns()).toMatchObject([{ status: 'interrupted' }]);
  });
});
