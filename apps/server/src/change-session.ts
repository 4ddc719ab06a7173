import { type UndoneTurn, undoLastTurn } from '@fovea/core/agent';
import { isoTime } from '@fovea/core/base';
import type { Session } from '@fovea/core/content';
import type { Services } from './services.ts';
import { holdSession } from './sessions/hold-session.ts';
import { requireStoredSession } from './stored-sessions.ts';

/** Takes back what the last turn did to files. Throws `SESSION_NOT_FOUND`, `SESSION_BUSY`. */
export async function undoStoredTurn(sessionId: string, services: Services): Promise<UndoneTurn | undefined> {
  const { blobs } = await services.openStore('write');
  return holdSession(sessionId, services, ({ fileChanges }) =>
    undoLastTurn(sessionId, { ...services, fileChanges, blobs }),
  );
}

/** The session goes on behind the message. Throws `SESSION_NOT_FOUND`, `SESSION_BUSY`, `NOT_FOUND`, `USAGE`. */
export async function rewindStoredSession(sessionId: string, messageId: string, services: Services): Promise<void> {
  await holdSession(sessionId, services, ({ session }) => session.rewind(messageId));
}

/** Throws `SESSION_NOT_FOUND`, `SESSION_BUSY`. */
export async function deleteStoredSession(sessionId: string, services: Services): Promise<void> {
  await holdSession(sessionId, services, ({ session }) => session.delete());
  (await services.openDesks()).at(sessionId).hub.noteChange();
}

/** A session of its own with the same messages so far. Throws `SESSION_NOT_FOUND`. */
export async function forkStoredSession(sessionId: string, services: Services): Promise<Session> {
  const { ids, clock } = services;
  const store = await services.openStore('write');
  await requireStoredSession(sessionId, services);
  return store.forkSession(sessionId, { id: ids.next('ses'), createdAt: isoTime(clock) });
}
