import { Transform, type TransformCallback } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';
const CONTROL_V = '\u0016';
const FLUSH_MS = 30;

/** What the chat does with the parts of the input that the line editor must not see. */
export interface InputHandlers {
  /** A bracketed paste, whole. */
  onPaste(text: string): void;
  /** Ctrl+V, which terminals send when the clipboard holds no text. */
  onPasteKey(): void;
  /** Keys while the line editor is held; a lone Escape comes alone. */
  onHeldKeys(keys: string): void;
}

/** A keyboard as the line editor wants it. */
export interface Keyboard extends NodeJS.ReadableStream {
  setRawMode?(mode: boolean): unknown;
}

/**
 * Stands between the keyboard and the line editor: takes pastes and Ctrl+V out of the stream of
 * keys and hands everything else through unchanged.
 */
export class TerminalInput extends Transform {
  readonly isTTY = true;
  readonly #keyboard: Keyboard;
  readonly #handlers: InputHandlers;
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #paste: string | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #isHeld = false;

  constructor(keyboard: Keyboard, handlers: InputHandlers) {
    super();
    this.#keyboard = keyboard;
    this.#handlers = handlers;
  }

  setRawMode(mode: boolean): this {
    this.#keyboard.setRawMode?.(mode);
    return this;
  }

  /** Keeps keys from the line editor while an answer is printed. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Gives the line editor its keys again, and first what was typed meanwhile. */
  release(typed: string): void {
    this.#isHeld = false;
    if (typed !== '') this.push(typed);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    clearTimeout(this.#flushTimer);
    this.#consume(this.#held + this.#decoder.write(chunk));
    // A lone Escape looks like the beginning of a paste: it goes on when nothing follows.
    if (this.#held !== '') this.#flushTimer = setTimeout(() => this.#flushHeld(), FLUSH_MS);
    done();
  }

  override _flush(done: TransformCallback): void {
    clearTimeout(this.#flushTimer);
    this.#flushHeld();
    done();
  }

  #flushHeld(): void {
    if (this.#held !== '' && this.#paste === undefined) this.#pushPiece(this.#held);
    if (this.#paste === undefined) this.#held = '';
  }

  #consume(text: string): void {
    let rest = text;
    this.#held = '';
    while (rest !== '') {
      rest = this.#paste === undefined ? this.#consumeKeys(rest) : this.#consumePaste(rest, this.#paste);
    }
  }

  #consumeKeys(text: string): string {
    const start = text.indexOf(PASTE_START);
    const keys = start === -1 ? text : text.slice(0, start);
    if (start !== -1) {
      this.#pushKeys(keys);
      this.#paste = '';
      return text.slice(start + PASTE_START.length);
    }
    const heldLength = lengthOfPartialMark(keys, PASTE_START);
    this.#pushKeys(keys.slice(0, keys.length - heldLength));
    this.#held = keys.slice(keys.length - heldLength);
    return '';
  }

  #consumePaste(text: string, before: string): string {
    const whole = before + text;
    const end = whole.indexOf(PASTE_END);
    if (end === -1) {
      this.#paste = whole;
      return '';
    }
    this.#paste = undefined;
    this.#handlers.onPaste(whole.slice(0, end));
    return whole.slice(end + PASTE_END.length);
  }

  #pushKeys(keys: string): void {
    const pieces = keys.split(CONTROL_V);
    pieces.forEach((piece, index) => {
      if (index > 0) this.#handlers.onPasteKey();
      if (piece !== '') this.#pushPiece(piece);
    });
  }

  #pushPiece(piece: string): void {
    if (this.#isHeld) this.#handlers.onHeldKeys(piece);
    else this.push(piece);
  }
}

/** How many characters at the end of `text` may be the beginning of `mark`. */
function lengthOfPartialMark(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}
