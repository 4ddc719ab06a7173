import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { ExitCode } from './exit-codes.ts';
import type { SessionOptions } from './resolve-session.ts';
import type { CliTexts } from './texts.ts';

/** What the command line needs to start a command: its surroundings and where its exit code goes. */
export interface ProgramOptions {
  readonly context: CommandContext;
  readonly version: string;
  finish(exitCode: ExitCode): void;
}

interface SharedOptions {
  readonly model?: string;
  readonly workspace?: string;
  readonly session?: string;
  readonly continue?: boolean;
}

/** The command line as data; each command's code is loaded when it is used. */
export function buildProgram(options: ProgramOptions): Command {
  const { texts } = options.context;
  const program = new Command('fovea');
  localize(program, texts);
  program
    .description(texts.summary)
    .version(options.version, '-V, --version', texts.help.showVersion)
    .option('--config <file>', texts.help.config)
    .addHelpText('after', `\n${texts.help.examples}`)
    .exitOverride()
    .enablePositionalOptions();
  addChat(program, options);
  addRun(program, options);
  addInspect(program, options);
  addSessions(program, options);
  return program;
}

/** Whether a thrown value is commander's way to say that help or the version was printed. */
export function isPrinted(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

export function isWrongUsage(error: unknown): error is CommanderError {
  return error instanceof CommanderError && error.exitCode !== 0;
}

function addChat(program: Command, { context, finish }: ProgramOptions): void {
  const command = subcommand(program, 'chat', context.texts).description(context.texts.help.chat);
  addSessionOptions(command, context.texts).action(async (given: SharedOptions) => {
    const { chat } = await import('./commands/chat.ts');
    finish(await chat(sessionOptions(given), context));
  });
  // `fovea` alone is the same conversation.
  addSessionOptions(program, context.texts).action(async (given: SharedOptions, self: Command) => {
    const [unknown] = self.args;
    if (unknown !== undefined) self.error(`error: unknown command '${unknown}'`, { code: 'commander.unknownCommand' });
    const { chat } = await import('./commands/chat.ts');
    finish(await chat(sessionOptions(given), context));
  });
  program.allowExcessArguments(true);
}

function addRun(program: Command, { context, finish }: ProgramOptions): void {
  const { help } = context.texts;
  const command = subcommand(program, 'run', context.texts)
    .description(help.run)
    .argument('[prompt...]', help.runPrompt)
    .option('--attach <path>', help.attach, collect)
    .option('--json', help.json);
  addSessionOptions(command, context.texts).action(
    async (words: readonly string[], given: SharedOptions & { attach?: readonly string[]; json?: boolean }) => {
      const { run } = await import('./commands/run.ts');
      finish(
        await run(words, { ...sessionOptions(given), attach: given.attach ?? [], json: given.json === true }, context),
      );
    },
  );
}

function addInspect(program: Command, { context, finish }: ProgramOptions): void {
  const { help } = context.texts;
  subcommand(program, 'inspect', context.texts)
    .description(help.inspect)
    .argument('<path...>', help.inspectPaths)
    .addOption(
      new Option('--as <entry>', help.as).choices(['view-image', 'read-file', 'attachment']).default('view-image'),
    )
    .option('-C, --workspace <dir>', help.workspace)
    .option('--variant <file>', help.variant)
    .option('--endpoint <row>', help.endpoint, 'unknown')
    .option('--json', help.json)
    .action(
      async (
        paths: readonly string[],
        given: {
          as: 'view-image' | 'read-file' | 'attachment';
          workspace?: string;
          variant?: string;
          endpoint: string;
          json?: boolean;
        },
      ) => {
        const { inspect } = await import('./commands/inspect.ts');
        const { workspace = '.', json = false } = given;
        finish(await inspect(paths, { ...given, workspace, json }, context));
      },
    );
}

function addSessions(program: Command, { context, finish }: ProgramOptions): void {
  const { help } = context.texts;
  const sessions = subcommand(program, 'sessions', context.texts).description(help.sessions);
  subcommand(sessions, 'list', context.texts)
    .description(help.sessionsList)
    .option('-n, --limit <count>', help.limit, parseCount, 50)
    .option('--json', help.json)
    .action(async (given: { limit: number; json?: boolean }) => {
      const { listSessions } = await import('./commands/sessions.ts');
      finish(await listSessions({ ...given, json: given.json === true }, context));
    });
  subcommand(sessions, 'show', context.texts)
    .description(help.sessionsShow)
    .argument('<id>', help.sessionId)
    .option('--json', help.json)
    .action(async (id: string, given: { json?: boolean }) => {
      const { showSession } = await import('./commands/sessions.ts');
      finish(await showSession(id, { json: given.json === true }, context));
    });
}

function addSessionOptions(command: Command, { help }: CliTexts): Command {
  return command
    .option('-m, --model <channel/model>', help.model)
    .option('-C, --workspace <dir>', help.workspace)
    .option('-s, --session <id>', help.session)
    .option('-c, --continue', help.continueLast);
}

function sessionOptions(given: SharedOptions): SessionOptions {
  return {
    workspace: given.workspace ?? '.',
    continueLast: given.continue === true,
    ...(given.model === undefined ? {} : { model: given.model }),
    ...(given.session === undefined ? {} : { session: given.session }),
  };
}

function subcommand(parent: Command, name: string, texts: CliTexts): Command {
  const command = parent.command(name).exitOverride();
  localize(command, texts);
  return command;
}

function localize(command: Command, { help }: CliTexts): void {
  const titles: Readonly<Record<string, string>> = {
    'Usage:': help.usage,
    'Arguments:': help.arguments,
    'Options:': help.options,
    'Global Options:': help.options,
    'Commands:': help.commands,
  };
  command
    .helpOption('-h, --help', help.showHelp)
    .helpCommand(false)
    .configureHelp({ styleTitle: (title) => titles[title] ?? title })
    .configureOutput({ outputError: () => {} });
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('give a whole number from 1.');
  return count;
}
