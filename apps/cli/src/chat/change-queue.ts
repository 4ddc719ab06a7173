import { assertNever } from '@fovea/core/base';
import { heldLine, queueLines } from '../queue-lines.ts';
import { chatTexts } from './chat-texts.ts';
import type { Conversation } from './conversation.ts';
import { describeMessage } from './message-queue.ts';
import type { QueueCommand } from './slash-command.ts';
import type { WaitingEntry } from './waiting-messages.ts';

/** `/queue` and what can be asked of it. */
export async function changeQueue(command: QueueCommand, chat: Conversation): Promise<void> {
  await chat.waiting.refresh(chat.session?.id);
  const { action } = command;
  switch (action) {
    case 'list':
      sayQueue(chat);
      return;
    case 'resume':
      await chat.goOn();
      return;
    case 'remove':
      await removeEntry(command.position, chat);
      return;
    case 'requeue':
      await requeueEntry(command.position, chat);
      return;
    case 'move':
      await moveEntry(command.position, command.before, chat);
      return;
    default:
      assertNever(action);
  }
}

/** `/unqueue [N]`: takes messages back, all or one, their pictures into the next message. */
export async function unqueue(position: number | undefined, chat: Conversation): Promise<void> {
  const { waiting, session, draft, voice, context } = chat;
  await waiting.refresh(session?.id);
  const { entries } = waiting;
  const taken = position === undefined ? entries : entries.slice(position - 1, position);
  if (taken.length === 0) voice.complain(chatTexts(context.locale).noSuchLine(entries.length));
  for (const entry of taken) {
    const shown = describeEntry(entry, chat);
    const message = await waiting.take(entry);
    draft.putBack(message.attachments);
    voice.say(chatTexts(context.locale).unqueued(shown));
  }
}

function sayQueue({ waiting, voice, context }: Conversation): void {
  const { snapshot, local } = waiting;
  const texts = chatTexts(context.locale);
  if (waiting.entries.length === 0) voice.say(texts.queueEmpty);
  if (snapshot !== undefined) {
    const lines = queueLines(snapshot, { locale: context.locale, describe: (item) => waiting.describe(item) });
    for (const line of lines) voice.say(line);
  }
  const before = waiting.entries.length - local.count;
  for (const [index, message] of local.messages.entries()) {
    voice.say(`${before + index + 1}  ${describeMessage(message)}`);
  }
  const held = snapshot === undefined ? undefined : heldLine(snapshot, context.locale);
  if (held !== undefined) voice.say(held, 'dim');
}

async function removeEntry(position: number, chat: Conversation): Promise<void> {
  const { waiting, voice, context } = chat;
  const entry = findEntry(position, chat);
  if (entry === undefined) return;
  const shown = describeEntry(entry, chat);
  await waiting.take(entry);
  voice.say(chatTexts(context.locale).unqueued(shown));
}

async function requeueEntry(position: number, chat: Conversation): Promise<void> {
  const { fovea, voice, context } = chat;
  const entry = findEntry(position, chat);
  if (entry === undefined) return;
  if (entry.kind === 'local' || entry.item.state === 'queued') {
    voice.complain(chatTexts(context.locale).waitsAlready(position));
    return;
  }
  await fovea.requeue(entry.item.sessionId, entry.item.id);
}

async function moveEntry(position: number, before: number | undefined, chat: Conversation): Promise<void> {
  const { fovea, voice, context } = chat;
  const entry = findEntry(position, chat);
  const next = before === undefined ? undefined : findEntry(before, chat);
  if (entry === undefined || (before !== undefined && next === undefined)) return;
  if (entry.kind === 'local' || next?.kind === 'local') {
    voice.complain(chatTexts(context.locale).commandsStay);
    return;
  }
  await fovea.moveQueued(entry.item.sessionId, entry.item.id, next?.item.id);
  await chat.waiting.refresh(entry.item.sessionId);
  sayQueue(chat);
}

/** Complains where there is none. */
function findEntry(position: number, { waiting, voice, context }: Conversation): WaitingEntry | undefined {
  const { entries } = waiting;
  const entry = entries[position - 1];
  if (entry === undefined) voice.complain(chatTexts(context.locale).noSuchNumber(entries.length));
  return entry;
}

function describeEntry(entry: WaitingEntry, { waiting }: Conversation): string {
  return entry.kind === 'local' ? describeMessage(entry.message) : waiting.describe(entry.item);
}
