import { writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError } from '@fovea/core/base';
import type { Fovea, ModelChoice } from '@fovea/server';
import { describeEyes } from '../chat/find-model.ts';
import type { Terminal } from '../chat/terminal.ts';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { findRequestedSession, type SessionOptions } from '../resolve-session.ts';
import { usageError } from '../usage-error.ts';

/** `fovea chat`: the agent in a terminal. */
export async function chat(options: SessionOptions, context: CommandContext): Promise<ExitCode> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    process.stderr.write(`${context.texts.noTerminal}\n`);
    return exitCodes.usage;
  }
  const requested = resolve(context.currentFolder, options.workspace);
  // A new session begins with the first message: a wrong folder must not be found only then.
  if (!(await isFolder(requested))) throw usageError(context.texts.noWorkspace(requested));
  const fovea = await context.openFovea();
  const session = await findRequestedSession(fovea, { ...options, workspace: requested }, context);
  const model = await chooseModel(fovea, options.model ?? session?.model, context);
  if (model === undefined) return exitCodes.interrupted;
  const [{ Chat }, { DISABLE_PASTE }] = await Promise.all([
    import('../chat/chat.ts'),
    import('../chat/raw-terminal.ts'),
  ]);
  const workspace = session?.workspace ?? requested;
  const conversation = await Chat.open({
    terminal: processTerminal(context),
    fovea,
    context,
    workspace,
    homeFolder: homedir(),
    historyFile: join(context.foveaHome, 'history'),
    model,
    ...(session === undefined ? {} : { session }),
  });
  // Also after a fault, and after a second Ctrl+C: a shell must not get a terminal that marks pastes.
  const restore = (): void => {
    if (!context.isPlain) writeSync(1, DISABLE_PASTE);
  };
  process.once('exit', restore);
  try {
    return await conversation.run();
  } finally {
    process.removeListener('exit', restore);
  }
}

function processTerminal({ isPlain }: CommandContext): Terminal {
  const terminal = { input: process.stdin, output: process.stdout, isPlain };
  return process.platform === 'win32' ? terminal : { ...terminal, suspend: suspendProcess };
}

function suspendProcess(): Promise<void> {
  return new Promise((resolve) => {
    // Nothing else keeps the process alive while the keyboard belongs to the shell.
    const alive = setInterval(() => undefined, 60_000);
    process.once('SIGCONT', () => {
      clearInterval(alive);
      resolve();
    });
    // The whole job: also whoever started this program and waits for it.
    process.kill(0, 'SIGTSTP');
  });
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() === true;
}

/** The model of the conversation; asks when several could answer. Absent when the user gave up. */
async function chooseModel(
  fovea: Fovea,
  requested: string | undefined,
  context: CommandContext,
): Promise<ModelChoice | undefined> {
  const choice = await fovea.chooseModel(requested);
  if (choice.ok) return choice.value;
  if (choice.error.code !== 'NO_MODEL_CHOSEN') throw choice.error;
  const { isCancel, select } = await import('@clack/prompts');
  const models = await fovea.listModels();
  const answer = await select({
    message: context.texts.chooseModel,
    options: models.map((model) => ({ value: model.id, label: model.id, hint: describeEyes(model, context.texts) })),
    maxItems: 12,
    signal: context.signal,
  });
  if (isCancel(answer)) return undefined;
  const chosen = await fovea.chooseModel(answer);
  if (!chosen.ok) throw new AppError(chosen.error.code, chosen.error.message, { cause: chosen.error });
  return chosen.value;
}
