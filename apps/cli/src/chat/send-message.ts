import { toAppError } from '@fovea/core/base';
import type { FoveaEvent, Session } from '@fovea/core/content';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { TurnDisplay } from '../render/print-turn.ts';
import type { EnteredMessage } from './message-queue.ts';
import type { Conversation } from './obey-command.ts';
import type { RunningTurn } from './running-turn.ts';

/**
 * Runs one turn and shows it. Resolves with `refused` also where the turn could not begin: then
 * nothing was sent, and the message is still the user's. Throws nothing.
 */
export async function sendMessage(
  message: EnteredMessage,
  { chat, running }: { readonly chat: Conversation; readonly running: RunningTurn },
): Promise<ExitCode> {
  const { fovea, context, terminal, draft, model, voice } = chat;
  const display = new TurnDisplay({
    output: terminal.output,
    diagnostics: terminal.output,
    locale: context.locale,
    hasColors: context.hasColors,
    isPlain: terminal.isPlain === true,
    stopSignal: running.signal,
    footer: (widthColumns, silence) => running.footer(widthColumns, silence),
  });
  running.display = display;
  let isAccepted = false;
  async function* watch(events: AsyncIterable<FoveaEvent>): AsyncIterable<FoveaEvent> {
    for await (const event of events) {
      if (event.type === 'turn-accepted') isAccepted = true;
      yield event;
    }
  }
  try {
    display.open();
    const session = await ensureSession(chat);
    const events = fovea.runTurn({
      sessionId: session.id,
      text: draft.expand(message.line),
      attachments: message.attachments.map((file) => file.path),
      model: model.id,
      signal: AbortSignal.any([running.signal, context.signal]),
      approver: running.approver,
    });
    return await display.print(watch(events));
  } catch (error) {
    display.close();
    voice.complainOf(toAppError(error));
    return isAccepted ? exitCodes.turnFailed : exitCodes.refused;
  }
}

async function ensureSession(chat: Conversation): Promise<Session> {
  if (chat.session !== undefined) return chat.session;
  const { fovea, workspace, model } = chat;
  const created = await fovea.createSession({ workspace, model: model.id });
  if (!created.ok) throw created.error;
  chat.session = created.value;
  return created.value;
}
