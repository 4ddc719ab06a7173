import type { FoveaEvent, Message, SequencedEvent, TurnRecord } from '@fovea/core/content';
import type { StoredEvents } from '@fovea/core/store';
import { describe, expect, it } from 'vitest';
import { toEvents } from './follow-elsewhere.ts';
import { SessionHub } from './session-hub.ts';
import { SessionLedger } from './session-ledger.ts';

const common = { turnId: 'turn_1', createdAt: '2026-01-02T00:00:00.000Z' };
const sessionId = 'ses_1';
const turn: TurnRecord = {
  ...{ id: 'turn_1', sessionId, submissionId: 'sub_1' },
  ...{ status: 'completed', startedAt: common.createdAt },
};

const events: readonly FoveaEvent[] = [
  { type: 'turn-accepted', sessionId, turnId: 'turn_1', submissionId: 'sub_1' },
  { type: 'step-start', step: 1, model: 'lab/seer' },
  { type: 'thinking-delta', text: 'Let me ' },
  { type: 'thinking-delta', text: 'look.' },
  { type: 'text-delta', text: 'I ' },
  { type: 'text-delta', text: 'look ' },
  { type: 'text-delta', text: 'now.' },
  { type: 'tool-call', toolCallId: 'call_1', name: 'list_directory', arguments: '{}' },
  { type: 'tool-result', toolCallId: 'call_1', isError: false, result: 'a.png', attachments: [] },
  { type: 'step-end', step: 1 },
  { type: 'step-start', step: 2, model: 'lab/seer' },
  { type: 'text-delta', text: 'There is ' },
  { type: 'text-delta', text: 'one picture.' },
  { type: 'step-end', step: 2 },
  { type: 'turn-end', status: 'completed' },
];

const told: readonly SequencedEvent[] = events.map((event, index) => {
  return { seq: 1_000_000_001 + index, sessionId, turnId: 'turn_1', event };
});

/** What the turn of these events stores. */
const messages: readonly Message[] = [
  { ...common, id: 'msg_1', role: 'user', content: 'What is there?', imageInputs: [] },
  {
    ...{ ...common, id: 'msg_2', role: 'assistant', model: 'lab/seer', status: 'completed' },
    parts: [
      { type: 'thinking', text: 'Let me look.' },
      { type: 'text', text: 'I look now.' },
      { type: 'tool-call', toolCallId: 'call_1', name: 'list_directory', arguments: '{}' },
    ],
  },
  {
    ...{ ...common, id: 'msg_3', role: 'tool', toolCallId: 'call_1', toolName: 'list_directory' },
    ...{ content: 'a.png', isError: false, metadata: { attachments: [] } },
  },
  {
    ...{ ...common, id: 'msg_4', role: 'assistant', model: 'lab/seer', status: 'completed' },
    parts: [{ type: 'text', text: 'There is one picture.' }],
  },
];

/** What one sees who draws these events: the words of each step, and everything else in its order. */
function draw(seen: readonly SequencedEvent[]) {
  const words = new Map<number, { text: string; thinking: string }>();
  const others: FoveaEvent[] = [];
  let step = 0;
  for (const { event } of seen) {
    if (event.type === 'step-start' || event.type === 'step-snapshot') step = event.step;
    const said = words.get(step) ?? { text: '', thinking: '' };
    if (event.type === 'step-snapshot') words.set(step, { text: event.text, thinking: event.thinking });
    else if (event.type === 'text-delta') words.set(step, { ...said, text: said.text + event.text });
    else if (event.type === 'thinking-delta') words.set(step, { ...said, thinking: said.thinking + event.text });
    else others.push(event);
  }
  return { words: [...words], others };
}

function expectGrowing(seen: readonly SequencedEvent[]): void {
  const numbers = seen.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
}

