import { assertNever } from '../base/assert-never.ts';
import type { FoveaEvent, SequencedEvent } from '../content/events.ts';
import { coalesceDeltas } from './coalesce-deltas.ts';
import { EventWriter, type EventWriterOptions } from './event-writer.ts';

/** Numbers that one lease has for what is told under it; nobody tells more. */
const EVENTS_PER_EPOCH = 1_000_000_000;

export interface PublishEventsOptions extends EventWriterOptions {
  /** Of the lease under which the turn runs. */
  readonly epoch: number;
  /** The session's `seq` until now: the turns of one epoch share its numbers. */
  readonly after?: number | undefined;
}

/**
 * A turn's events as the session tells them: with fewer deltas, numbered, and written for those who
 * follow from another process. What must not be lost (that the turn was accepted, what it sent, the
 * results of its tools, the ends of its steps) is durable before it is given.
 *
 * `turn-end` is not written: whoever stored the end of the turn has deleted its rows with it. A turn
 * whose session another process took over ends here, as `interrupted`, with the code `LEASE_LOST`;
 * another failure of these writes is logged, and takes nothing from the turn. Whoever leaves closes
 * the source. Throws what the source throws.
 */
export async function* publishEvents(
  events: AsyncIterable<FoveaEvent>,
  { epoch, after = 0, ...options }: PublishEventsOptions,
): AsyncGenerator<SequencedEvent> {
  const { id: turnId, sessionId } = options.turn;
  let seq = Math.max(epoch * EVENTS_PER_EPOCH, after);
  const number = (event: FoveaEvent): SequencedEvent => {
    seq += 1;
    return { seq, sessionId, turnId, event };
  };
  const writer = new EventWriter(options);
  const source = coalesceDeltas(events, options.clock);
  try {
    for (;;) {
      const next = await source.next();
      if (next.done === true) return;
      const told = number(next.value);
      if (isDurable(told.event)) await writer.addDurably(told);
      else if (told.event.type !== 'turn-end') writer.add(told);
      yield told;
      if (told.event.type === 'turn-end') return;
      if (writer.isLost) break;
    }
    await source.return(undefined);
    yield number({ type: 'turn-end', status: 'interrupted', error: lostLease(sessionId) });
  } finally {
    // First: the end of the turn deletes its rows, and none may come after that.
    await writer.stop();
    await source.return(undefined);
  }
}

function lostLease(sessionId: string): { readonly code: 'LEASE_LOST'; readonly message: string } {
  return { code: 'LEASE_LOST', message: `another process took the session ${sessionId} over` };
}

/** Whether an event is durable before it is given; all others may come up to a second late. */
function isDurable({ type }: FoveaEvent): boolean {
  switch (type) {
    case 'turn-accepted':
    case 'request':
    case 'tool-result':
    case 'step-end':
      return true;
    case 'turn-refused':
    case 'step-start':
    case 'request-end':
    case 'text-delta':
    case 'thinking-delta':
    case 'tool-call':
    case 'approval-request':
    case 'approval-result':
    case 'image-notice':
    case 'reference-notice':
    case 'retry':
    case 'usage':
    case 'step-snapshot':
    case 'queue':
    case 'turn-end':
      return false;
    default:
      return assertNever(type);
  }
}
