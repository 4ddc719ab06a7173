import { toAppError } from '@fovea/core/base';
import { exitCodes } from '../exit-codes.ts';
import { chatTexts } from './chat-texts.ts';
import type { Composer } from './composer.ts';
import { addToHistory } from './history-file.ts';
import { describeMessage, type EnteredMessage } from './message-queue.ts';
import { type Conversation, obeyCommand } from './obey-command.ts';
import { RunningTurn } from './running-turn.ts';
import { sendMessage } from './send-message.ts';
import { parseSlashCommand, type SlashCommand } from './slash-command.ts';

export interface MessageWorkOptions {
  readonly chat: Conversation;
  readonly composer: Composer;
  /** Where the lines that were entered are kept; absent: nowhere. */
  readonly historyFile?: string;
  /** How many messages wait, and the pictures that go with the next one. */
  readonly statusText: () => string;
  readonly onIdle: () => void;
}

/** Deals with what was entered, one thing after the other: answers messages, obeys commands. */
export class MessageWork {
  readonly #options: MessageWorkOptions;
  #running: RunningTurn | undefined;
  #isActive = false;
  #isEnded = false;
  #done: Promise<void> = Promise.resolve();
  #toldWaiting = 0;

  constructor(options: MessageWorkOptions) {
    this.#options = options;
  }

  /** A message is being answered, or a command obeyed: what is entered waits. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** The turn that is being answered. */
  get running(): RunningTurn | undefined {
    return this.#running;
  }

  /** Deals with a message and then with what waits. */
  begin(first: EnteredMessage | undefined): void {
    this.#done = this.#workOff(first);
  }

  /** Stops what is done, and begins nothing more. Resolves when it is over. */
  end(): Promise<void> {
    this.#isEnded = true;
    this.#running?.stop();
    return this.#done;
  }

  /** Does what a command about the draft asks for, at once. */
  async obeyNow(command: SlashCommand, line: string): Promise<void> {
    await this.#keep(line);
    await obeyCommand(command, this.#options.chat);
  }

  /** Never throws. */
  async #workOff(first: EnteredMessage | undefined): Promise<void> {
    const { queue, voice, context } = this.#options.chat;
    this.#isActive = true;
    if (first !== undefined) await this.#deal(first);
    while (!this.#isEnded) {
      const next = queue.takeNext();
      if (next === undefined) break;
      voice.say(`› ${describeMessage(next)}`);
      await this.#deal(next);
    }
    this.#isActive = false;
    if (this.#isEnded) return;
    const isNews = queue.count > 0 && queue.count !== this.#toldWaiting;
    if (isNews) voice.say(chatTexts(context.locale).queuePaused(queue.count));
    this.#toldWaiting = queue.count;
    this.#options.onIdle();
  }

  async #deal(message: EnteredMessage): Promise<void> {
    const { chat } = this.#options;
    try {
      await this.#keep(message.line);
      const command = parseSlashCommand(message.line);
      if (command === undefined) await this.#send(message);
      else await obeyCommand(command, chat);
    } catch (error) {
      // Whatever went wrong, the conversation is still there.
      chat.voice.complainOf(toAppError(error));
    }
  }

  async #send(message: EnteredMessage): Promise<void> {
    const { chat, composer, statusText } = this.#options;
    const { editor, draft, queue, voice, context, terminal } = chat;
    const isPlain = terminal.isPlain === true;
    const running = new RunningTurn({ editor, locale: context.locale, prompt: statusText, isPlain });
    this.#running = running;
    if (this.#isEnded) running.stop();
    const exitCode = await sendMessage(message, { chat, running });
    this.#running = undefined;
    if (exitCode === exitCodes.refused && !this.#isEnded) {
      voice.say(context.texts.chatDraftKept);
      // Something else is being put together already: then it waits, before everything else.
      if (editor.text === '' && draft.attachments.length === 0) composer.putBack(message);
      else queue.putFirst(message);
    }
    if (exitCode !== exitCodes.done) queue.pause();
  }

  /** Earlier lines are there again in the next conversation, pasted texts as they were. */
  async #keep(line: string): Promise<void> {
    const { historyFile, chat } = this.#options;
    if (historyFile !== undefined) await addToHistory(historyFile, chat.draft.expand(line));
  }
}
