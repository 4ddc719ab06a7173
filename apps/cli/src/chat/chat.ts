import { createInterface, type Interface } from 'node:readline';
import { toAppError } from '@fovea/core/base';
import type { Session } from '@fovea/core/content';
import type { Fovea, ModelChoice } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Screen } from '../render/markdown-stream.ts';
import { TurnDisplay } from '../render/print-turn.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import { chatTexts } from './chat-texts.ts';
import { completePath } from './complete-path.ts';
import { Draft } from './draft.ts';
import { DraftPictures } from './draft-pictures.ts';
import { addToHistory, readHistory } from './history-file.ts';
import { MessageQueue } from './message-queue.ts';
import { type Conversation, obeyCommand } from './obey-command.ts';
import { openingLines } from './opening-lines.ts';
import { RunningTurn } from './running-turn.ts';
import { parseSlashCommand } from './slash-command.ts';
import { type Keyboard, TerminalInput } from './terminal-input.ts';
import { Voice } from './voice.ts';

const ENABLE_PASTE = '\u001b[?2004h';
const DISABLE_PASTE = '\u001b[?2004l';
const HISTORY_SIZE = 1000;

/** The terminal of the conversation: `process.stdin` and `process.stdout`, or streams that act like them. */
export interface Terminal {
  readonly input: Keyboard;
  readonly output: NodeJS.WritableStream & Screen & { readonly isTTY?: boolean };
}

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
  readonly #input: TerminalInput;
  readonly #conversation: Conversation;
  #editor: Interface | undefined;
  #running: RunningTurn | undefined;
  #mayLeave = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: ChatOptions) {
    this.#options = options;
    const { terminal, context } = options;
    const voice = new Voice(terminal.output, context);
    const draft = new Draft();
    this.#conversation = {
      ...options,
      voice,
      draft,
      pictures: new DraftPictures({ ...options, voice, draft }),
      queue: new MessageQueue(),
      session: options.session,
      greet: () => this.#greet(),
      leave: () => this.#editor?.close(),
    };
    this.#input = new TerminalInput(terminal.input, {
      onPaste: (text) => this.#takePaste(text),
      onPasteKey: () => this.#enqueue(() => this.#pasteFromClipboard()),
      onHeldKeys: (keys) => this.#running?.keys.feed(keys),
    });
  }

  /** Runs until the user leaves. */
  async run(): Promise<ExitCode> {
    const { terminal, historyFile, workspace } = this.#options;
    const history = historyFile === undefined ? [] : await readHistory(historyFile);
    terminal.input.pipe(this.#input);
    const editor = createInterface({
      input: this.#input,
      output: terminal.output,
      terminal: true,
      history: [...history].reverse(),
      historySize: HISTORY_SIZE,
      removeHistoryDuplicates: true,
      completer: (line: string, done: (error: Error | null, result: [string[], string]) => void) => {
        completePath(line, workspace).then(
          (result) => done(null, result),
          () => done(null, [[], line]),
        );
      },
    });
    this.#editor = editor;
    terminal.output.write(ENABLE_PASTE);
    const closed = this.#untilClosed(editor);
    this.#enqueue(async () => {
      await this.#greet();
      this.#prompt();
    });
    try {
      await closed;
    } finally {
      terminal.output.write(DISABLE_PASTE);
      terminal.input.unpipe(this.#input);
      terminal.input.pause();
    }
    const { session, voice } = this.#conversation;
    if (session !== undefined) voice.say(this.#texts.chatBye(session.id));
    return exitCodes.done;
  }

  #untilClosed(editor: Interface): Promise<void> {
    editor.on('line', (line) => this.#enqueue(() => this.#handleLine(line)));
    editor.on('SIGINT', () => this.#interruptPrompt(editor));
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#running?.stop();
        void this.#work.finally(resolve);
      };
      editor.on('close', leave);
      this.#options.context.signal.addEventListener('abort', () => editor.close(), { once: true });
    });
  }

  /** One thing after the other, in the order in which the user did them. */
  #enqueue(work: () => Promise<void> | void): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      // Whatever went wrong, the conversation is still there.
      this.#conversation.voice.complainOf(toAppError(error));
      this.#prompt();
    });
  }

  async #handleLine(line: string): Promise<void> {
    this.#mayLeave = false;
    await this.#takeLine(line);
    const { queue } = this.#conversation;
    for (let next = queue.takeNext(); next !== undefined; next = queue.takeNext()) {
      this.#options.terminal.output.write(`\r\u001b[K› ${sanitizeForTerminal(next)}\n`);
      await this.#takeLine(next);
    }
    this.#prompt();
  }

  async #takeLine(line: string): Promise<void> {
    const { draft, queue } = this.#conversation;
    const { historyFile } = this.#options;
    if (historyFile !== undefined) await addToHistory(historyFile, line);
    const command = parseSlashCommand(line);
    if (command !== undefined) await obeyCommand(command, this.#conversation);
    else if (line.trim() !== '' || draft.attachments.length > 0) await this.#send(line);
    else queue.resume();
  }

  async #send(line: string): Promise<void> {
    const { fovea, context, terminal } = this.#options;
    const { draft, queue, model, voice } = this.#conversation;
    const { locale, hasColors } = context;
    const running = new RunningTurn({ queue, locale, columns: () => terminal.output.columns });
    this.#running = running;
    this.#input.hold();
    let exitCode: ExitCode = exitCodes.turnFailed;
    try {
      const session = await this.#ensureSession();
      const events = fovea.runTurn({
        sessionId: session.id,
        text: draft.expand(line),
        attachments: draft.attachments.map((file) => file.path),
        model: model.id,
        signal: AbortSignal.any([running.signal, context.signal]),
        approver: running.approver,
      });
      running.display = new TurnDisplay({
        output: terminal.output,
        diagnostics: terminal.output,
        locale,
        hasColors,
        stopSignal: running.signal,
        footer: () => running.footer(),
      });
      exitCode = await running.display.print(events);
      if (exitCode === exitCodes.refused) this.#keepDraft(line);
      else draft.clear();
    } catch (error) {
      voice.complainOf(toAppError(error));
      this.#keepDraft(line);
    } finally {
      this.#running = undefined;
      this.#input.release(running.keys.take());
    }
    if (exitCode === exitCodes.done || queue.count === 0) return;
    queue.pause();
    voice.say(chatTexts(locale).queuePaused(queue.count));
  }

  async #ensureSession(): Promise<Session> {
    const conversation = this.#conversation;
    if (conversation.session !== undefined) return conversation.session;
    const { fovea, workspace, model } = conversation;
    const created = await fovea.createSession({ workspace, model: model.id });
    if (!created.ok) throw created.error;
    conversation.session = created.value;
    return created.value;
  }

  #keepDraft(line: string): void {
    this.#conversation.voice.say(this.#texts.chatDraftKept);
    this.#editor?.write(line);
  }

  /** One line of text goes where the user is typing; everything else waits for its turn. */
  #takePaste(text: string): void {
    const isShortText = !/[\r\n]/.test(text) && this.#conversation.pictures.pathsIn(text).length === 0;
    if (this.#running !== undefined && isShortText) this.#running.keys.insert(text);
    else this.#enqueue(() => this.#paste(text));
  }

  /** A paste is pictures when it names some; otherwise it is text for the line. */
  async #paste(text: string): Promise<void> {
    const { pictures } = this.#conversation;
    const paths = pictures.pathsIn(text);
    if (paths.length === 0) {
      this.#insert(text);
      return;
    }
    for (const path of paths) await pictures.attach(path);
    this.#prompt();
  }

  #insert(text: string): void {
    const lines = text.replace(/\r\n?/g, '\n').split('\n');
    const { draft } = this.#conversation;
    const line =
      lines.length === 1 ? text : draft.keepPastedText(this.#texts.chatPastedText(lines.length), lines.join('\n'));
    this.#editor?.write(line);
  }

  async #pasteFromClipboard(): Promise<void> {
    await this.#conversation.pictures.attachClipboard();
    this.#prompt();
  }

  #interruptPrompt(editor: Interface): void {
    if (editor.line !== '') {
      editor.write(null, { ctrl: true, name: 'u' });
      this.#mayLeave = false;
      return;
    }
    if (this.#mayLeave) {
      editor.close();
      return;
    }
    this.#mayLeave = true;
    this.#options.terminal.output.write('\n');
    this.#conversation.voice.say(this.#texts.chatPressAgain);
    this.#prompt();
  }

  async #greet(): Promise<void> {
    for (const line of await openingLines(this.#conversation)) {
      this.#conversation.voice.say(line.text, line.isDim ? 'dim' : undefined);
    }
  }

  #prompt(): void {
    const { draft, queue } = this.#conversation;
    const names = draft.attachments.map((file) => `[${sanitizeForTerminal(file.path)}] `).join('');
    const waiting = queue.count === 0 ? '' : `${chatTexts(this.#options.context.locale).queuedCount(queue.count)} `;
    this.#editor?.setPrompt(`${waiting}${names}› `);
    this.#editor?.prompt(true);
  }

  get #texts(): CommandContext['texts'] {
    return this.#options.context.texts;
  }
}
