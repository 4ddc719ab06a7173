import { AppError } from '@fovea/core/base';
import type { Session } from '@fovea/core/content';
import type { Fovea } from '@fovea/server';
import type { CommandContext } from './command-context.ts';
import { usageError } from './usage-error.ts';

/** Options that say which session and model a turn belongs to. */
export interface SessionOptions {
  readonly model?: string;
  readonly workspace: string;
  readonly session?: string;
  readonly continueLast: boolean;
}

/** The existing session that `-s` or `-c` names; absent when a new one shall begin. */
export async function findRequestedSession(
  fovea: Fovea,
  options: SessionOptions,
  context: CommandContext,
): Promise<Session | undefined> {
  if (options.session !== undefined && options.continueLast) throw usageError(context.texts.sessionAndContinue);
  if (options.session !== undefined) return requireSession(fovea, options.session, context);
  if (!options.continueLast) return undefined;
  const latest = await fovea.latestSession(options.workspace);
  if (latest === undefined) throw new AppError('SESSION_NOT_FOUND', context.texts.noLastSession(options.workspace));
  return latest;
}

/** The session with this id or beginning of an id. Throws `SESSION_NOT_FOUND`. */
export async function requireSession(fovea: Fovea, idOrPrefix: string, context: CommandContext): Promise<Session> {
  const session = await fovea.findSession(idOrPrefix);
  if (session === undefined) throw new AppError('SESSION_NOT_FOUND', context.texts.noSession(idOrPrefix));
  return session;
}
