import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SequencedEvent } from '../content/events.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { createTurnHarness, type TurnHarness } from '../testing/create-turn-harness.ts';
import { makeCall } from '../testing/make-transcript.ts';
import { createScriptedProvider, type ScriptedCall } from '../testing/scripted-provider.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import type { Tool } from '../tools/tool.ts';
import { publishEvents } from './publish-events.ts';
import type { TurnServices } from './turn-services.ts';

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

const NOW = '2026-01-02T03:04:05.000Z';
const turn = { id: 'turn_1', sessionId: 'ses_1' };

function says(text: string): readonly ProviderEvent[] {
  return [
    { type: 'text-delta', text },
    { type: 'finish', reason: 'stop' },
  ];
}

const calls: readonly ProviderEvent[] = [
  { type: 'text-delta', text: 'I change it.' },
  { type: 'tool-call', call: makeCall('c1', 'change', '{}') },
  { type: 'finish', reason: 'tool-calls' },
];

interface World extends StoreCase {
  readonly harness: TurnHarness;
  readonly services: Partial<TurnServices>;
  /** The turn as its session tells it, under the lease that this process has. */
  publish(text: string): AsyncGenerator<SequencedEvent>;
  /** Another process takes the session, as it may when this one is thought dead. */
  takeOver(): Promise<void>;
  /** Done by the tool when it runs. */
  onChange(act: () => Promise<unknown>): void;
}

async function withWorld(
  kind: 'sqlite' | 'postgres',
  script: readonly ScriptedCall[],
  use: (world: World) => Promise<void>,
): Promise<void> {
  await cases.withStore(kind, async (given) => {
    const { store, reopen } = given;
    let act = async (): Promise<unknown> => undefined;
    const change: Tool = {
      name: 'change',
      effect: 'write',
      definition: () => ({ name: 'change', description: 'Changes.', parameters: {} }),
      demand: async () => ({ kind: 'write', target: 'a.txt', isInsideWorkspace: true }),
      async run() {
        await act();
        return { isError: false, content: 'changed', attachments: [] };
      },
    };
    const harness = createTurnHarness({ provider: createScriptedProvider(script), tools: [change] });
    await store.sessions.create(harness.session);
    const acquired = await store.leases.acquire('ses_1', NOW);
    if (!acquired.ok) return expect.fail('the session is held');
    const { lease } = acquired.value;
    const leased = store.underLease(lease);
    const { turnRecords: records, approvals, fileChanges } = leased;
    const services = { records, approvals, fileChanges, blobs: store.blobs, contentGraph: store.contentGraph };
    await use({
      ...given,
      harness,
      services,
      publish: (text) =>
        publishEvents(harness.start(text, { services }), {
          ...{ turn, epoch: lease.epoch, records: leased.events, clock: harness.clock },
        }),
      async takeOver() {
        const other = await reopen();
        await store.leases.release(lease);
        expect((await other.leases.acquire('ses_1', NOW)).ok).toBe(true);
      },
      onChange: (next) => {
        act = next;
      },
    });
  });
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`a turn in a store on ${kind}`, () => {
    it('is read by whoever follows it up to its last result, and leaves no event when it has ended', async () => {
      await withWorld(kind, [calls, says('Done.')], async ({ publish, reopen, store }) => {
        const other = await reopen();
        const told: SequencedEvent[] = [];
        for await (const event of publish('Change it.')) {
          told.push(event);
          if (event.event.type !== 'tool-result') continue;
          const { events, snapshots } = await other.events.readAfter('ses_1', 0);
          const rows = told.filter(({ event: { type } }) => type !== 'text-delta');
          expect(events).toEqual(rows);
          expect(snapshots).toMatchObject([{ step: 1, text: 'I change it.', thinking: '' }]);
          expect(snapshots[0]?.seq).toBe(told.find(({ event: { type } }) => type === 'text-delta')?.seq);
        }
        expect(told.at(-1)?.event).toEqual({ type: 'turn-end', status: 'completed' });
        expect(await other.events.readAfter('ses_1', 0)).toEqual({ events: [], snapshots: [] });
        expect(await store.turns.find('turn_1')).toMatchObject({ status: 'completed' });
      });
    });

    it('has its effects noted while its tool runs', async () => {
      await withWorld(kind, [calls, says('Done.')], async ({ publish, query, onChange }) => {
        const seen: unknown[] = [];
        onChange(async () => seen.push(await query("select has_effects from turns where id = 'turn_1'")));
        for await (const _ of publish('Change it.'));
        expect(seen).toEqual([[{ has_effects: 1 }]]);
      });
    });

    it('ends as interrupted, once, when another process takes the session over', async () => {
      await withWorld(kind, [calls, says('never')], async ({ publish, store, takeOver, onChange }) => {
        onChange(takeOver);
        const told: SequencedEvent[] = [];
        for await (const event of publish('Change it.')) told.push(event);
        const ends = told.filter(({ event }) => event.type === 'turn-end');
        expect(ends).toMatchObject([{ event: { status: 'interrupted', error: { code: 'LEASE_LOST' } } }]);
        expect(told.at(-1)).toBe(ends[0]);
        expect(await store.turns.find('turn_1')).toMatchObject({ status: 'interrupted' });
        const roles = (await store.turnRecords.loadTranscript('ses_1')).map(({ role }) => role);
        expect(roles).toEqual(['user', 'assistant']);
        expect(await store.events.readAfter('ses_1', 0)).toEqual({ events: [], snapshots: [] });
      });
    });

    it('stands in the place of the message that it edits', async () => {
      await withWorld(kind, [says('One.'), says('Two.'), says('Other.')], async ({ harness, services, store }) => {
        await harness.submit('first', { services });
        await harness.submit('second', { services });
        const [, , edited] = await store.turnRecords.loadTranscript('ses_1');
        await harness.submit('second, otherwise', { services, ...(edited && { edits: edited.id }) });
        const course = await store.turnRecords.loadTranscript('ses_1');
        expect(course.map((message) => (message.role === 'user' ? message.content : message.role))).toEqual([
          ...['first', 'assistant', 'second, otherwise', 'assistant'],
        ]);
      });
    });
  });
}
