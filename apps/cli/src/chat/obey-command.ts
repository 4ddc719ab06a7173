import { homedir } from 'node:os';
import type { Session } from '@fovea/core/content';
import type { Fovea, ModelChoice } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { undoLines } from '../render/undo-lines.ts';
import { sessionLine } from '../session-line.ts';
import { chatTexts } from './chat-texts.ts';
import type { Draft } from './draft.ts';
import type { DraftPictures } from './draft-pictures.ts';
import { findEarlierSession, listEarlierSessions } from './find-earlier-session.ts';
import { describeEyes, findModel } from './find-model.ts';
import type { LineEditor } from './line-editor.ts';
import { describeMessage, type MessageQueue } from './message-queue.ts';
import type { SlashCommand } from './slash-command.ts';
import type { Terminal } from './terminal.ts';
import { usageLines } from './usage-lines.ts';
import type { Voice } from './voice.ts';

/** What commands read and change of a conversation. */
export interface Conversation {
  readonly fovea: Fovea;
  readonly context: CommandContext;
  readonly workspace: string;
  readonly draft: Draft;
  readonly pictures: DraftPictures;
  readonly queue: MessageQueue;
  readonly voice: Voice;
  readonly terminal: Terminal;
  /** The line that is being typed. */
  readonly editor: LineEditor;
  /** Ids of the conversations as they were listed last: a number means one of them. */
  listedSessions: readonly string[];
  /** `channel/model` and what is known of it: who answers next. */
  model: ModelChoice;
  /** Absent before the first message of a new conversation. */
  session: Session | undefined;
  /** Tells of a session that is gone on with. */
  greet(): Promise<void>;
  leave(): void;
}

/** Does what a line that begins with a slash asks for. */
export async function obeyCommand(command: SlashCommand, chat: Conversation): Promise<void> {
  const { context, voice, pictures } = chat;
  switch (command.kind) {
    case 'help':
      voice.say(context.texts.chatHelp);
      break;
    case 'quit':
      chat.leave();
      break;
    case 'new':
      chat.session = undefined;
      voice.say(context.texts.chatNewSession);
      break;
    case 'paste':
      await pictures.attachClipboard();
      break;
    case 'attach':
      await pictures.attachTyped(command.paths);
      break;
    case 'detach':
      pictures.detach(command.position);
      break;
    case 'model':
      await chooseModel(command.name, chat);
      break;
    case 'sessions':
      await switchSession(command.name, chat);
      break;
    case 'undo':
      await undoTurn(chat);
      break;
    case 'cost':
      await sayUsage(chat);
      break;
    case 'queue':
      sayQueue(chat);
      break;
    case 'unqueue':
      unqueue(command.position, chat);
      break;
    case 'wrong-detach':
      voice.complain(context.texts.chatNoSuchAttachment(chat.draft.attachments.length));
      break;
    case 'wrong-unqueue':
      voice.complain(chatTexts(context.locale).noSuchLine(chat.queue.count));
      break;
    case 'unknown':
      voice.complain(context.texts.chatUnknownCommand(command.name, command.near));
      break;
  }
}

async function chooseModel(name: string | undefined, chat: Conversation): Promise<void> {
  const { fovea, context, voice } = chat;
  const { texts } = context;
  if (name === undefined) {
    for (const choice of await fovea.listModels()) {
      const mark = choice.id === chat.model.id ? '*' : ' ';
      voice.say(`${mark} ${texts.modelLine(choice.id, describeEyes(choice, texts))}`);
    }
    return;
  }
  const choice = await findModel(name, fovea, texts);
  if (!choice.ok) throw choice.error;
  chat.model = choice.value;
  voice.say(texts.chatModelIs(choice.value.id, describeEyes(choice.value, texts)));
}

async function switchSession(name: string | undefined, chat: Conversation): Promise<void> {
  const { fovea, context, voice, workspace } = chat;
  const texts = chatTexts(context.locale);
  if (name === undefined) {
    const sessions = await listEarlierSessions(fovea, workspace);
    chat.listedSessions = sessions.map(({ id }) => id);
    if (sessions.length === 0) voice.say(texts.noSessionsHere);
    for (const [index, session] of sessions.entries()) {
      const mark = session.id === chat.session?.id ? '*' : ' ';
      voice.say(`${mark} ${index + 1}  ${sessionLine(session, { homeFolder: homedir() })}`);
    }
    if (sessions.length > 0) voice.say(texts.sessionsHint, 'dim');
    return;
  }
  // Which number a conversation has changes with every message: the one that was shown counts.
  const listed = /^\d{1,2}$/.test(name) ? chat.listedSessions[Number(name) - 1] : undefined;
  const id = listed ?? (await findEarlierSession(name, { fovea, workspace }))?.id;
  const session = id === undefined ? undefined : await fovea.findSession(id);
  if (session === undefined) {
    voice.complain(texts.noSuchSession(name));
    return;
  }
  chat.session = session;
  const choice = await fovea.chooseModel(session.model);
  // A model that is gone is no reason not to read on: the present one answers.
  if (choice.ok) chat.model = choice.value;
  await chat.greet();
}

async function undoTurn(chat: Conversation): Promise<void> {
  const { fovea, context, voice, session } = chat;
  if (session === undefined) voice.say(chatTexts(context.locale).noSessionYet);
  else for (const line of undoLines(await fovea.undo(session.id), context.locale)) voice.say(line);
}

async function sayUsage(chat: Conversation): Promise<void> {
  const { fovea, context, voice, session } = chat;
  if (session === undefined) voice.say(chatTexts(context.locale).noSessionYet);
  else for (const line of usageLines(await fovea.sessionUsage(session.id), context.locale)) voice.say(line);
}

function sayQueue({ queue, voice, context }: Conversation): void {
  if (queue.count === 0) voice.say(chatTexts(context.locale).queueEmpty);
  for (const [index, message] of queue.messages.entries()) voice.say(`${index + 1}  ${describeMessage(message)}`);
}

function unqueue(position: number | undefined, { queue, draft, voice, context }: Conversation): void {
  const texts = chatTexts(context.locale);
  const taken = queue.remove(position);
  if (taken.length === 0) voice.complain(texts.noSuchLine(queue.count));
  for (const message of taken) {
    draft.putBack(message.attachments);
    voice.say(texts.unqueued(describeMessage(message)));
  }
}
