import type { Session } from '@fovea/core/content';
import type { Fovea, ModelChoice } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { chatTexts } from './chat-texts.ts';
import { Composer } from './composer.ts';
import type { Conversation } from './conversation.ts';
import { Draft } from './draft.ts';
import { DraftPictures } from './draft-pictures.ts';
import { readHistory } from './history-file.ts';
import { LineEditor } from './line-editor.ts';
import { describeMessage, MessageQueue } from './message-queue.ts';
import { MessageWork } from './message-work.ts';
import { openingLines } from './opening-lines.ts';
import { PromptLine } from './prompt-line.ts';
import { RawTerminal } from './raw-terminal.ts';
import { isAboutDraft, parseSlashCommand } from './slash-command.ts';
import type { Terminal } from './terminal.ts';
import { Voice } from './voice.ts';
import { WaitingMessages } from './waiting-messages.ts';

const ESCAPE = '\u001b';
const CONTROL_C = '\u0003';
const UP: ReadonlySet<string> = new Set(['\u001b[A', '\u001bOA', '\u0010']);

export interface ChatOptions {
  readonly terminal: Terminal;
  readonly fovea: Fovea;
  readonly context: CommandContext;
  /** Absolute path. */
  readonly workspace: string;
  readonly homeFolder: string;
  readonly model: ModelChoice;
  /** The session to go on with; a new one begins with the first message otherwise. */
  readonly session?: Session;
  /** Where the lines that were typed are kept; absent: nowhere. */
  readonly historyFile?: string;
}

/** The conversation in a terminal, from the first prompt to the farewell. */
export class Chat {
  readonly #options: ChatOptions;
  readonly #terminal: RawTerminal;
  readonly #conversation: Conversation;
  readonly #composer: Composer;
  readonly #work: MessageWork;
  readonly #prompt: PromptLine;
  readonly #left: Promise<void>;
  #leave: () => void = () => undefined;
  #isLeft = false;
  #mayLeave = false;
  #isRedrawing = false;

