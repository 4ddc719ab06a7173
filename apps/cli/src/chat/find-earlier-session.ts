import { realpath } from 'node:fs/promises';
import type { SessionSummary } from '@fovea/core/content';
import type { Fovea } from '@fovea/server';

const MOST_SESSIONS = 10;
/** Sessions of other workspaces lie between them. */
const MOST_LOOKED_AT = 500;

/** The workspace's conversations, used last first. */
export async function listEarlierSessions(fovea: Fovea, workspace: string): Promise<readonly SessionSummary[]> {
  const realFolder = await realpath(workspace).catch(() => workspace);
  const all = await fovea.listSessions(MOST_LOOKED_AT);
  return all
    .filter((session) => session.workspace === realFolder || session.workspace === workspace)
    .slice(0, MOST_SESSIONS);
}

/** The one with this number in the list, or with this id or beginning of an id. */
export async function findEarlierSession(
  name: string,
  place: { readonly fovea: Fovea; readonly workspace: string },
): Promise<SessionSummary | undefined> {
  const sessions = await listEarlierSessions(place.fovea, place.workspace);
  if (/^\d{1,2}$/.test(name)) return sessions[Number(name) - 1];
  const fitting = sessions.filter((session) => session.id.startsWith(name));
  return fitting.length === 1 ? fitting[0] : undefined;
}
