import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import Type from 'typebox';

/**
 * Names one process so that another one can tell later whether it still lives, also after its
 * number was given to a new process. `boot`, `namespace` and `startedAt` are empty where the
 * platform does not tell them (they come from Linux's `/proc`).
 */
export const ProcessMark = Type.Object({
  host: Type.String(),
  boot: Type.String(),
  namespace: Type.String(),
  pid: Type.Integer({ minimum: 1 }),
  startedAt: Type.String(),
});
export type ProcessMark = Type.Static<typeof ProcessMark>;

/** The mark of the running process. */
export function currentProcessMark(): ProcessMark {
  return {
    host: hostname(),
    boot: readOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: readOr('', () => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    startedAt: startOf(process.pid),
  };
}

/**
 * Whether the process of `mark` has certainly ended. A process that cannot be seen from here, on
 * another host or in another container, is never declared dead.
 */
export function hasProcessEnded(mark: ProcessMark, own: ProcessMark = currentProcessMark()): boolean {
  if (mark.host !== own.host) return false;
  if (mark.boot !== own.boot) return true;
  if (mark.namespace !== own.namespace) return false;
  if (!isRunning(mark.pid)) return true;
  return mark.startedAt !== startOf(mark.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of `/proc/<pid>/stat`, clock ticks since boot; the name in field 2 may hold blanks. Source: proc(5). */
function startOf(pid: number): string {
  return readOr('', () => {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
}

function readOr(fallback: string, read: () => string): string {
  try {
    return read();
  } catch {
    return fallback;
  }
}
