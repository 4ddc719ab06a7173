import { homedir } from 'node:os';
import { undoLines } from '../render/undo-lines.ts';
import { sessionLine } from '../session-line.ts';
import { changeQueue, unqueue } from './change-queue.ts';
import { chatTexts } from './chat-texts.ts';
import type { Conversation } from './conversation.ts';
import { findEarlierSession, listEarlierSessions } from './find-earlier-session.ts';
import { describeEyes, findModel } from './find-model.ts';
import type { SlashCommand } from './slash-command.ts';
import { usageLines } from './usage-lines.ts';

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
      await chat.attend();
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
      await changeQueue(command, chat);
      break;
    case 'unqueue':
      await unqueue(command.position, chat);
      break;
    case 'steer':
      chat.steer(command.text);
      break;
    case 'wrong-queue':
      voice.complain(chatTexts(context.locale).queueUsage);
      break;
    case 'wrong-steer':
      voice.complain(chatTexts(context.locale).steerUsage);
      break;
    case 'wrong-detach':
      voice.complain(context.texts.chatNoSuchAttachment(chat.draft.attachments.length));
      break;
    case 'wrong-unqueue':
      voice.complain(chatTexts(context.locale).noSuchLine(chat.waiting.entries.length));
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
  await chat.attend();
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
