import type { Approver } from '@fovea/core/agent';
import type { Locale } from '@fovea/core/base';
import { cutToWidth } from '../render/cut-to-width.ts';
import type { TurnDisplay } from '../render/print-turn.ts';
import { sanitizeLine } from '../render/sanitize.ts';
import type { StatusRow } from '../render/waiting-line.ts';
import { approvalTexts } from './approval-texts.ts';
import { askApproval, type OpenQuestion } from './ask-approval.ts';
import { layOutRow } from './lay-out-line.ts';
import type { LineEditor } from './line-editor.ts';

/** So long nothing must have been typed before keys are taken for an answer to a question. */
const QUIET_MS = 600;

/** A key answers when so long nothing follows it: the first letter of a word is no answer. */
const LONE_KEY_MS = 300;

export interface RunningTurnOptions {
  /** What is being typed meanwhile. */
  readonly editor: LineEditor;
  readonly locale: Locale;
  /** What stands before the typed line: how many messages wait, and attached pictures. */
  readonly prompt: () => string;
  /** Rows cannot be drawn again: the keys of a question are printed. */
  readonly isPlain: boolean;
}

/**
 * The user's side of a turn that runs: questions are answered, Escape and Ctrl+C stop it.
 *
 * A question takes keys only while its keys are shown, and they are shown only when nothing has been
 * typed for a moment and the line is empty: whoever is typing a message must not answer what they
 * have not read. A key decides only when it stands alone; whatever else is typed is a message, and
 * the question waits until it is finished.
 */
export class RunningTurn {
  readonly #options: RunningTurnOptions;
  readonly #stop = new AbortController();
  #question: OpenQuestion | undefined;
  #isShown = false;
  #quietTimer: NodeJS.Timeout | undefined;
  /** A key that answers when nothing follows it. */
  #loneKey: { readonly key: string; readonly timer: NodeJS.Timeout } | undefined;
  display: TurnDisplay | undefined;

  constructor(options: RunningTurnOptions) {
    this.#options = options;
  }

  /** Aborted when the user stops the turn. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Asks the user. */
  readonly approver: Approver = {
    decide: (request, signal) =>
      askApproval(request, {
        signal,
        place: {
          locale: this.#options.locale,
          say: (line) => this.display?.say(`${line}\n`),
          open: (question) => this.#open(question),
        },
      }),
  };

  /** Gives a key to the question; `false` where it is part of what is being typed. */
  takeKey(key: string): boolean {
    const question = this.#shownQuestion();
    if (question === undefined) return false;
    const isTaken = this.#giveKey(key, question);
    if (!isTaken) this.#beginMessage();
    this.display?.refresh();
    return isTaken;
  }

  /** The same of a paste: where no text is asked for it is part of the line. */
  takePaste(text: string): boolean {
    if (this.#loneKey !== undefined) this.#beginMessage();
    const isTaken = this.#shownQuestion()?.insert(text) === true;
    if (!isTaken && this.#question !== undefined) {
      this.#isShown = false;
      this.#waitForQuiet();
    }
    this.display?.refresh();
    return isTaken;
  }

  /** The row below the answer: the question's keys, else how many wait and what is being typed, or how long it is silent. */
  footer(widthColumns: number, silence: string): StatusRow | undefined {
    if (this.#isShown && this.#question !== undefined) return this.#question.footer(widthColumns);
    const { editor, prompt, locale } = this.#options;
    const { text, cursor } = editor;
    const before = prompt();
    if (text === '' && (before === '' || silence !== '')) {
      return silence === '' ? undefined : { text: cutToWidth(sanitizeLine(`${before}${silence}`), widthColumns) };
    }
    const hint = this.#question !== undefined && text !== '' ? `${approvalTexts(locale).finishLine} ` : '';
    const row = layOutRow({ prompt: `${hint}${before}› `, text, cursor }, widthColumns);
    return { text: row.rows[0] ?? '', column: row.cursor.column };
  }

  /** `false` where the key begins a message, or makes one of the key before it. */
  #giveKey(key: string, question: OpenQuestion): boolean {
    const lone = this.#loneKey;
    // Enter behind a key that answers is meant for the question, too.
    if (lone !== undefined && isEnter(key)) this.#answer(lone.key, question);
    else if (lone !== undefined) return false;
    else if (question.isText) question.press(key);
    else if (!question.isAnswer(key)) return !isPrintable(key);
    else this.#loneKey = { key, timer: setTimeout(() => this.#answer(key, question), LONE_KEY_MS) };
    return true;
  }

  #answer(key: string, question: OpenQuestion): void {
    this.#forgetLoneKey();
    question.press(key);
    this.display?.refresh();
  }

  /** What was typed is a message: its first letter, too. The keys are shown again when it is finished. */
  #beginMessage(): void {
    if (this.#loneKey !== undefined) this.#options.editor.insert(this.#loneKey.key);
    this.#forgetLoneKey();
    this.#isShown = false;
    this.#waitForQuiet();
  }

  #forgetLoneKey(): void {
    clearTimeout(this.#loneKey?.timer);
    this.#loneKey = undefined;
  }

  #open(question: OpenQuestion | undefined): void {
    this.#forgetLoneKey();
    this.#question = question;
    this.#isShown = false;
    this.#waitForQuiet();
    this.display?.refresh();
  }

  /** The question, if keys are for it; if not, it waits on. */
  #shownQuestion(): OpenQuestion | undefined {
    if (this.#isShown) return this.#question;
    if (this.#question !== undefined) this.#waitForQuiet();
    return undefined;
  }

  #waitForQuiet(): void {
    clearTimeout(this.#quietTimer);
    if (this.#question !== undefined) this.#quietTimer = setTimeout(() => this.#show(), QUIET_MS);
  }

  #show(): void {
    if (this.#question === undefined || this.#options.editor.text !== '') return;
    this.#isShown = true;
    if (this.#options.isPlain) this.display?.say(`${approvalTexts(this.#options.locale).keys}\n`);
    this.display?.refresh();
  }
}

function isEnter(key: string): boolean {
  return key === '\r' || key === '\n';
}

/** Not a control character or the sequence of a key without a sign. */
function isPrintable(key: string): boolean {
  return key >= ' ' && !key.startsWith('\u007f');
}
