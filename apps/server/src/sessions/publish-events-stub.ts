import type { EventRecords } from '@fovea/core/agent';
import type { Clock } from '@fovea/core/base';
import type { FoveaEvent, SequencedEvent } from '@fovea/core/content';

const counts = new Map<string, number>();

export async function* publishEvents(
  events: AsyncIterable<FoveaEvent>,
  {
    turn,
    epoch,
    records,
  }: {
    readonly turn: { readonly id: string; readonly sessionId: string };
    readonly epoch: number;
    readonly records: EventRecords;
    readonly clock: Clock;
  },
): AsyncGenerator<SequencedEvent> {
  let [step, text, thinking] = [0, '', ''];
  for await (const event of events) {
    const n = (counts.get(`${turn.sessionId}${epoch}`) ?? 0) + 1;
    counts.set(`${turn.sessionId}${epoch}`, n);
    const told: SequencedEvent = { seq: epoch * 1_000_000_000 + n, sessionId: turn.sessionId, turnId: turn.id, event };
    if (event.type === 'step-start') [step, text, thinking] = [event.step, '', ''];
    if (event.type === 'text-delta' || event.type === 'thinking-delta') {
      if (event.type === 'text-delta') text += event.text;
      else thinking += event.text;
      await records.append(turn, { events: [], snapshot: { step, text, thinking, seq: told.seq } });
    } else if (event.type !== 'turn-end') await records.append(turn, { events: [told] });
    yield told;
  }
}
