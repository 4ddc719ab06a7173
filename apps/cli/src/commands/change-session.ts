import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { requireSession } from '../resolve-session.ts';
import { upkeepTexts } from '../upkeep-texts.ts';
import { usageError } from '../usage-error.ts';

/** `fovea sessions fork ID`: prints the id of a new session that begins with the same messages. */
export async function forkSession(
  id: string,
  options: { readonly json: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const fovea = await context.openFovea();
  const session = await requireSession(fovea, id, context);
  const fork = await fovea.forkSession(session.id);
  process.stdout.write(options.json ? `${JSON.stringify(fork, null, 2)}\n` : `${fork.id}\n`);
  return exitCodes.done;
}

/** `fovea sessions delete ID`: asks first, on a terminal; elsewhere it needs `--yes`. */
export async function deleteSession(
  id: string,
  options: { readonly yes: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const texts = upkeepTexts(context.locale);
  const fovea = await context.openFovea();
  const session = await requireSession(fovea, id, context);
  if (!options.yes && !(await askForDeletion(texts.askDeletion(session.title, session.id), context))) {
    process.stderr.write(`${texts.notDeleted}\n`);
    return exitCodes.interrupted;
  }
  await fovea.deleteSession(session.id);
  process.stdout.write(`${texts.deleted(session.id)}\n`);
  return exitCodes.done;
}

/** Throws `USAGE` where nobody can be asked. */
async function askForDeletion(question: string, context: CommandContext): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    throw usageError(upkeepTexts(context.locale).deletionNeedsYes);
  }
  const { confirm } = await import('@clack/prompts');
  return (await confirm({ message: question, initialValue: false, signal: context.signal })) === true;
}
