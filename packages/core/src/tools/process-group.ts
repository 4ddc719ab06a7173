import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { systemErrorCode } from '../attachments/system-error.ts';

/** How often is looked whether a command has ended. */
const LOOK_MS = 20;
/** Looks until a list is believed that shows nothing of a command. */
const MOST_LISTS = 20;
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
 * What runs of a command. A list that shows nothing of it is believed when no process has ended while
 * it was read: one that did may have started another, which the list was too old to show.
 */
async function findRunning(command: CommandProcesses, known: Map<number, number>): Promise<readonly number[]> {
  let endedBefore: ReadonlySet<number> = new Set();
  for (let look = 0; look < MOST_LISTS; look += 1) {
    const { running, ended } = await findListed(command, known);
    if (running.length > 0 || [...ended].every((id) => endedBefore.has(id))) return running;
    endedBefore = ended;
  }
  return [];
}

/**
 * What is in the group or has the mark, their children, and so on; what was found before stays
 * `known`, with its beginning, although its parents are gone. Where the system does not list
 * processes, the leader stands for the group.
 */
async function findListed(
  command: CommandProcesses,
  known: Map<number, number>,
): Promise<{ readonly running: readonly number[]; readonly ended: ReadonlySet<number> }> {
  const { leader, beganAt = 0 } = command;
  const listed = await listProcesses();
  if (listed === undefined) return { running: isThere(-leader) ? [leader] : [], ended: new Set() };
  const ended = new Set(listed.gone);
  const marked: KnownProcess[] = [];
  const judge = async (one: KnownProcess): Promise<void> => {
    const isYoung = one.beganAt >= beganAt;
    // Dead ones that nobody has collected are there, but do not run.
    if (one.isDead) {
      if (isYoung) ended.add(one.id);
      return;
    }
    const isSure = one.group === leader || known.get(one.id) === one.beganAt;
    const hasIt = isSure || (isYoung && (await hasMark(one.id, command.mark)));
    if (hasIt === undefined) ended.add(one.id);
    else if (hasIt) marked.push(one);
  };
  await Promise.all(listed.processes.map(judge));
  const found = new Map(marked.map(({ id, beganAt: at }) => [id, at]));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { id, parent, isDead, beganAt: at } of listed.processes) {
      if (!isDead && found.has(parent)) found.set(id, at);
    }
  }
  for (const [id, at] of found) known.set(id, at);
  return { running: [...found.keys()], ended };
}

/**
 * Whether a process was started with the mark; undefined when it has ended meanwhile. Source: proc(5),
 * `/proc/PID/environ`.
 */
async function hasMark(id: number, mark: string): Promise<boolean | undefined> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    if (look > 0) await wait(SETTLE_MS);
    const environment = await readOrNone(`/proc/${id}/environ`);
    if (environment === undefined) return undefined;
    if (environment !== '') return environment.split('\0').includes(mark);
  }
  return false;
}

/** Undefined for what is gone; empty for what may not be read. */
async function readOrNone(path: string): Promise<string | undefined> {
  return readFile(path, 'latin1').catch((error: unknown) => {
    const code = systemErrorCode(error);
    return code === 'ENOENT' || code === 'ESRCH' ? undefined : '';
  });
}

function isThere(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

interface ProcessList {
  readonly processes: readonly KnownProcess[];
  /** What ended while the list was read. */
  readonly gone: readonly number[];
}

/** Undefined where the system does not show them so. */
async function listProcesses(): Promise<ProcessList | undefined> {
  if (process.platform !== 'linux') return undefined;
  const names = await readdir('/proc').catch(() => undefined);
  if (names === undefined) return undefined;
  const ids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const gone: number[] = [];
  const processes = await Promise.all(
    ids.map(async (id) => {
      const line = await readOrNone(`/proc/${id}/stat`);
      if (line === undefined) gone.push(id);
      return parseStatus(id, line ?? '');
    }),
  );
  return { processes: processes.filter(({ group }) => group > 0), gone };
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
