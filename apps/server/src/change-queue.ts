import type { QueueSnapshot } from '@fovea/core/content';
import type { Store } from '@fovea/core/store';
import type { Services } from './services.ts';
import { requireStoredSession } from './stored-sessions.ts';

/** What waits in a session. Throws `SESSION_NOT_FOUND`. */
export async function readQueue(sessionId: string, services: Services): Promise<QueueSnapshot> {
  const { queue } = await services.openStore('read');
  await requireStoredSession(sessionId, services);
  return queue.snapshot(sessionId);
}

/**
 * Changes the queue of a session and tells those who wait in it; what may run then is begun here
 * unless another process works on the session. Throws `SESSION_NOT_FOUND`, and what `change` throws.
 */
export async function changeQueue(
  sessionId: string,
  services: Services,
  change: (queue: Store['queue']) => Promise<void>,
): Promise<void> {
  const { queue } = await services.openStore('write');
  await requireStoredSession(sessionId, services);
  await change(queue);
  const { hub, runner } = (await services.openDesks()).at(sessionId);
  hub.noteChange();
  runner.wake();
}
