import { hostname } from 'node:os';
import type { Approver } from '@fovea/core/agent';
import type { SessionHolder } from './fovea.ts';
import type { Services } from './services.ts';
import { requireStoredSession } from './stored-sessions.ts';

/** This process works on the session from now on; see `Fovea.attendSession`. */
export async function attendSession(
  sessionId: string,
  approver: Approver | undefined,
  services: Services,
): Promise<void> {
  await services.openStore('write');
  await requireStoredSession(sessionId, services);
  const { approvers, runner } = (await services.openDesks()).at(sessionId);
  if (approver !== undefined) approvers.offerAlways(approver);
  runner.attend();
  await runner.settle();
}

/** `false` where this process runs no turn of the session. */
export async function stopTurnHere(sessionId: string, services: Services): Promise<boolean> {
  const { turn } = (await services.openDesks()).at(sessionId).runner;
  turn?.stop();
  return turn !== undefined;
}

/** Throws `STORE_UNAVAILABLE`. */
export async function findSessionHolder(sessionId: string, services: Services): Promise<SessionHolder | undefined> {
  const { leases } = await services.openStore('read');
  const holder = await leases.find(sessionId);
  if (holder === undefined) return undefined;
  const isHere = holder.pid === process.pid && holder.host === hostname();
  return { pid: holder.pid, host: holder.host, isHere };
}
