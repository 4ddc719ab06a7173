import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { FoveaEvent, SequencedEvent } from '../content/events.ts';
import { createFixedClock } from '../testing/fixed-clock.ts';
import type { EventRecords } from './ports.ts';
import { publishEvents } from './publish-events.ts';

type Written = Parameters<EventRecords['append']>[1];

const turn = { id: 'turn_1', sessionId: 'ses_1' };
const accepted: FoveaEvent = { type: 'turn-accepted', sessionId: 'ses_1', turnId: 'turn_1', submissionId: 'sub_1' };
const stepStart: FoveaEvent = { type: 'step-start', step: 1, model: 'lab/seer' };
const call: FoveaEvent = { type: 'tool-call', toolCallId: 'c1', name: 'look', arguments: '{}' };
const result: FoveaEvent = { type: 'tool-result', toolCallId: 'c1', isError: false, result: 'seen', attachments: [] };
const stepEnd: FoveaEvent = { type: 'step-end', step: 1 };
const turnEnd: FoveaEvent = { type: 'turn-end', status: 'completed' };
const text = (words: string): FoveaEvent => ({ type: 'text-delta', text: words });

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** What was written, and a fault that the next writes meet. As slow as a disk: what does not wait for it comes first. */
function createRecords() {
  const written: Written[] = [];
  const faults: ErrorCode[] = [];
  const records: EventRecords = {
    async append(_, added) {
      const fault = faults.shift();
      await settle();
      if (fault !== undefined) throw new AppError(fault, 'not written');
      written.push(added);
    },
  };
  return { records, written, faults };
}

async function* from(...events: readonly FoveaEvent[]): AsyncGenerator<FoveaEvent> {
  yield* events;
}

async function collect(events: AsyncIterable<SequencedEvent>): Promise<readonly SequencedEvent[]> {
  const given: SequencedEvent[] = [];
  for await (const event of events) given.push(event);
  return given;
}

function typesOf({ events }: Written): readonly string[] {
  return events.map(({ event }) => event.type);
}

