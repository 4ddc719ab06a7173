import { isoTime } from '@fovea/core/base';
import type { LeasedStore, LeaseHolder } from '@fovea/core/store';
import { localizedError } from '../localized-error.ts';
import type { Services } from '../services.ts';
import { requireStoredSession } from '../stored-sessions.ts';
import { serverTexts } from '../texts.ts';
import { LeaseKeeper } from './lease-keeper.ts';

/**
 * Does one piece of work that no turn may run beside, and holds the session for its time. Throws
 * `SESSION_NOT_FOUND`, `SESSION_BUSY` (`data`: `pid`, `host`) while somebody works on the session.
 */
export async function holdSession<Value>(
  sessionId: string,
  services: Services,
  work: (leased: LeasedStore) => Promise<Value>,
): Promise<Value> {
  const { clock, logger, locale } = services;
  const store = await services.openStore('write');
  await requireStoredSession(sessionId, services);
  const { runner } = (await services.openDesks()).at(sessionId);
  await runner.settle();
  if (runner.turn !== undefined) {
    throw localizedError('SESSION_BUSY', serverTexts(locale).sessionBusy(sessionId), { data: { sessionId } });
  }
  const acquired = await store.leases.acquire(sessionId, isoTime(clock));
  if (!acquired.ok) throw busyElsewhere(acquired.error, services);
  const keeper = new LeaseKeeper(acquired.value.lease, { leases: store.leases, clock, logger });
  try {
    return await work(store.underLease(keeper.lease));
  } finally {
    await keeper.release();
  }
}

function busyElsewhere({ sessionId, pid, host }: LeaseHolder, { locale }: Pick<Services, 'locale'>) {
  const message = serverTexts(locale).sessionBusyElsewhere({ id: sessionId, process: `${pid} (${host})` });
  return localizedError('SESSION_BUSY', message, { data: { sessionId, pid, host } });
}
