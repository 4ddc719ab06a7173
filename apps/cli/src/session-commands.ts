import type { Command } from 'commander';
import type { SessionQueueOptions } from './commands/session-queue.ts';
import { type CommandSurroundings, parseCount, refuseUnknownCommand, subcommand } from './subcommand.ts';
import { usageError } from './usage-error.ts';

/** `fovea sessions` and what stands below it. */
export function addSessions(program: Command, { context, finish }: CommandSurroundings): void {
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
