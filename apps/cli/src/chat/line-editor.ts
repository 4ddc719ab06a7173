import { firstCharacter, lastCharacter } from '../render/characters.ts';

/** What terminals send for keys that edit. */
const keysOf = {
  left: ['\u001b[D', '\u001bOD', '\u0002'],
  right: ['\u001b[C', '\u001bOC', '\u0006'],
  'word-left': ['\u001b[1;5D', '\u001b[1;3D', '\u001bb'],
  'word-right': ['\u001b[1;5C', '\u001b[1;3C', '\u001bf'],
  start: ['\u001b[H', '\u001bOH', '\u001b[1~', '\u001b[7~', '\u0001'],
  end: ['\u001b[F', '\u001bOF', '\u001b[4~', '\u001b[8~', '\u0005'],
  'delete-left': ['\u007f', '\b'],
  'delete-right': ['\u001b[3~', '\u0004'],
  'cut-word-left': ['\u0017', '\u001b\u007f'],
  'cut-word-right': ['\u001bd'],
  'cut-left': ['\u0015'],
  'cut-right': ['\u000b'],
  'put-back': ['\u0019'],
  earlier: ['\u001b[A', '\u001bOA', '\u0010'],
  later: ['\u001b[B', '\u001bOB', '\u000e'],
} as const;

type EditAction = keyof typeof keysOf;

const actionNames = Object.keys(keysOf) as readonly EditAction[];

function findAction(key: string): EditAction | undefined {
  return actionNames.find((name) => keysOf[name].some((one) => one === key));
}

/**
 * The line that is being typed, in every state of the conversation: characters are what a reader
 * takes for one, emoji and letters with marks included. Holds no screen.
 */
export class LineEditor {
  #left = '';
  #right = '';
  #cut = '';
  /** Oldest first. */
  readonly #history: string[];
  /** While earlier lines are looked at: they and the present one, with what was changed in them. */
  #browsed: string[] | undefined;
  #position = 0;

  readonly #edits: Readonly<Record<EditAction, () => void>> = {
    left: () => this.#move(this.#left.length - lastCharacter(this.#left).length),
    right: () => this.#move(this.#left.length + firstCharacter(this.#right).length),
    'word-left': () => this.#move(this.#left.length - lastWord(this.#left).length),
    'word-right': () => this.#move(this.#left.length + firstWord(this.#right).length),
    start: () => this.#move(0),
    end: () => this.#move(this.text.length),
    'delete-left': () => this.replaceLeft(lastCharacter(this.#left).length, ''),
    'delete-right': () => {
      this.#right = this.#right.slice(firstCharacter(this.#right).length);
    },
    'cut-word-left': () => this.#cutLeft(lastWord(this.#left).length),
    'cut-word-right': () => this.#cutRight(firstWord(this.#right).length),
    'cut-left': () => this.#cutLeft(this.#left.length),
    'cut-right': () => this.#cutRight(this.#right.length),
    'put-back': () => this.insert(this.#cut),
    earlier: () => this.#browse(-1),
    later: () => this.#browse(1),
  };

  constructor(history: readonly string[] = []) {
    this.#history = [...new Set([...history].reverse())].reverse();
  }

  get text(): string {
    return this.#left + this.#right;
  }

  /** Number of UTF-16 units before the cursor. */
  get cursor(): number {
    return this.#left.length;
  }

  /** Puts text at the cursor. */
  insert(text: string): void {
    this.#left += text;
  }

  /** Puts text in the place of the last `length` units before the cursor. */
  replaceLeft(length: number, text: string): void {
    this.#left = this.#left.slice(0, this.#left.length - length) + text;
  }

  clear(): void {
    this.#set('');
    this.#browsed = undefined;
  }

  /** Takes the line out. */
  take(): string {
    const { text } = this;
    this.clear();
    return text;
  }

  /** A line that was entered can be called back. */
  remember(line: string): void {
    if (line.trim() === '') return;
    const former = this.#history.indexOf(line);
    if (former !== -1) this.#history.splice(former, 1);
    this.#history.push(line);
  }

  /** A character is added, a key that edits does so, every other changes nothing. */
  press(key: string): void {
    const action = key >= ' ' && key !== '\u007f' ? undefined : findAction(key);
    if (action !== undefined) this.#edits[action]();
    // Joiners and other invisible characters are part of what is typed; control characters are keys.
    else if (!/^[\p{Cc}\p{Cs}]/u.test(key)) this.insert(key);
  }

  #set(text: string): void {
    this.#left = text;
    this.#right = '';
  }

  #move(cursor: number): void {
    const { text } = this;
    this.#left = text.slice(0, cursor);
    this.#right = text.slice(cursor);
  }

  #cutLeft(length: number): void {
    if (length === 0) return;
    this.#cut = this.#left.slice(this.#left.length - length);
    this.#left = this.#left.slice(0, this.#left.length - length);
  }

  #cutRight(length: number): void {
    if (length === 0) return;
    this.#cut = this.#right.slice(0, length);
    this.#right = this.#right.slice(length);
  }

  /** What was changed in an earlier line, or not entered yet, is there again when one comes back to it. */
  #browse(step: -1 | 1): void {
    this.#browsed ??= this.#beginBrowsing();
    const wanted = this.#browsed[this.#position + step];
    if (wanted === undefined) return;
    this.#browsed[this.#position] = this.text;
    this.#position += step;
    this.#set(wanted);
  }

  #beginBrowsing(): string[] {
    this.#position = this.#history.length;
    return [...this.#history, this.text];
  }
}

function firstWord(text: string): string {
  return /^\s*\S*/.exec(text)?.[0] ?? '';
}

function lastWord(text: string): string {
  let start = text.trimEnd().length;
  while (start > 0 && !/\s/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start);
}
