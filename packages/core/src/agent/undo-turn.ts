import { toAppError } from '../base/app-error.ts';
import { isoTime } from '../base/clock.ts';
import type { FileChangeRecord } from '../content/file-change-record.ts';
import { openStandingFile } from './standing-file.ts';
import type { TurnServices } from './turn-services.ts';

/** What became of one file when a turn's changes were taken back. */
export interface UndoneFile {
  /** As the user is shown it. */
  readonly path: string;
  /**
   * `restored`: it has the bytes again that it had before; `removed`: the turn had made it; `kept`:
   * it was changed again since, and is left as it is; `failed`: it could not be written.
   */
  readonly outcome: 'restored' | 'removed' | 'kept' | 'failed';
  /** Why, for `failed`. */
  readonly message?: string;
}

export interface UndoneTurn {
  readonly turnId: string;
  /** The last change first; a file that was changed several times stands there once. */
  readonly files: readonly UndoneFile[];
}

/**
 * Takes back what the newest turn with changes did to files; absent when no turn has any left. A
 * file that is no longer as the turn left it is kept. Each change is settled as soon as it is taken
 * back or kept, so that a crash in between is made good by calling it again; one that failed stays
 * for the next call.
 *
 * The caller holds the session's lease. Throws `STORE_UNAVAILABLE`, `RECORD_INVALID`. See
 * `docs/rules/agent-undo-turn.md`.
 */
export async function undoLastTurn(
  sessionId: string,
  services: Pick<TurnServices, 'fileChanges' | 'blobs' | 'clock' | 'logger'>,
): Promise<UndoneTurn | undefined> {
  const { fileChanges, clock } = services;
  const changes = await fileChanges.lastUnsettled(sessionId);
  const [first] = changes;
  if (first === undefined) return undefined;
  const files = new Map<string, UndoneFile>();
  for (const change of [...changes].reverse()) {
    // What stands before a change that could not be taken back is still below it.
    if (files.get(change.path)?.outcome === 'failed') continue;
    const file = await takeBack(change, services);
    files.set(change.path, file);
    if (file.outcome !== 'failed') await fileChanges.settle(change, isoTime(clock));
  }
  return { turnId: first.turnId, files: [...files.values()] };
}

async function takeBack(
  change: FileChangeRecord,
  { blobs, logger }: Pick<TurnServices, 'blobs' | 'logger'>,
): Promise<UndoneFile> {
  const { displayPath: path } = change;
  try {
    return { path, outcome: await restore(change, blobs) };
  } catch (error) {
    const { code, message } = toAppError(error);
    logger.warn('undo-failed', { sessionId: change.sessionId, turnId: change.turnId, code });
    return { path, outcome: 'failed', message };
  }
}

async function restore(
  { path, beforeDigest, afterDigest }: FileChangeRecord,
  blobs: TurnServices['blobs'],
): Promise<'restored' | 'removed' | 'kept'> {
  const file = await openStandingFile(path);
  if (file === 'absent') return beforeDigest === undefined ? 'removed' : 'kept';
  if (file === 'other') return 'kept';
  try {
    if (file.digest !== afterDigest) return file.digest === beforeDigest ? 'restored' : 'kept';
    if (beforeDigest === undefined) return (await file.remove()) ? 'removed' : 'kept';
    return (await file.replace(await blobs.get(beforeDigest))) ? 'restored' : 'kept';
  } finally {
    await file.close();
  }
}
