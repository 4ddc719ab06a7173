import type { SequencedEvent } from '@fovea/core/content';
import type { Services } from '../services.ts';
import { requireStoredSession } from '../stored-sessions.ts';
import { followSession } from './follow-session.ts';

/** Every turn of a session, for whoever watches; see `Fovea.follow`. Throws `SESSION_NOT_FOUND`. */
export async function* follow(
  sessionId: string,
  { after, signal }: { readonly after?: number; readonly signal: AbortSignal },
  services: Services,
): AsyncGenerator<SequencedEvent> {
  await requireStoredSession(sessionId, services);
  const desk = (await services.openDesks()).at(sessionId);
  for await (const followed of followSession({ sessionId, desk, after, signal }, services)) {
    if (followed.type === 'event') yield followed.told;
  }
}
