import { resolve } from 'node:path';
import { AppError } from '@fovea/core/base';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { undoLines } from '../render/undo-lines.ts';
import { requireSession } from '../resolve-session.ts';

export interface UndoOptions {
  readonly workspace: string;
  readonly session?: string;
  readonly json: boolean;
}

/**
 * `fovea undo`: takes back the last turn's file changes, of `-s` or of the workspace's last session.
 * Exit code 1 when a file could not be restored or was left as it is; nothing to undo is no failure.
 */
export async function undo(options: UndoOptions, context: CommandContext): Promise<ExitCode> {
  const fovea = await context.openFovea();
  const workspace = resolve(context.currentFolder, options.workspace);
  const session =
    options.session === undefined
      ? await fovea.latestSession(workspace)
      : await requireSession(fovea, options.session, context);
  if (session === undefined) throw new AppError('SESSION_NOT_FOUND', context.texts.nothingDoneIn(workspace));
  const undone = await fovea.undo(session.id);
  if (options.json) {
    const { turnId = null, files = [] } = undone ?? {};
    process.stdout.write(`${JSON.stringify({ sessionId: session.id, turnId, files }, null, 2)}\n`);
  } else {
    for (const line of undoLines(undone, context.locale)) process.stdout.write(`${line}\n`);
  }
  const isWhole = undone?.files.every(({ outcome }) => outcome === 'restored' || outcome === 'removed') ?? true;
  return isWhole ? exitCodes.done : exitCodes.turnFailed;
}
