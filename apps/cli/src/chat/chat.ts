import { createInterface, type Interface } from 'node:readline';
import { styleText } from 'node:util';
import { type AppError, formatBytes, type Refusal, type Result, toAppError } from '@fovea/core/base';
import { refusalText, type Session } from '@fovea/core/content';
import type { Fovea, ModelChoice } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { errorLine } from '../error-texts.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Screen } from '../render/markdown-stream.ts';
import { printTurn } from '../render/print-turn.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import { nearFileHint } from '../suggest-file-name.ts';
import { type AttachedFile, type AttachSurroundings, attachBytes, attachFile, findSource } from './attach-file.ts';
import { readClipboardPicture } from './clipboard-picture.ts';
import { Draft } from './draft.ts';
import { describeEyes, findModel } from './find-model.ts';
import { findTypedPaths } from './find-typed-paths.ts';
import { openingLines } from './opening-lines.ts';
import { parsePastedPaths } from './parse-pasted-paths.ts';
import { parseSlashCommand, type SlashCommand } from './slash-command.ts';
import { type Keyboard, TerminalInput } from './terminal-input.ts';

const ENABLE_PASTE = '\u001b[?2004h';
const DISABLE_PASTE = '\u001b[?2004l';
const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp|heic|avif|bmp|tiff?)$/i;

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
}

