import type { AppError } from '@fovea/core/base';
import { limitRows } from '@fovea/core/catalog';
import { findClosestName } from '@fovea/server';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { SessionQueueOptions } from './commands/session-queue.ts';
import type { ExitCode } from './exit-codes.ts';
import { localizeHelp } from './localize-help.ts';
import type { SessionOptions } from './resolve-session.ts';
import type { CliTexts } from './texts.ts';
import { usageError } from './usage-error.ts';

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

function addSessions(program: Command, { context, finish }: ProgramOptions): void {
  const { help } = context.texts;
  const sessions = subcommand(program, 'sessions', context.texts)
    .description(help.sessions)
    .allowExcessArguments(true)
    .action((_, self: Command) => {
      refuseUnknownCommand(self, context.texts);
      self.outputHelp();
    });
  subcommand(sessions, 'list', context.texts)
    .description(help.sessionsList)
    .option('-n, --limit <count>', help.limit, (text: string) => parseCount(text, context.texts), 50)
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
  addSessionChanges(sessions, { context, finish });
  addSessionQueue(sessions, { context, finish });
}

type CommandSurroundings = Pick<ProgramOptions, 'context' | 'finish'>;

function addSessionChanges(sessions: Command, { context, finish }: CommandSurroundings): void {
  const { help } = context.texts;
  subcommand(sessions, 'fork', context.texts)
    .description(help.sessionsFork)
    .argument('<id>', help.sessionId)
    .option('--json', help.json)
    .action(async (id: string, given: { json?: boolean }) => {
      const { forkSession } = await import('./commands/change-session.ts');
      finish(await forkSession(id, { json: given.json === true }, context));
    });
  subcommand(sessions, 'delete', context.texts)
    .description(help.sessionsDelete)
    .argument('<id>', help.sessionId)
    .option('--yes', help.deleteYes)
    .action(async (id: string, given: { yes?: boolean }) => {
      const { deleteSession } = await import('./commands/change-session.ts');
      finish(await deleteSession(id, { yes: given.yes === true }, context));
    });
}

function addSessionQueue(sessions: Command, { context, finish }: CommandSurroundings): void {
  const { help } = context.texts;
  const count = (text: string): number => parseCount(text, context.texts);
  subcommand(sessions, 'queue', context.texts)
    .description(help.sessionsQueue)
    .argument('<id>', help.sessionId)
    .option('--remove <number>', help.queueRemove, count)
    .option('--move <number>', help.queueMove, count)
    .option('--before <number>', help.queueBefore, count)
    .option('--requeue <number>', help.queueRequeue, count)
    .option('--resume', help.queueResume)
    .option('--json', help.json)
    .action(async (id: string, given: Partial<SessionQueueOptions>) => {
      if (given.before !== undefined && given.move === undefined) throw usageError(context.texts.beforeNeedsMove);
      const { sessionQueue } = await import('./commands/session-queue.ts');
      finish(await sessionQueue(id, { ...given, json: given.json === true, resume: given.resume === true }, context));
    });
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

/** For a command that does something by itself and has commands below it. */
function refuseUnknownCommand(command: Command, texts: CliTexts): void {
  const [word] = command.args;
  if (word !== undefined) throw unknownCommand(word, { parent: command, texts });
}

function unknownCommand(word: string, place: { readonly parent: Command; readonly texts: CliTexts }): AppError {
  const names = place.parent.commands.map((command) => command.name());
  return usageError(place.texts.unknownCommand(word, findClosestName(word, names)));
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

function subcommand(parent: Command, name: string, texts: CliTexts): Command {
  const command = parent.command(name).exitOverride().allowExcessArguments(false);
  localizeHelp(command, texts.help);
  return command;
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

function parseCount(text: string, texts: CliTexts): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError(texts.wholeNumber);
  return count;
}
