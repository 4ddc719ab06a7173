import { spawn } from 'node:child_process';
import type { CommandProcesses } from './process-group.ts';

/** Watches over a command until it is released. */
export interface CommandGuard {
  release(): void;
}

/**
 * `$1` is the group, `$2` the mark. What it reads ends when the program that started it is no more,
 * however that came.
 */
const SCRIPT = `
read -r word
[ "$word" = ended ] && exit
kill -s KILL -- "-$1"
for place in $(grep -ls -- "$2" /proc/[0-9]*/environ); do
  place=\${place#/proc/}
  kill -s KILL "\${place%/environ}"
done`;

/**
 * Ends a command when this program dies before it, also when it is killed: nobody would be left who
 * knows of it. A shell outside of both groups does it, because the dead can do nothing.
 */
export function guardCommand({ leader, mark }: CommandProcesses, path: string): CommandGuard {
  if (process.platform === 'win32') return { release: () => {} };
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(leader), mark], {
    cwd: '/',
    env: { PATH: path },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.unref();
  // That it has ended already.
  guard.stdin.on('error', () => {});
  return { release: () => guard.stdin.end('ended\n') };
}