  /** `history` holds earlier lines, oldest first. */
  constructor(options: ChatOptions, history: readonly string[]) {
    this.#options = options;
    const { terminal, context } = options;
    const voice = new Voice((lines) => this.#print(lines), context);
    const draft = new Draft();
    const editor = new LineEditor(history);
    this.#conversation = {
      ...options,
      voice,
      draft,
      editor,
      pictures: new DraftPictures({ ...options, voice, draft }),
      waiting: new WaitingMessages(options.fovea, new MessageQueue()),
      approver: { decide: (request, signal) => this.#work.approver.decide(request, signal) },
      steer: (text) => this.#steer(text),
      attend: () => this.#work.attend(),
      goOn: () => this.#work.goOn(),
      session: options.session,
      listedSessions: [],
      greet: () => this.#greet(),
      leave: () => this.#leave(),
    };
    this.#composer = new Composer(this.#conversation, () => this.#redraw());
    this.#work = new MessageWork({
      chat: this.#conversation,
      composer: this.#composer,
      ...(options.historyFile !== undefined && { historyFile: options.historyFile }),
      statusText: () => this.#statusText(),
      onIdle: () => this.#redraw(),
    });
    this.#prompt = new PromptLine(terminal, editor);
    this.#left = new Promise((resolve) => {
      this.#leave = () => {
        this.#isLeft = true;
        void this.#work.end();
        resolve();
      };
    });
    this.#terminal = new RawTerminal(terminal, {
      onKey: (key) => this.#takeKey(key),
      onPaste: (text) => this.#composer.inOrder(() => this.#takePaste(text)),
      onEnd: () => this.#leave(),
    });
  }

  /** Opens a conversation with the history of its file. */
  static async open(options: ChatOptions): Promise<Chat> {
    const { historyFile } = options;
    return new Chat(options, historyFile === undefined ? [] : await readHistory(historyFile));
  }

  /** Runs until the user leaves. */
  async run(): Promise<ExitCode> {
    const { terminal, context } = this.#options;
    const redraw = (): void => this.#redraw();
    this.#terminal.open();
    terminal.output.on('resize', redraw);
    context.signal.addEventListener('abort', this.#leave, { once: true });
    try {
      if (context.signal.aborted) this.#leave();
      else void this.#composer.occupy(() => this.#begin());
      await this.#left;
      // The keyboard is a shell's again: whoever waits for something that does not end can press Ctrl+C.
      this.#closeTerminal();
      await this.#work.end();
    } finally {
      this.#closeTerminal();
      terminal.output.removeListener('resize', redraw);
      context.signal.removeEventListener('abort', this.#leave);
    }
    this.#sayFarewell();
    return context.signal.aborted ? exitCodes.interrupted : exitCodes.done;
  }

  #closeTerminal(): void {
    this.#prompt.hide();
    this.#terminal.close();
  }

  #takeKey(key: string): void {
    if (key === CONTROL_C) this.#interrupt();
    else if (key === ESCAPE && this.#work.running !== undefined) this.#work.running.stop();
    else {
      this.#composer.inOrder(() => {
        if (!this.#isLeft) this.#press(key);
      });
    }
  }

  #press(key: string): void {
    const { editor, waiting } = this.#conversation;
    this.#mayLeave = false;
    if (this.#work.running?.takeKey(key) === true) return;
    const isEmpty = editor.text === '';
    if (key === '\r' || key === '\n') this.#enter();
    else if (key === '\t') this.#composer.complete();
    else if (key === '\u0016') this.#composer.pasteFromClipboard();
    else if (key === '\u0004' && isEmpty) this.#leaveWhenIdle();
    else if (key === '\u000c') this.#clearScreen();
    else if (key === '\u001a') void this.#suspend();
    else if (UP.has(key) && isEmpty && waiting.count > 0) this.#recall();
    else editor.press(key);
    this.#redraw();
  }

  #takePaste(text: string): void {
    this.#mayLeave = false;
    if (this.#work.running?.takePaste(text) !== true) this.#composer.paste(text);
    this.#redraw();
  }

  /** Ctrl+C: stops an answer; clears the line; leaves when it is pressed again. */
  #interrupt(): void {
    const { editor, voice } = this.#conversation;
    const isStopping = this.#work.running?.signal.aborted;
    if (isStopping === true || (isStopping === undefined && editor.text === '' && this.#mayLeave)) this.#leave();
    else if (isStopping === false) this.#work.running?.stop();
    else if (editor.text !== '') editor.clear();
    else {
      this.#mayLeave = true;
      voice.say(this.#options.context.texts.chatPressAgain);
    }
    this.#redraw();
  }

  #enter(): void {
    const { editor, voice } = this.#conversation;
    const command = parseSlashCommand(editor.text);
    const shown = `${this.#promptText()}${editor.text}`;
    editor.remember(editor.text);
    if (command !== undefined && isAboutDraft(command)) {
      const line = editor.take();
      if (this.#work.isActive) voice.say(`› ${line}`);
      else this.#prompt.finish(shown);
      void this.#composer.occupy(() => this.#work.obeyNow(command, line));
      return;
    }
    // Pictures go with the next message, not with a command before it.
    const message = command === undefined ? this.#composer.takeMessage() : { line: editor.take(), attachments: [] };
    const isActive = this.#work.isActive;
    if (isActive && message === undefined) return;
    if (!isActive) this.#prompt.finish(shown);
    if (message === undefined) void this.#composer.occupy(() => this.#work.goOn());
    else this.#work.enter(message);
    if (isActive && message !== undefined && this.#terminal.isPlain) {
      voice.say(`${this.#promptText()}${describeMessage(message)}`);
    }
  }

  /** Takes the last message back that waits, to edit it. */
  #recall(): void {
    const { waiting, voice, context } = this.#conversation;
    void this.#composer.occupy(async () => {
      await this.#work.settle();
      const entry = waiting.entries.at(-1);
      if (entry === undefined) return;
      if (entry.kind === 'queued' && entry.item.imageInputs.length > 0 && !waiting.isOwn(entry.item.turnId)) {
        voice.complain(chatTexts(context.locale).picturesStay);
        return;
      }
      this.#composer.putBack(await waiting.take(entry));
    });
  }

  #steer(text: string): void {
    const { draft, voice, context } = this.#conversation;
    const message = { line: text, attachments: draft.take() };
    if (this.#work.isActive) voice.say(chatTexts(context.locale).steered(describeMessage(message)));
    this.#work.submit(message, { isShown: false, intent: this.#work.isActive ? 'steer' : 'follow-up' });
  }

  #leaveWhenIdle(): void {
    if (!this.#work.isActive) this.#leave();
  }

  #clearScreen(): void {
    if (this.#work.isActive) return;
    this.#prompt.hide();
    this.#terminal.clearScreen();
  }

  async #suspend(): Promise<void> {
    if (this.#work.isActive) return;
    this.#prompt.hide();
    await this.#terminal.suspend();
    this.#redraw();
  }

  async #begin(): Promise<void> {
    await this.#work.attend();
    await this.#greet();
    await this.#work.look();
  }

  async #greet(): Promise<void> {
    const { waiting } = this.#conversation;
    for (const line of await openingLines({ ...this.#conversation, queue: waiting.snapshot })) {
      this.#conversation.voice.say(line.text, line.isDim ? 'dim' : undefined);
    }
  }

  /** What was not sent must not vanish without a word. */
  #sayFarewell(): void {
    const { session, voice, waiting, editor } = this.#conversation;
    for (const entry of waiting.entries) {
      if (entry.kind === 'queued') voice.say(this.#chatTexts.stillWaits(waiting.describe(entry.item)));
    }
    const unsent = [...waiting.local.messages.map((message) => describeMessage(message)), editor.text];
    for (const line of unsent) if (line.trim() !== '') voice.say(this.#chatTexts.notSent(line));
    if (session !== undefined) voice.say(this.#options.context.texts.chatBye(session.id));
  }

  #print(lines: string): void {
    const display = this.#work.running?.display;
    if (display !== undefined) {
      display.say(lines);
      return;
    }
    this.#prompt.hide();
    this.#options.terminal.output.write(lines);
  }

  /** Draws what the user types, once for all keys that came together. */
  #redraw(): void {
    if (this.#isRedrawing) return;
    this.#isRedrawing = true;
    queueMicrotask(() => {
      this.#isRedrawing = false;
      this.#drawLine();
    });
  }

  /** Below the answer, or as the prompt; nothing while a command is obeyed. */
  #drawLine(): void {
    if (this.#work.running !== undefined) this.#work.running.display?.refresh();
    else if (!this.#work.isActive && !this.#isLeft && !this.#composer.isOccupied) this.#prompt.draw(this.#promptText());
  }

  #promptText(): string {
    return `${this.#statusText()}› `;
  }

  /** How many messages wait, and the pictures that go with the next one. */
  #statusText(): string {
    const { draft, waiting } = this.#conversation;
    const count = Math.max(0, waiting.count - (this.#work.isBeginning ? 1 : 0));
    return `${count === 0 ? '' : `${this.#chatTexts.queuedCount(count)} `}${draft.attachments.map(({ path }) => `[${path}] `).join('')}`;
  }

  get #chatTexts(): ReturnType<typeof chatTexts> {
    return chatTexts(this.#options.context.locale);
  }
}
