import { isoTime } from '@fovea/core/base';
import type { Store } from '@fovea/core/store';
import type { Services } from '../services.ts';

/**
 * Settles the turn of a process that died, before something new is submitted: what waits behind it
 * is held for the user, and what the user says now is not. Mostly there is none, and one row is read.
 */
export async function settleDeadTurn(
  sessionId: string,
  { leases, turns }: Pick<Store, 'leases' | 'turns'>,
  { clock }: Pick<Services, 'clock'>,
): Promise<void> {
  const newest = await turns.newest(sessionId);
  if (newest?.status !== 'running') return;
  // Fails while its process lives: whoever waits for it takes over when its lease ends.
  const acquired = await leases.acquire(sessionId, isoTime(clock));
  if (acquired.ok) await leases.release(acquired.value.lease);
}
