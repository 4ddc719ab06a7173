import { AppError, type Locale } from '@fovea/core/base';
import type { ApprovalRequestEvent } from '@fovea/core/content';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import { approvalTexts } from './approval-texts.ts';
import { editText, type RunningKeys } from './running-keys.ts';

/** Where a question is put. */
export interface QuestionPlace {
  readonly keys: Pick<RunningKeys, 'ask'>;
  readonly locale: Locale;
  /** Prints a line above the line of keys. */
  say(line: string): void;
  /** Shows the line of keys, or takes it away. */
  showKeys(line: string | undefined): void;
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
    const finish = (settle: () => void): void => {
      place.keys.ask(undefined);
      place.showKeys(undefined);
      signal.removeEventListener('abort', cancel);
      settle();
    };
    const decide = (decision: Decision, said: string): void =>
      finish(() => {
        place.say(`  ${said}`);
        resolve(decision);
      });
    const cancel = (): void => finish(() => reject(new AppError('CANCELED', 'the turn was stopped')));
    const askReason = (reason: string): void => {
      place.showKeys(`${texts.reason} › ${reason}`);
      place.keys.ask((key) => {
        if (key !== '\r' && key !== '\n') return askReason(editText(reason, key));
        decide({ decision: 'deny', ...(reason.trim() !== '' && { reason: reason.trim() }) }, texts.denied);
      });
    };
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    place.showKeys(texts.keys);
    place.keys.ask((key) => {
      switch (key.toLowerCase()) {
        case 'y':
          return decide({ decision: 'allow' }, texts.allowed);
        case 'a':
          return decide({ decision: 'allow', remember: 'session' }, texts.allowedForSession);
        case 'n':
          return askReason('');
      }
    });
  });
}
