import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** How often is looked whether a group has ended. */
const LOOK_MS = 20;

/**
 * Ends a process and all that it has started: asks first, then kills what is left after `graceMs`.
 * `processId` leads a group and a session of its own. On Linux also what has left the group, as
 * long as its parents are known. Resolves when nothing of them runs, or nothing more can be done.
 */
export async function endProcessGroup(processId: number, graceMs: number): Promise<void> {
  // Before they are told anything: who loses a parent is not found any more.
  const strays = await findDescendants(processId);
  signalAll(processId, strays, 'SIGTERM');
  if (await hasEnded(processId, strays, graceMs)) return;
  signalAll(processId, [...strays, ...(await findDescendants(processId))], 'SIGKILL');
  await hasEnded(processId, strays, graceMs);
}

/** Whether any process of the group runs. */
export async function isGroupRunning(processId: number): Promise<boolean> {
  if (!isThere(-processId)) return false;
  const processes = await listProcesses();
  // Dead ones that nobody has collected are there, but do not run.
  return processes === undefined || processes.some(({ group, isDead }) => group === processId && !isDead);
}

function signalAll(processId: number, others: readonly number[], signal: NodeJS.Signals): void {
  for (const id of [-processId, ...others]) {
    try {
      process.kill(id, signal);
    } catch {
      // It has ended.
    }
  }
}

async function hasEnded(processId: number, strays: readonly number[], withinMs: number): Promise<boolean> {
  const endsAtMs = performance.now() + withinMs;
  for (;;) {
    const isRunning = (await isGroupRunning(processId)) || (await areRunning(strays));
    if (!isRunning) return true;
    if (performance.now() > endsAtMs) return false;
    await wait(LOOK_MS);
  }
}

async function areRunning(ids: readonly number[]): Promise<boolean> {
  if (!ids.some(isThere)) return false;
  const processes = await listProcesses();
  return processes?.some(({ id, isDead }) => ids.includes(id) && !isDead) === true;
}

function isThere(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

interface KnownProcess {
  readonly id: number;
  readonly parent: number;
  readonly group: number;
  readonly isDead: boolean;
}

/** Children, their children, and so on, whatever group they are in. */
async function findDescendants(processId: number): Promise<readonly number[]> {
  const processes = (await listProcesses()) ?? [];
  const found = new Set([processId]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const { id, parent } of processes) if (found.has(parent)) found.add(id);
  }
  found.delete(processId);
  return [...found];
}

/** Undefined where the system does not show them so. Source: proc(5), `/proc/PID/stat`. */
async function listProcesses(): Promise<readonly KnownProcess[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const names = await readdir('/proc').catch(() => undefined);
  if (names === undefined) return undefined;
  const ids = names.filter((name) => /^\d+$/.test(name));
  const read = await Promise.all(
    ids.map(async (id) => {
      const line = await readFile(`/proc/${id}/stat`, 'latin1').catch(() => '');
      // The name before it, in parentheses, may hold anything.
      const [state = '', parent = '', group = ''] = line.slice(line.lastIndexOf(')') + 2).split(' ');
      return { id: Number(id), parent: Number(parent), group: Number(group), isDead: state === 'Z' || state === 'X' };
    }),
  );
  return read.filter(({ group }) => group > 0);
}
