import { limitRows } from '@fovea/core/catalog';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { localizeHelp } from './localize-help.ts';
import type { SessionOptions } from './resolve-session.ts';
import { addSessions } from './session-commands.ts';
import { type CommandSurroundings, refuseUnknownCommand, subcommand, unknownCommand } from './subcommand.ts';
import type { CliTexts } from './texts.ts';

/** What the command line is made from. */
export interface ProgramOptions extends CommandSurroundings {
  readonly version: string;
}

interface SharedOptions {
  readonly model?: string;
  readonly workspace?: string;
  readonly session?: string;
  readonly continue?: boolean;
}

/** How `--yes=all` is spelled inside: a flag that takes a value would take the prompt behind it. */
const YES_TO_ALL = '--yes-to-all';

/** The words of a command line as the program reads them. */
export function toProgramWords(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return words.map((word, index) => (word === '--yes=all' && (end === -1 || index < end) ? YES_TO_ALL : word));
}

/** The command line as data; each command's code is loaded when it is used. */
export function buildProgram(options: ProgramOptions): Command {
  const { texts } = options.context;
  const program = new Command('fovea');
  localizeHelp(program, texts.help);
  program
    .description(texts.summary)
    .version(options.version, '-V, --version', texts.help.showVersion)
    .option('--config <file>', texts.help.config)
    .addHelpText('after', `\n${texts.help.examples}`)
    .exitOverride()
    .enablePositionalOptions();
  addChat(program, options);
  addRun(program, options);
  addUndo(program, options);
  addInspect(program, options);
  addSessions(program, options);
  addUpkeep(program, options);
  addHelp(program, options);
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
    refuseUnknownCommand(self, context.texts);
    const { chat } = await import('./commands/chat.ts');
    finish(await chat(sessionOptions(given), context));
  });
  program.allowExcessArguments(true);
}

interface RunFlags {
  readonly attach?: readonly string[];
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly yesToAll?: boolean;
  readonly submissionId?: string;
}

function addRun(program: Command, { context, finish }: ProgramOptions): void {
  const { help } = context.texts;
  const command = subcommand(program, 'run', context.texts)
    .description(help.run)
    .argument('[prompt...]', help.runPrompt)
    .option('--attach <path or url>', help.attach, collect)
    .option('--yes', help.yes)
    .addOption(new Option(YES_TO_ALL).hideHelp())
    .option('--submission-id <id>', help.submissionId, (id: string) => parseName(id, context.texts))
    .option('--json', help.json);
  addSessionOptions(command, context.texts).action(
    async (words: readonly string[], given: SharedOptions & RunFlags) => {
      const { run } = await import('./commands/run.ts');
      const consent = given.yesToAll === true ? 'yes-all' : given.yes === true ? 'yes' : 'none';
      const { attach = [], json = false, submissionId } = given;
      const options = {
        ...sessionOptions(given),
        attach,
        json,
        consent,
        ...(submissionId && { submissionId }),
      } as const;
      finish(await run(words, options, context));
    },
  );
}

function addUndo(program: Command, { context, finish }: ProgramOptions): void {
  const { help } = context.texts;
  subcommand(program, 'undo', context.texts)
    .description(help.undo)
    .option('-s, --session <id>', help.undoSession)
    .option('-C, --workspace <dir>', help.workspace, (path: string) => parseFolder(path, context.texts))
    .option('--json', help.json)
    .action(async (given: { session?: string; workspace?: string; json?: boolean }) => {
      const { undo } = await import('./commands/undo.ts');
      const { workspace = '.', json = false } = given;
      finish(await undo({ ...given, workspace, json }, context));
    });
}

function addInspect(program: Command, { context, finish }: ProgramOptions): void {
  const { help } = context.texts;
  subcommand(program, 'inspect', context.texts)
    .description(help.inspect)
    .argument('<path...>', help.inspectPaths)
    .addOption(
      new Option('--as <entry>', help.as).choices(['view-image', 'read-file', 'attachment']).default('view-image'),
    )
    .option('-C, --workspace <dir>', help.workspace, (path: string) => parseFolder(path, context.texts))
    .option('--variant <file>', help.variant)
    .addOption(new Option('--endpoint <row>', help.endpoint).choices(limitRows.map((row) => row.id)).default('unknown'))
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

function addUpkeep(program: Command, { context, finish }: ProgramOptions): void {
  const { help } = context.texts;
  subcommand(program, 'check', context.texts)
    .description(help.check)
    .option('--json', help.json)
    .action(async (given: { json?: boolean }) => {
      const { check } = await import('./commands/check.ts');
      finish(await check({ json: given.json === true }, context));
    });
  subcommand(program, 'gc', context.texts)
    .description(help.collectGarbage)
    .option('--json', help.json)
    .action(async (given: { json?: boolean }) => {
      const { collectGarbage } = await import('./commands/collect-garbage.ts');
      finish(await collectGarbage({ json: given.json === true }, context));
    });
}

/** `fovea help run`: commander's own would answer an unknown command with the whole help, as an error. */
function addHelp(program: Command, { context }: ProgramOptions): void {
  const { help } = context.texts;
  subcommand(program, 'help', context.texts)
    .description(help.help)
    .argument('[command...]', help.helpCommand)
    .action((names: readonly string[]) => {
      let command = program;
      for (const name of names) {
        const inner = command.commands.find((one) => one.name() === name);
        if (inner === undefined) throw unknownCommand(name, { parent: command, texts: context.texts });
        command = inner;
      }
      command.outputHelp();
    });
}

function addSessionOptions(command: Command, texts: CliTexts): Command {
  const { help } = texts;
  return command
    .option('-m, --model <channel/model>', help.model)
    .option('-C, --workspace <dir>', help.workspace, (path: string) => parseFolder(path, texts))
    .option('-s, --session <id>', help.session, (id: string) => parseName(id, texts))
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

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** `-C "$UNSET"` must not quietly mean the current folder. */
function parseFolder(path: string, texts: CliTexts): string {
  if (path.trim() === '') throw new InvalidArgumentError(texts.folderName);
  return path;
}

function parseName(name: string, texts: CliTexts): string {
  if (name.trim() === '') throw new InvalidArgumentError(texts.emptyName);
  return name;
}