describe('publishEvents', () => {
  it('numbers the events of a turn under its epoch, and behind what was told under it before', async () => {
    const { records } = createRecords();
    const options = { turn, epoch: 7, records, clock: createFixedClock() };
    const first = await collect(publishEvents(from(accepted, stepEnd, turnEnd), options));
    expect(first.map(({ seq }) => seq)).toEqual([7_000_000_001, 7_000_000_002, 7_000_000_003]);
    expect(first[1]).toEqual({ seq: 7_000_000_002, sessionId: 'ses_1', turnId: 'turn_1', event: stepEnd });
    const second = await collect(publishEvents(from(accepted, turnEnd), { ...options, after: 7_000_000_003 }));
    expect(second.map(({ seq }) => seq)).toEqual([7_000_000_004, 7_000_000_005]);
    const taken = await collect(publishEvents(from(accepted), { ...options, epoch: 8, after: 7_000_000_005 }));
    expect(taken.map(({ seq }) => seq)).toEqual([8_000_000_001]);
  });

  it('has written what must not be lost before it is given, with everything before it', async () => {
    const { records, written } = createRecords();
    const events = from(accepted, stepStart, text('I '), text('look.'), call, result, stepEnd, turnEnd);
    const durable: string[] = [];
    for await (const { seq, event } of publishEvents(events, { turn, epoch: 1, records, clock: createFixedClock() })) {
      if (written.flatMap((added) => added.events).some((row) => row.seq === seq)) durable.push(event.type);
    }
    expect(durable).toEqual(['turn-accepted', 'tool-result', 'step-end']);
    expect(written.map(typesOf)).toEqual([['turn-accepted'], ['step-start', 'tool-call', 'tool-result'], ['step-end']]);
    expect(written[1]?.snapshot).toEqual({ seq: 1_000_000_003, step: 1, text: 'I look.', thinking: '' });
    expect(written[2]?.snapshot).toBeUndefined();
  });

  it('writes a request before it is given', async () => {
    const request: FoveaEvent = {
      ...{ type: 'request', request: 1, turnId: 'turn_1', step: 1, channel: 'lab', model: 'seer' },
      ...{ wireApi: 'openai-chat', bodyBytes: 1, imagesTotal: 0, imagesChanged: [] },
    };
    const { records, written } = createRecords();
    const published = publishEvents(from(stepStart, request), { turn, epoch: 1, records, clock: createFixedClock() });
    await published.next();
    await published.next();
    expect(written.flatMap(typesOf)).toEqual(['step-start', 'request']);
    await published.return(undefined);
  });

  it('writes at most once a second while 10,000 words stream, and holds all of them then', async () => {
    const { records, written } = createRecords();
    const clock = createFixedClock();
    const durationMs = 20_000;
    async function* stream(): AsyncGenerator<FoveaEvent> {
      yield accepted;
      yield stepStart;
      for (let index = 0; index < 10_000; index += 1) {
        yield index % 2 === 0 ? text('a') : { type: 'thinking-delta', text: 'b' };
        await clock.advance(durationMs / 10_000);
      }
      yield stepEnd;
      yield turnEnd;
    }
    const given = await collect(publishEvents(stream(), { turn, epoch: 1, records, clock }));
    // The acceptance, the end of the step, and one for each second between them.
    expect(written.length).toBeGreaterThan(15);
    expect(written.length).toBeLessThanOrEqual(2 + durationMs / 1_000);
    expect(written.flatMap(typesOf)).toEqual(['turn-accepted', 'step-start', 'step-end']);
    expect(written.at(-1)?.snapshot).toMatchObject({ text: 'a'.repeat(5_000), thinking: 'b'.repeat(5_000) });
    expect(written.at(-1)?.snapshot?.seq).toBe(given.findLast(({ event }) => event.type.endsWith('-delta'))?.seq);
  });

  it('writes within a second what was given last, although nothing comes behind it', async () => {
    const { records, written } = createRecords();
    const clock = createFixedClock();
    let isClosed = false;
    async function* silent(): AsyncGenerator<FoveaEvent> {
      try {
        yield accepted;
        yield call;
        yield call;
      } finally {
        isClosed = true;
      }
    }
    const published = publishEvents(silent(), { turn, epoch: 1, records, clock });
    await published.next();
    await published.next();
    await clock.advance(999);
    expect(written.map(typesOf)).toEqual([['turn-accepted']]);
    await clock.advance(1);
    await settle();
    expect(written.map(typesOf)).toEqual([['turn-accepted'], ['tool-call']]);
    await published.next();
    await published.return(undefined);
    expect(isClosed).toBe(true);
    await clock.advance(10_000);
    await settle();
    expect(written).toHaveLength(2);
  });

  it('writes nothing of the end of a turn, and nothing when its source is closing', async () => {
    const { records, written } = createRecords();
    const clock = createFixedClock();
    async function* closing(): AsyncGenerator<FoveaEvent> {
      try {
        yield accepted;
        yield call;
      } finally {
        await clock.advance(5_000);
      }
    }
    const published = publishEvents(closing(), { turn, epoch: 1, records, clock });
    await published.next();
    await published.next();
    await published.return(undefined);
    await collect(publishEvents(from(turnEnd), { turn, epoch: 1, records, clock }));
    expect(written.map(typesOf)).toEqual([['turn-accepted']]);
  });

  it('gives every event although none can be written, and writes them all when it can again', async () => {
    const { records, written, faults } = createRecords();
    faults.push('STORE_UNAVAILABLE', 'STORE_UNAVAILABLE');
    const events = from(accepted, stepStart, text('a'), result, stepEnd, turnEnd);
    const given = await collect(publishEvents(events, { turn, epoch: 1, records, clock: createFixedClock() }));
    expect(given.map(({ event }) => event)).toEqual([accepted, stepStart, text('a'), result, stepEnd, turnEnd]);
    expect(written.map(typesOf)).toEqual([['turn-accepted', 'step-start', 'tool-result', 'step-end']]);
    expect(written[0]?.snapshot).toMatchObject({ text: 'a' });
  });

  it('ends the turn as interrupted when another process took the session over, and closes its source', async () => {
    const { records, written, faults } = createRecords();
    let isClosed = false;
    async function* events(): AsyncGenerator<FoveaEvent> {
      try {
        yield* [accepted, result, stepEnd, turnEnd];
      } finally {
        isClosed = true;
      }
    }
    const published = publishEvents(events(), { turn, epoch: 1, records, clock: createFixedClock() });
    await published.next();
    faults.push('LEASE_LOST');
    const given = await collect(published);
    expect(given.map(({ event }) => event)).toMatchObject([
      result,
      { type: 'turn-end', status: 'interrupted', error: { code: 'LEASE_LOST' } },
    ]);
    expect(given.map(({ seq }) => seq)).toEqual([1_000_000_002, 1_000_000_003]);
    expect(isClosed).toBe(true);
    expect(written).toHaveLength(1);
  });

  it('throws what its source throws, behind everything that came before', async () => {
    async function* broken(): AsyncGenerator<FoveaEvent> {
      yield text('a');
      throw new AppError('INTERNAL', 'broken');
    }
    const { records } = createRecords();
    const published = publishEvents(broken(), { turn, epoch: 1, records, clock: createFixedClock() });
    expect(await published.next()).toMatchObject({ value: { event: text('a') } });
    await expect(published.next()).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
