import type { AppError } from '@fovea/core/base';
import { findClosestName } from '@fovea/server';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { ExitCode } from './exit-codes.ts';
import { localizeHelp } from './localize-help.ts';
import type { CliTexts } from './texts.ts';
import { usageError } from './usage-error.ts';

/** What a command works in, and where its exit code goes. */
export interface CommandSurroundings {
  readonly context: CommandContext;
  finish(exitCode: ExitCode): void;
}

/** A command below another one, with help in the user's language. */
export function subcommand(parent: Command, name: string, texts: CliTexts): Command {
  const command = parent.command(name).exitOverride().allowExcessArguments(false);
  localizeHelp(command, texts.help);
  return command;
}

/** For a command that does something by itself and has commands below it. */
export function refuseUnknownCommand(command: Command, texts: CliTexts): void {
  const [word] = command.args;
  if (word !== undefined) throw unknownCommand(word, { parent: command, texts });
}

export function unknownCommand(word: string, place: { readonly parent: Command; readonly texts: CliTexts }): AppError {
  const names = place.parent.commands.map((command) => command.name());
  return usageError(place.texts.unknownCommand(word, findClosestName(word, names)));
}

export function parseCount(text: string, texts: CliTexts): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError(texts.wholeNumber);
  return count;
}
