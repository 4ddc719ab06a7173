import { homedir } from 'node:os';
import { styleText } from 'node:util';
import { formatBytes } from '@fovea/core/base';
import {
  type Message,
  type QueueSnapshot,
  type Session,
  textOf,
  toolCallsOf,
  type UserPicture,
} from '@fovea/core/content';
import type { Fovea } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { heldLine, queueLines, toPrintableQueue } from '../queue-lines.ts';
import { queueTexts } from '../queue-texts.ts';
import { readSessionPages } from '../read-session-pages.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import { toolCallLine, toolResultLine } from '../render/tool-lines.ts';
import { requireSession } from '../resolve-session.ts';
import { sessionLine } from '../session-line.ts';

/** `fovea sessions list`. */
export async function listSessions(
  options: { readonly json: boolean; readonly limit: number },
  context: CommandContext,
): Promise<ExitCode> {
  const fovea = await context.openFovea();
  const sessions = await fovea.listSessions(options.limit);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(sessions, null, 2)}\n`);
    return exitCodes.done;
  }
  if (sessions.length === 0) process.stderr.write(`${context.texts.noSessions}\n`);
  const { isTTY, columns } = process.stdout;
  const screen = { homeFolder: homedir(), ...(isTTY && { widthColumns: columns }) };
  for (const session of sessions) process.stdout.write(`${sessionLine(session, screen)}\n`);
  return exitCodes.done;
}

/** `fovea sessions show ID`: messages, where turns broke off, and what waits. */
export async function showSession(
  id: string,
  options: { readonly json: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const fovea = await context.openFovea();
  const session = await requireSession(fovea, id, context);
  const interruptedTurns = await fovea.interruptedTurns(session.id);
  const queue = await fovea.queue(session.id);
  if (options.json) {
    await printAsJson({ session, interruptedTurns, queue }, fovea);
    return exitCodes.done;
  }
  const brokenIds = new Set(interruptedTurns.map((turn) => turn.id));
  let turnId: string | undefined;
  const sayBrokenOff = (): void => {
    if (turnId !== undefined && brokenIds.has(turnId)) process.stdout.write(`${context.texts.turnBrokenOff}\n\n`);
  };
  for await (const page of readSessionPages(fovea, session.id)) {
    for (const message of page) {
      // Said once, where the turn broke off: after the last of its messages.
      if (message.turnId !== turnId) sayBrokenOff();
      ({ turnId } = message);
      process.stdout.write(`${describeMessage(message, context)}\n\n`);
    }
  }
  sayBrokenOff();
  const held = heldLine(queue, context.locale);
  for (const line of queueLines(queue, context)) process.stdout.write(`${line}\n`);
  if (held !== undefined) process.stderr.write(`${held}\n${queueTexts(context.locale).howToResume(session.id)}\n`);
  return exitCodes.done;
}

async function printAsJson(
  {
    session,
    ...rest
  }: { readonly session: Session; readonly interruptedTurns: unknown; readonly queue: QueueSnapshot },
  fovea: Fovea,
): Promise<void> {
  process.stdout.write(`{\n"session": ${JSON.stringify(session, null, 2)},\n"messages": [`);
  let separator = '\n';
  for await (const page of readSessionPages(fovea, session.id)) {
    for (const message of page) {
      process.stdout.write(`${separator}${JSON.stringify(message, null, 2)}`);
      separator = ',\n';
    }
  }
  const others = { interruptedTurns: rest.interruptedTurns, queue: toPrintableQueue(rest.queue) };
  process.stdout.write(`\n],\n${JSON.stringify(others, null, 2).slice(2)}\n`);
}

function describeMessage(message: Message, context: CommandContext): string {
  const heading = (who: string): string =>
    context.hasColors && process.stdout.isTTY ? styleText('bold', who, { validateStream: false }) : who;
  switch (message.role) {
    case 'user': {
      const pictures = message.imageInputs.map((input) => `  [${describeInput(input)}]`);
      return [heading(context.texts.roles.user), ...pictures, sanitizeForTerminal(message.content)].join('\n');
    }
    case 'assistant': {
      const calls = toolCallsOf(message).map((call) => `  • ${toolCallLine(call)}`);
      const text = sanitizeForTerminal(textOf(message)).trimEnd();
      const lines = [heading(`${context.texts.roles.assistant} ${message.model}`), text, ...calls];
      if (message.status === 'interrupted') lines.push(context.texts.interrupted);
      return lines.filter((line) => line !== '').join('\n');
    }
    case 'tool':
      return `${heading(`${context.texts.roles.tool} ${message.toolName}`)}\n  ${message.isError ? '✗' : '✓'} ${toolResultLine(message.content)}`;
  }
}

function describeInput(input: UserPicture): string {
  if ('dataUri' in input) return 'data URI';
  if ('url' in input) return sanitizeForTerminal(input.url);
  if ('file' in input) return sanitizeForTerminal(`${input.file.channel}: ${input.file.id}`);
  const { name, widthPx, heightPx, sizeBytes } = input.attachment;
  return `${sanitizeForTerminal(name)}, ${widthPx ?? '?'}×${heightPx ?? '?'}, ${formatBytes(sizeBytes)}`;
}