describe('one who joins in the process that runs the turn', () => {
  it('loses nothing and sees nothing twice, wherever they join and whatever they know', () => {
    for (let published = 0; published <= told.length; published += 1) {
      for (let known = 0; known <= published; known += 1) {
        const hub = new SessionHub();
        for (const one of told.slice(0, published)) hub.publish(one);
        const seen: SequencedEvent[] = told.slice(0, known);
        hub.subscribe(seen.at(-1)?.seq ?? 0, (news) => {
          if (news.type === 'event') seen.push(news.told);
        });
        for (const one of told.slice(published)) hub.publish(one);
        expect(draw(seen), `published ${published}, known ${known}`).toEqual(draw(told));
        expectGrowing(seen);
      }
    }
  });

  it('is given what the open step has said first, when they know nothing and want nothing old', () => {
    for (let published = 0; published <= told.length; published += 1) {
      const hub = new SessionHub();
      for (const one of told.slice(0, published)) hub.publish(one);
      const seen: SequencedEvent[] = [];
      hub.subscribe(undefined, (news) => {
        if (news.type === 'event') seen.push(news.told);
      });
      const isInside = [3, 4, 5, 6, 7, 8, 9, 12, 13].includes(published);
      expect(
        seen.map(({ event }) => event.type),
        `published ${published}`,
      ).toEqual(isInside ? ['step-snapshot'] : []);
      for (const one of told.slice(published)) hub.publish(one);
      const { words } = draw(seen);
      expect(words.at(-1)?.[1]).toEqual(published < 14 ? { text: 'There is one picture.', thinking: '' } : undefined);
      expectGrowing(seen);
    }
  });
});

/** The rows that are there when so many events were written: deltas are in the snapshots only. */
function rowsAfter(written: number, seq: number): StoredEvents {
  const snapshots = new Map<number, StoredEvents['snapshots'][number]>();
  let step = 0;
  for (const one of told.slice(0, written)) {
    const { event } = one;
    if (event.type === 'step-start') step = event.step;
    if (event.type !== 'text-delta' && event.type !== 'thinking-delta') continue;
    const before = snapshots.get(step) ?? { step, turnId: 'turn_1', seq: 0, text: '', thinking: '' };
    const word = event.type === 'text-delta' ? 'text' : 'thinking';
    snapshots.set(step, { ...before, seq: one.seq, [word]: before[word] + event.text });
  }
  const isRow = ({ event }: SequencedEvent) => !['text-delta', 'thinking-delta', 'turn-end'].includes(event.type);
  return {
    events: told.slice(0, written).filter((one) => isRow(one) && one.seq > seq),
    snapshots: [...snapshots.values()].filter((one) => one.seq > seq),
  };
}

describe('one who follows from another process', () => {
  it('loses nothing and sees nothing twice, whenever they look and whenever the rows are gone', () => {
    const total = told.length;
    for (let first = 0; first < total; first += 1) {
      for (let second = first; second < total; second += 1) {
        const ledger = new SessionLedger(sessionId);
        const seen: SequencedEvent[] = [];
        for (const written of [first, second]) {
          for (const row of toEvents(sessionId, rowsAfter(written, ledger.lastSeq))) seen.push(...ledger.tell(row));
        }
        seen.push(...ledger.tellRest(turn, messages));
        seen.push(...ledger.tellRest(turn, messages));
        // Whoever never saw the rows is told by the receipt that the turn was accepted.
        const expected = draw(second === 0 ? told.slice(1) : told);
        expect(draw(seen), `looked at ${first} and ${second}`).toEqual(expected);
        expectGrowing(seen);
        expect(seen.at(-1)?.seq).toBeLessThanOrEqual(told.at(-1)?.seq ?? 0);
      }
    }
  });

  it('goes on from where they were, also in the middle of a step', () => {
    for (let known = 1; known < told.length; known += 1) {
      const after = told[known - 1]?.seq ?? 0;
      for (let written = known; written < told.length; written += 1) {
        const ledger = new SessionLedger(sessionId, after);
        const seen = told.slice(0, known);
        seen.push(...ledger.join(toEvents(sessionId, rowsAfter(written, 0)), after));
        for (const row of toEvents(sessionId, rowsAfter(written, ledger.lastSeq))) seen.push(...ledger.tell(row));
        for (const row of toEvents(sessionId, rowsAfter(14, ledger.lastSeq))) seen.push(...ledger.tell(row));
        seen.push(...ledger.tellRest(turn, messages));
        expect(draw(seen), `known ${known}, written ${written}`).toEqual(draw(told));
        expectGrowing(seen);
      }
    }
  });

  it('is given what the open step has said first, when they want nothing old', () => {
    const ledger = new SessionLedger(sessionId);
    const joined = ledger.join(toEvents(sessionId, rowsAfter(6, 0)), undefined);
    expect(joined.map(({ event }) => event)).toEqual([
      { type: 'step-snapshot', step: 1, text: 'I look ', thinking: 'Let me look.' },
    ]);
    const next = toEvents(sessionId, rowsAfter(7, ledger.lastSeq)).flatMap((row) => ledger.tell(row));
    expect(next.map(({ event }) => event)).toEqual([{ type: 'text-delta', text: 'now.' }]);
  });
});
