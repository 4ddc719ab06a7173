import type { PlacedQueueItem, QueueHold, QueueSnapshot } from '../content/queue-item.ts';
import type { QueueRow } from './lock-queue.ts';

/** The queue of a session as people see it: its items, and which of them wait for the user. */
export function toSnapshot<Item extends PlacedQueueItem>(
  { session_id: sessionId, held_through, held_because }: QueueRow,
  items: readonly Item[],
  { isNewer }: { readonly isNewer: boolean },
): QueueSnapshot<Item> {
  if (isNewer) {
    const count = items.filter(({ state }) => state !== 'running').length;
    return { sessionId, access: 'read-only', held: { because: 'newer-schema', count }, items };
  }
  const count = items.filter(({ state, position }) => state === 'queued' && position <= held_through).length;
  const held = { because: parseHold(held_because), count };
  return { sessionId, access: 'read-write', ...(count === 0 ? {} : { held }), items };
}

const holdReasons: readonly string[] = [
  'interrupted',
  'stopped',
  'failed',
  'blocked',
  'newer-schema',
] satisfies QueueHold[];

function parseHold(because: string | null): QueueHold {
  return isQueueHold(because) ? because : 'stopped';
}

function isQueueHold(because: string | null): because is QueueHold {
  return because !== null && holdReasons.includes(because);
}
