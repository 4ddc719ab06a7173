import { isAppError, type Locale } from '@fovea/core/base';
import { localizedError } from './localized-error.ts';
import type { Services } from './services.ts';
import { serverTexts } from './texts.ts';

/**
 * Takes a session for one piece of work of this process that nothing else may run beside; gives what
 * releases it. Throws `SESSION_BUSY`. Other processes are kept off by the store.
 */
export function claimSession(
  sessionId: string,
  { runningSessions, locale }: Pick<Services, 'runningSessions' | 'locale'>,
): () => void {
  if (runningSessions.has(sessionId)) {
    throw localizedError('SESSION_BUSY', serverTexts(locale).sessionBusy(sessionId), { data: { sessionId } });
  }
  runningSessions.add(sessionId);
  return () => runningSessions.delete(sessionId);
}

/** The store's refusal of work beside a running turn, in the user's language; anything else as it is. */
export function nameBusyProcess(error: unknown, locale: Locale): unknown {
  if (!isAppError(error) || error.code !== 'SESSION_BUSY' || error.data['localized'] === true) return error;
  const { sessionId, pid, host } = error.data;
  const message = serverTexts(locale).sessionBusyElsewhere({ id: String(sessionId), process: `${pid} (${host})` });
  return localizedError('SESSION_BUSY', message, { data: error.data, cause: error });
}
