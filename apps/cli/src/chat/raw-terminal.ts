import type { Terminal } from './terminal.ts';
import { type InputHandlers, TerminalInput } from './terminal-input.ts';

const ENABLE_PASTE = '\u001b[?2004h';
/** Leaves a terminal as a shell wants it: a paste is typed again. */
export const DISABLE_PASTE = '\u001b[?2004l';
/** What was typed before keys were read stands there as an echo; it is drawn as the line in a moment. */
const CLEAR_ECHO = '\r\u001b[K';
const CLEAR_SCREEN = '\u001b[2J\u001b[H';

/** The terminal while it belongs to the chat: keys come one by one, pastes are marked. */
export class RawTerminal {
  readonly #terminal: Terminal;
  readonly #input: TerminalInput;
  #isOpen = false;

  constructor(terminal: Terminal, handlers: InputHandlers) {
    this.#terminal = terminal;
    this.#input = new TerminalInput(terminal.input, handlers);
  }

  get isPlain(): boolean {
    return this.#terminal.isPlain === true;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#input.open();
    if (!this.isPlain) this.#terminal.output.write(`${CLEAR_ECHO}${ENABLE_PASTE}`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#input.close();
    if (!this.isPlain) this.#terminal.output.write(DISABLE_PASTE);
  }

  clearScreen(): void {
    if (!this.isPlain) this.#terminal.output.write(CLEAR_SCREEN);
  }

  /** Gives the terminal to the shell until the user comes back. */
  async suspend(): Promise<void> {
    if (this.#terminal.suspend === undefined) return;
    this.close();
    await this.#terminal.suspend();
    this.open();
  }
}
