/** What keys mean while a turn runs. */
export interface RunningKeyHandlers {
  /** A line was entered. */
  onLine(line: string): void;
  /** Escape or Ctrl+C. */
  onStop(): void;
  /** Up on an empty line. */
  onRecall(): void;
  /** What is shown has to be drawn anew. */
  onChange(): void;
}

const CONTROL_C = '\u0003';
const CONTROL_U = '\u0015';
const CONTROL_W = '\u0017';
const ESCAPE = '\u001b';
/** A key that sends a sequence (arrows, function keys), an escape with a letter, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the keys.
const KEY = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|[^\u001b[O])|[\s\S]/gu;
const UP: ReadonlySet<string> = new Set(['\u001b[A', '\u001bOA']);
const graphemes = new Intl.Segmenter();

/**
 * A small line editor for what is typed while an answer is printed: the real one would write into
 * the middle of it. Knows characters, Backspace, Ctrl+U, Ctrl+W, Enter, Up, Escape and Ctrl+C; while
 * a question is open, single keys go to it.
 */
export class RunningKeys {
  readonly #handlers: RunningKeyHandlers;
  #text = '';
  #answerKey: ((key: string) => void) | undefined;

  constructor(handlers: RunningKeyHandlers) {
    this.#handlers = handlers;
  }

  /** What is typed and not entered yet. */
  get text(): string {
    return this.#text;
  }

  /** Puts text there as if it had been typed. */
  insert(text: string): void {
    this.#text += text;
    this.#handlers.onChange();
  }

  /** Takes out what was typed and not entered. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** Keys go to `answerKey` one by one, until it is called with `undefined`; what was typed stays. */
  ask(answerKey: ((key: string) => void) | undefined): void {
    this.#answerKey = answerKey;
  }

  /** `keys` as the terminal sent them; a lone Escape comes alone. */
  feed(keys: string): void {
    for (const [key] of keys.matchAll(KEY)) this.#press(key);
    this.#handlers.onChange();
  }

  #press(key: string): void {
    if (key === ESCAPE || key === CONTROL_C) {
      // What was typed before Ctrl+C belongs to what is given up.
      if (key === CONTROL_C) this.#text = '';
      this.#handlers.onStop();
    } else if (this.#answerKey !== undefined) this.#answerKey(key);
    else if (UP.has(key)) {
      if (this.#text === '') this.#handlers.onRecall();
    } else if (key === '\r' || key === '\n') this.#handlers.onLine(this.take());
    else this.#text = editText(this.#text, key);
  }
}

/** The text after a key: a character is added, an editing key takes away, every other changes nothing. */
export function editText(text: string, key: string): string {
  switch (key) {
    case '\u007f':
    case '\b':
      return [...graphemes.segment(text)]
        .slice(0, -1)
        .map(({ segment }) => segment)
        .join('');
    case CONTROL_U:
      return '';
    case CONTROL_W:
      return text.replace(/\S+\s*$/, '');
    default:
      return /^\p{C}/u.test(key) ? text : text + key;
  }
}
