import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** How often is looked whether a command has ended. */
const LOOK_MS = 20;
/** A process shows no environment while it becomes another program: so often is looked again, */
const MOST_LOOKS = 5;
/** after so long. */
const SETTLE_MS = 3;

/** By what the processes of one command are found. */
export interface CommandProcesses {
  /** Leads a group and a session of its own. */
  readonly leader: number;
  /**
   * An entry of the environment, `NAME=value`, that no other command has. On Linux it finds what has
   * left the group and lost its parents; only what gives up its environment as well is not found.
   */
  readonly mark: string;
  /** When the leader began, as the system counts; absent where it does not tell. */
  readonly beganAt: number | undefined;
}

/** To be called right after the start, while the leader has not been collected. */
export function identifyCommand(leader: number, mark: string): CommandProcesses {
  return { leader, mark, beganAt: readBeginning(leader) };
}

/**
 * Ends all that a command has started: asks first, then kills what is left after `graceMs`. Resolves
 * when nothing of it runs, or nothing more can be done.
 */
export async function endCommand(command: CommandProcesses, graceMs: number): Promise<void> {
  const known = new Map<number, number>();
  const asked = await findRunning(command, known);
  signalAll(command, asked, 'SIGTERM');
  if (await hasEnded(command, { known, withinMs: graceMs })) return;
  await hasEnded(command, { known, withinMs: graceMs, isKilling: true });
}

/** Whether anything that the command has started runs. */
export async function isCommandRunning(command: CommandProcesses): Promise<boolean> {
  return (await findRunning(command, new Map())).length > 0;
}

function signalAll({ leader }: CommandProcesses, others: readonly number[], signal: NodeJS.Signals): void {
  for (const id of [-leader, ...others]) {
    try {
      process.kill(id, signal);
    } catch {
      // It has ended.
    }
  }
}

/** While it kills: again and again, for what is started while it looks. */
async function hasEnded(
  command: CommandProcesses,
  options: { readonly known: Map<number, number>; readonly withinMs: number; readonly isKilling?: boolean },
): Promise<boolean> {
  const endsAtMs = performance.now() + options.withinMs;
  for (;;) {
    const running = await findRunning(command, options.known);
    if (running.length === 0) return true;
    if (options.isKilling === true) signalAll(command, running, 'SIGKILL');
    if (performance.now() > endsAtMs) return false;
    await wait(LOOK_MS);
  }
}

interface KnownProcess {
  readonly id: number;
  readonly parent: number;
  readonly group: number;
  readonly isDead: boolean;
  readonly beganAt: number;
}

/**
 * What runs of a command. Nothing does when nothing is found twice: who is started by one that ends
 * while the list is read can be missing in it, with its parent gone as well.
 */
async function findRunning(command: CommandProcesses, known: Map<number, number>): Promise<readonly number[]> {
  const running = await findListed(command, known);
  return running.length > 0 ? running : findListed(command, known);
}

/**
 * What is in the group or has the mark, their children, and so on; what was found before stays
 * `known`, with its beginning, although its parents are gone. Where the system does not list
 * processes, the leader stands for the group.
 */
async function findListed(command: CommandProcesses, known: Map<number, number>): Promise<readonly number[]> {
  const { leader, beganAt = 0 } = command;
  const processes = await listProcesses();
  if (processes === undefined) return isThere(-leader) ? [leader] : [];
  // Dead ones that nobody has collected are there, but do not run.
  const living = processes.filter(({ isDead }) => !isDead);
  const isSure = (one: KnownProcess): boolean => one.group === leader || known.get(one.id) === one.beganAt;
  const marked = await Promise.all(
    living.map(async (one) => isSure(one) || (one.beganAt >= beganAt && (await hasMark(one.id, command.mark)))),
  );
  const found = new Map(living.filter((_one, index) => marked[index]).map(({ id, beganAt: at }) => [id, at]));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { id, parent, beganAt: at } of living) if (found.has(parent)) found.set(id, at);
  }
  for (const [id, at] of found) known.set(id, at);
  return [...found.keys()];
}

/** Source: proc(5), `/proc/PID/environ`: what the program was started with. */
async function hasMark(id: number, mark: string): Promise<boolean> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    if (look > 0) await wait(SETTLE_MS);
    const environment = await readFile(`/proc/${id}/environ`, 'latin1').catch(() => undefined);
    if (environment !== '') return environment?.split('\0').includes(mark) === true;
  }
  return false;
}

function isThere(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

/** Undefined where the system does not show them so. */
async function listProcesses(): Promise<readonly KnownProcess[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const names = await readdir('/proc').catch(() => undefined);
  if (names === undefined) return undefined;
  const ids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const read = await Promise.all(
    ids.map(async (id) => parseStatus(id, await readFile(`/proc/${id}/stat`, 'latin1').catch(() => ''))),
  );
  return read.filter(({ group }) => group > 0);
}

function readBeginning(id: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return parseStatus(id, readFileSync(`/proc/${id}/stat`, 'latin1')).beganAt;
  } catch {
    return undefined;
  }
}

/** Source: proc(5), `/proc/PID/stat`: fields 3 to 5 and 22. */
function parseStatus(id: number, line: string): KnownProcess {
  // The name before them, in parentheses, may hold anything.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent = '', group = ''] = fields;
  const beganAt = Number(fields[19] ?? '');
  return { id, parent: Number(parent), group: Number(group), isDead: state === 'Z' || state === 'X', beganAt };
}
