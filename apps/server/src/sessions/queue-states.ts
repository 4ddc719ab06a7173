import type { PlacedQueueItem, QueueEvent, QueueSnapshot } from '@fovea/core/content';

/** The queue as its event tells it: no text, no picture. */
export function toQueueEvent({ items, held }: QueueSnapshot<PlacedQueueItem>): QueueEvent {
  return {
    type: 'queue',
    items: items.map(({ id, state, intent, submissionId, turnId }) => ({ id, state, intent, submissionId, turnId })),
    ...(held === undefined ? {} : { held }),
  };
}

/** Whether an item has others before it, or waits for the user; for one that runs or ran, whether others wait for the user. */
export function hasToWait({ items, held }: QueueSnapshot<PlacedQueueItem>, itemId: string): boolean {
  if (held !== undefined) return true;
  const own = items.find(({ id }) => id === itemId);
  return own !== undefined && items.some(({ position, id }) => id !== itemId && position < own.position);
}