/** The conversation in a terminal, from the first prompt to the farewell. */
export class Chat {
  readonly #options: ChatOptions;
  readonly #draft = new Draft();
  readonly #input: TerminalInput;
  readonly #editor: Interface;
  #model: ModelChoice;
  #session: Session | undefined;
  #running: AbortController | undefined;
  #mayLeave = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#session = options.session;
    this.#input = new TerminalInput(options.terminal.input, {
      onPaste: (text) => this.#enqueue(() => this.#paste(text)),
      onPasteKey: () => this.#enqueue(() => this.#pasteFromClipboard()),
      onInterrupt: () => this.#stopTurn(),
    });
    options.terminal.input.pipe(this.#input);
    this.#editor = createInterface({ input: this.#input, output: options.terminal.output, terminal: true });
  }

  /** Runs until the user leaves. */
  async run(): Promise<ExitCode> {
    this.#options.terminal.output.write(ENABLE_PASTE);
    const closed = this.#untilClosed();
    this.#enqueue(() => this.#greet());
    try {
      await closed;
    } finally {
      this.#options.terminal.output.write(DISABLE_PASTE);
      this.#options.terminal.input.unpipe(this.#input);
      this.#options.terminal.input.pause();
    }
    if (this.#session !== undefined) this.#say(this.#texts.chatBye(this.#session.id));
    return exitCodes.done;
  }

  #untilClosed(): Promise<void> {
    this.#editor.on('line', (line) => this.#enqueue(() => this.#handleLine(line)));
    this.#editor.on('SIGINT', () => this.#interruptPrompt());
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#running?.abort();
        void this.#work.finally(resolve);
      };
      this.#editor.on('close', leave);
      this.#options.context.signal.addEventListener('abort', () => this.#editor.close(), { once: true });
    });
  }

  /** One thing after the other, in the order in which the user did them. */
  #enqueue(work: () => Promise<void> | void): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      // Whatever went wrong, the conversation is still there.
      this.#complainOf(toAppError(error));
      this.#prompt();
    });
  }

  async #handleLine(line: string): Promise<void> {
    this.#mayLeave = false;
    const command = parseSlashCommand(line);
    if (command !== undefined) await this.#obey(command);
    else if (line.trim() !== '' || this.#draft.attachments.length > 0) await this.#send(line);
    this.#prompt();
  }

  async #send(line: string): Promise<void> {
    const { fovea, context, workspace } = this.#options;
    this.#running = new AbortController();
    this.#input.hold();
    try {
      const session = await this.#ensureSession(fovea, workspace);
      const events = fovea.runTurn({
        sessionId: session.id,
        text: this.#draft.expand(line),
        attachments: this.#draft.attachments.map((file) => file.path),
        model: this.#model.id,
        signal: AbortSignal.any([this.#running.signal, context.signal]),
      });
      const exitCode = await printTurn(events, {
        output: this.#options.terminal.output,
        diagnostics: this.#options.terminal.output,
        locale: context.locale,
        hasColors: context.hasColors,
        stopSignal: this.#running.signal,
      });
      if (exitCode === exitCodes.refused) this.#keepDraft(line);
      else this.#draft.clear();
    } catch (error) {
      this.#complainOf(toAppError(error));
      this.#keepDraft(line);
    } finally {
      this.#running = undefined;
      this.#input.release();
    }
  }

  async #ensureSession(fovea: Fovea, workspace: string): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    const created = await fovea.createSession({ workspace, model: this.#model.id });
    if (!created.ok) throw created.error;
    this.#session = created.value;
    return created.value;
  }

  #keepDraft(line: string): void {
    this.#say(this.#texts.chatDraftKept);
    this.#editor.write(line);
  }

  async #obey(command: SlashCommand): Promise<void> {
    switch (command.kind) {
      case 'help':
        this.#say(this.#texts.chatHelp);
        break;
      case 'quit':
        this.#editor.close();
        break;
      case 'new':
        this.#session = undefined;
        this.#say(this.#texts.chatNewSession);
        break;
      case 'paste':
        await this.#pasteFromClipboard();
        break;
      case 'attach':
        await this.#attachTyped(command.paths);
        break;
      case 'detach':
        this.#detach(command.position);
        break;
      case 'model':
        await this.#chooseModel(command.name);
        break;
      case 'wrong-detach':
        this.#complain(this.#texts.chatNoSuchAttachment(this.#draft.attachments.length));
        break;
      case 'unknown':
        this.#complain(this.#texts.chatUnknownCommand(command.name, command.near));
        break;
    }
  }

  async #attachTyped(typed: string): Promise<void> {
    if (typed.trim() === '') {
      if (this.#draft.attachments.length === 0) this.#say(this.#texts.chatNothingAttached);
      for (const file of this.#draft.attachments) this.#sayAttached(file);
      return;
    }
    for (const path of await findTypedPaths(typed, this.#options)) await this.#attach(path);
  }

  async #attach(path: string): Promise<void> {
    const attached = this.#draft.findAttached(await findSource(path, this.#options.workspace));
    if (attached === undefined) await this.#accept(await attachFile(path, this.#surroundings));
    else this.#say(this.#texts.chatAttachedAlready(attached.path));
  }

  /** A paste is pictures when it names some; otherwise it is text for the line. */
  async #paste(text: string): Promise<void> {
    const paths = parsePastedPaths(text, this.#options).filter((path) => PICTURE_NAME.test(path));
    if (paths.length === 0) {
      this.#insert(text);
      return;
    }
    for (const path of paths) await this.#attach(path);
    this.#prompt();
  }

  #insert(text: string): void {
    const lines = text.replace(/\r\n?/g, '\n').split('\n');
    const line =
      lines.length === 1
        ? text
        : this.#draft.keepPastedText(this.#texts.chatPastedText(lines.length), lines.join('\n'));
    this.#editor.write(line);
  }

  async #pasteFromClipboard(): Promise<void> {
    const bytes = await readClipboardPicture();
    if (bytes === undefined) this.#complain(this.#texts.chatNoClipboard);
    else await this.#attachPasted(bytes);
    this.#prompt();
  }

  async #attachPasted(bytes: Uint8Array): Promise<void> {
    const attached = this.#draft.findAttached(await findSource(bytes, this.#options.workspace));
    if (attached === undefined) await this.#accept(await attachBytes(bytes, 'pasted.png', this.#surroundings));
    else this.#say(this.#texts.chatAttachedAlready(attached.path));
  }

  async #accept(attached: Result<AttachedFile, Refusal>): Promise<void> {
    if (!attached.ok) {
      const { code, name } = attached.error;
      const hint = code === 'NOT_FOUND' ? await nearFileHint(name, this.#surroundings) : '';
      this.#complain(`${refusalText(attached.error, this.#options.context.locale)}${hint}`);
      return;
    }
    this.#draft.attach(attached.value);
    this.#sayAttached(attached.value);
  }

  #sayAttached(file: AttachedFile): void {
    const { mediaType, widthPx, heightPx, sizeBytes } = file.inspection;
    this.#say(this.#texts.chatAttached(file.path, `${mediaType}, ${widthPx}×${heightPx}, ${formatBytes(sizeBytes)}`));
  }

  #detach(position: number | undefined): void {
    const taken = this.#draft.detach(position);
    if (taken.length === 0) {
      const count = this.#draft.attachments.length;
      if (count === 0) this.#say(this.#texts.chatNothingAttached);
      else this.#complain(this.#texts.chatNoSuchAttachment(count));
    }
    for (const file of taken) this.#say(this.#texts.chatDetached(file.path));
  }

  async #chooseModel(name: string | undefined): Promise<void> {
    const { fovea } = this.#options;
    if (name === undefined) {
      for (const choice of await fovea.listModels()) {
        const mark = choice.id === this.#model.id ? '*' : ' ';
        this.#say(`${mark} ${this.#texts.modelLine(choice.id, describeEyes(choice, this.#texts))}`);
      }
      return;
    }
    const choice = await findModel(name, fovea, this.#texts);
    if (!choice.ok) throw choice.error;
    this.#model = choice.value;
    this.#say(this.#texts.chatModelIs(choice.value.id, describeEyes(choice.value, this.#texts)));
  }

  #stopTurn(): void {
    this.#running?.abort();
  }

  #interruptPrompt(): void {
    if (this.#editor.line !== '') {
      this.#editor.write(null, { ctrl: true, name: 'u' });
      this.#mayLeave = false;
      return;
    }
    if (this.#mayLeave) {
      this.#editor.close();
      return;
    }
    this.#mayLeave = true;
    this.#options.terminal.output.write('\n');
    this.#say(this.#texts.chatPressAgain);
    this.#prompt();
  }

  async #greet(): Promise<void> {
    const { fovea, context, workspace, session } = this.#options;
    for (const line of await openingLines({ fovea, context, model: this.#model, workspace, session })) {
      this.#say(line.text, line.isDim ? 'dim' : undefined);
    }
    this.#prompt();
  }

  #prompt(): void {
    const names = this.#draft.attachments.map((file) => `[${sanitizeForTerminal(file.path)}] `).join('');
    this.#editor.setPrompt(`${names}› `);
    this.#editor.prompt(true);
  }

  #say(text: string, style?: 'red' | 'dim'): void {
    const line = sanitizeForTerminal(text);
    const styled = this.#options.context.hasColors && style !== undefined ? styleText(style, line) : line;
    this.#options.terminal.output.write(`\r\u001b[K${styled}\n`);
  }

  #complain(text: string): void {
    this.#say(text, 'red');
  }

  #complainOf(error: AppError): void {
    const { errorPrefix, colon } = this.#texts;
    this.#complain(`${errorPrefix}${colon}${errorLine(error, this.#options.context.locale)}`);
  }

  get #texts(): CommandContext['texts'] {
    return this.#options.context.texts;
  }

  get #surroundings(): AttachSurroundings {
    const { fovea, workspace, context } = this.#options;
    return { fovea, workspace, signal: context.signal, texts: context.texts };
  }
}
