import type { Fovea } from '@fovea/server';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts';
import { describeItem, isHeld } from './queue-lines.ts';
import { TurnDisplay } from './render/print-turn.ts';
import { sanitizeLine } from './render/sanitize.ts';

interface WorkOptions {
  readonly fovea: Fovea;
  readonly context: CommandContext;
  readonly json: boolean;
}

/**
 * Runs what waits in a session and is not held, and prints each turn, its message before it;
 * resolves when nothing is left to run. Gives the exit code of the last turn.
 */
export async function workOffQueue(sessionId: string, options: WorkOptions): Promise<ExitCode> {
  const { fovea, context, json } = options;
  if (!(await hasWork(sessionId, fovea))) return exitCodes.done;
  const leaving = new AbortController();
  const stop = () => void fovea.stopTurn(sessionId);
  context.signal.addEventListener('abort', stop, { once: true });
  const attended = fovea.attendSession(sessionId);
  // It fails the same way below.
  attended.catch(() => leaving.abort());
  let exitCode: ExitCode = exitCodes.done;
  let display: TurnDisplay | undefined;
  try {
    for await (const { turnId, event } of fovea.follow(sessionId, { after: 0, signal: leaving.signal })) {
      if (json) process.stdout.write(`${JSON.stringify(event)}\n`);
      else {
        display ??= await openDisplay({ sessionId, turnId }, options);
        display.show(event);
      }
      if (event.type !== 'turn-end') continue;
      exitCode = exitCodeOf(event.status);
      display?.close();
      display = undefined;
      if (context.signal.aborted || !(await hasWork(sessionId, fovea))) break;
    }
  } finally {
    display?.close();
    context.signal.removeEventListener('abort', stop);
  }
  await attended;
  return exitCode;
}

async function hasWork(sessionId: string, fovea: Fovea): Promise<boolean> {
  const queue = await fovea.queue(sessionId);
  return queue.items.some((item) => item.state === 'running' || (item.state === 'queued' && !isHeld(item, queue)));
}

async function openDisplay(
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
  { fovea, context }: WorkOptions,
): Promise<TurnDisplay> {
  const item = (await fovea.queue(sessionId)).items.find((one) => one.turnId === turnId);
  if (item !== undefined) process.stderr.write(`› ${sanitizeLine(describeItem(item))}\n`);
  const display = new TurnDisplay({
    output: process.stdout,
    diagnostics: process.stderr,
    locale: context.locale,
    hasColors: context.hasColors,
    isPlain: context.isPlain,
  });
  display.open();
  return display;
}
