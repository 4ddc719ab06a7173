import { AppError, type Locale } from '@fovea/core/base';
import type { ApprovalRequestEvent } from '@fovea/core/content';
import { cutToWidth } from '../render/cut-to-width.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import type { StatusRow } from '../render/waiting-line.ts';
import { approvalTexts } from './approval-texts.ts';
import { layOutRow } from './lay-out-line.ts';
import { LineEditor } from './line-editor.ts';

/** A question whose keys are shown. */
export interface OpenQuestion {
  /** Whether a text is being typed as the answer; else single keys decide. */
  readonly isText: boolean;
  /** Whether the key decides. */
  isAnswer(key: string): boolean;
  press(key: string): void;
  /** A paste; `false` where no text is asked for. */
  insert(text: string): boolean;
  /** The keys, or what is being typed as an answer. */
  footer(widthColumns: number): StatusRow;
}

/** Where a question is put. */
export interface QuestionPlace {
  readonly locale: Locale;
  /** Prints a line above the row of keys. */
  say(line: string): void;
  /** Gives the keyboard to a question as soon as nothing else is being typed, or takes it away. */
  open(question: OpenQuestion | undefined): void;
}

type Decision = { decision: 'allow'; remember?: 'session' } | { decision: 'deny'; reason?: string };

/** How many lines of a command or path are shown; what runs is always shown whole, unless it is absurd. */
const MOST_TARGET_LINES = 60;

/**
 * Asks the user about one call: shows exactly what would happen, then waits for a key. Only the
 * keys that are named decide; every other changes nothing. Rejects with `CANCELED` when the turn is
 * stopped meanwhile.
 */
export function askApproval(
  request: ApprovalRequestEvent,
  { place, signal }: { readonly place: QuestionPlace; readonly signal: AbortSignal },
): Promise<Decision> {
  const texts = approvalTexts(place.locale);
  place.say(texts.question(request.name, request.demand));
  const lines = sanitizeForTerminal(request.target).split('\n');
  for (const line of lines.slice(0, MOST_TARGET_LINES)) place.say(`    ${line}`);
  if (lines.length > MOST_TARGET_LINES) place.say(`    … (+${lines.length - MOST_TARGET_LINES})`);
  if (request.isAfterForeignPicture) place.say(`  ${texts.afterForeignPicture}`);
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      place.open(undefined);
      signal.removeEventListener('abort', cancel);
    };
    const decide = (decision: Decision, said: string): void => {
      finish();
      place.say(`  ${said}`);
      resolve(decision);
    };
    const cancel = (): void => {
      finish();
      reject(new AppError('CANCELED', 'the turn was stopped'));
    };
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    place.open(createQuestion(decide, place.locale));
  });
}

function createQuestion(decide: (decision: Decision, said: string) => void, locale: Locale): OpenQuestion {
  const texts = approvalTexts(locale);
  let reason: LineEditor | undefined;
  const decideByKey = (key: string): void => {
    switch (key.toLowerCase()) {
      case 'y':
        decide({ decision: 'allow' }, texts.allowed);
        break;
      case 'a':
        decide({ decision: 'allow', remember: 'session' }, texts.allowedForSession);
        break;
      case 'n':
        reason = new LineEditor();
    }
  };
  return {
    get isText() {
      return reason !== undefined;
    },
    isAnswer: (key) => /^[yan]$/i.test(key),
    press(key) {
      if (reason === undefined) decideByKey(key);
      else if (key !== '\r' && key !== '\n') reason.press(key);
      else {
        const given = reason.text.trim();
        decide({ decision: 'deny', ...(given !== '' && { reason: given }) }, texts.denied);
      }
    },
    insert(text) {
      reason?.insert(text);
      return reason !== undefined;
    },
    footer(widthColumns) {
      if (reason === undefined) return { text: cutToWidth(texts.keys, widthColumns) };
      const { text, cursor } = reason;
      const { rows, cursor: place } = layOutRow({ prompt: `${texts.reason} › `, text, cursor }, widthColumns);
      return { text: rows[0] ?? '', column: place.column };
    },
  };
}
