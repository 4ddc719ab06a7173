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
    startedAt: readStatus(process.pid).startedAt,
  };
}

/**
 * Whether the process of `mark` has certainly ended. A process that cannot be seen from here, on
 * another host or in another container, is never declared dead.
 */
export function hasProcessEnded(mark: ProcessMark, own: ProcessMark = currentProcessMark()): boolean {
  if (!isProcessVisible(mark, own)) return false;
  if (mark.boot !== own.boot) return true;
  if (!isRunning(mark.pid)) return true;
  const { startedAt, isDefunct } = readStatus(mark.pid);
  return isDefunct || mark.startedAt !== startedAt;
}

/** Whether {@link hasProcessEnded} can tell anything: not on another host, nor in another container since its host was started last. */
export function isProcessVisible(mark: ProcessMark, own: ProcessMark): boolean {
  return mark.host === own.host && (mark.boot !== own.boot || mark.namespace === own.namespace);
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

/**
 * Of `/proc/<pid>/stat` field 22, clock ticks since boot, and whether field 3 says that the process
 * has ended and only waits for its parent (without an init in a container it may wait for ever).
 * The name in field 2 may hold blanks. Source: proc(5).
 */
function readStatus(pid: number): { readonly startedAt: string; readonly isDefunct: boolean } {
  const status = readOr('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return { startedAt: fields[19] ?? '', isDefunct: /^[ZX]$/.test(fields[0] ?? '') };
}

function readOr(fallback: string, read: () => string): string {
  try {
    return read();
  } catch {
    return fallback;
  }
}
