import { StringDecoder } from 'node:string_decoder';

const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';
/** A lone Escape looks like the beginning of another key: it is one when nothing follows. */
const KEY_END_MS = 40;
/** A paste whose end was lost must not swallow every key for ever. */
const PASTE_END_MS = 3000;

/** A key that sends a sequence (arrows, function keys), an Escape with a letter, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the keys.
const KEY = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\u001b[O])|[\s\S]/gu;
/** What may go on as a sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the keys.
const UNFINISHED_KEY = /\u001b(?:\[[0-?]*[ -/]*|O)?$/u;

/** What the chat does with the keyboard. */
export interface InputHandlers {
  /** One key, as the terminal sends it: a character, a control character, or an escape sequence. */
  onKey(key: string): void;
  /** A bracketed paste, whole. */
  onPaste(text: string): void;
  /** The keyboard is gone. */
  onEnd(): void;
}

/** Where keys come from. */
export interface Keyboard extends NodeJS.ReadableStream {
  setRawMode?(mode: boolean): unknown;
}

/** Takes a keyboard's bytes apart into keys and pastes, wherever they are cut. */
export class TerminalInput {
  readonly #keyboard: Keyboard;
  readonly #handlers: InputHandlers;
  #decoder = new StringDecoder('utf8');
  #rest = '';
  #isPaste = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(keyboard: Keyboard, handlers: InputHandlers) {
    this.#keyboard = keyboard;
    this.#handlers = handlers;
  }

  /** Begins to read keys, without echo. */
  open(): void {
    this.#keyboard.setRawMode?.(true);
    this.#keyboard.on('data', this.#take);
    this.#keyboard.on('end', this.#end);
    this.#keyboard.resume();
  }

  /** Leaves the keyboard as it was. May be opened again. */
  close(): void {
    clearTimeout(this.#timer);
    this.#keyboard.removeListener('data', this.#take);
    this.#keyboard.removeListener('end', this.#end);
    try {
      this.#keyboard.setRawMode?.(false);
    } catch {
      // The terminal is gone (EIO): there is nothing left to be put back.
    }
    this.#keyboard.pause();
  }

  readonly #end = (): void => {
    this.#finishRest();
    this.#handlers.onEnd();
  };

  readonly #take = (chunk: Buffer | string): void => {
    clearTimeout(this.#timer);
    let text = this.#rest + (typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
    this.#rest = '';
    while (text !== '') text = this.#isPaste ? this.#takePaste(text) : this.#takeKeys(text);
    if (this.#isPaste || this.#rest !== '') {
      this.#timer = setTimeout(() => this.#finishRest(), this.#isPaste ? PASTE_END_MS : KEY_END_MS);
    }
  };

  /** Returns what comes behind the beginning of a paste. */
  #takeKeys(text: string): string {
    const start = text.indexOf(PASTE_START);
    const keys = start === -1 ? text : text.slice(0, start);
    const unfinished = start === -1 ? (UNFINISHED_KEY.exec(keys)?.[0].length ?? 0) : 0;
    this.#rest = keys.slice(keys.length - unfinished);
    for (const [key] of keys.slice(0, keys.length - unfinished).matchAll(KEY)) this.#handlers.onKey(key);
    if (start === -1) return '';
    this.#isPaste = true;
    return text.slice(start + PASTE_START.length);
  }

  /** Returns what comes behind the end of the paste. */
  #takePaste(text: string): string {
    const end = text.indexOf(PASTE_END);
    if (end === -1) {
      this.#rest = text;
      return '';
    }
    this.#isPaste = false;
    this.#handlers.onPaste(text.slice(0, end));
    return text.slice(end + PASTE_END.length);
  }

  /** Nothing followed: a paste ends here, an Escape was one, the beginning of any other sequence is none. */
  #finishRest(): void {
    clearTimeout(this.#timer);
    const rest = this.#rest;
    this.#rest = '';
    if (this.#isPaste) {
      this.#isPaste = false;
      this.#handlers.onPaste(rest);
    } else if (rest === '\u001b') this.#handlers.onKey(rest);
  }
}
