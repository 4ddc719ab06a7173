import type { Approver } from '@fovea/core/agent';
import type { Locale } from '@fovea/core/base';
import stringWidth from 'string-width';
import type { TurnDisplay } from '../render/print-turn.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import { askApproval } from './ask-approval.ts';
import { chatTexts } from './chat-texts.ts';
import type { MessageQueue } from './message-queue.ts';
import { RunningKeys } from './running-keys.ts';

export interface RunningTurnOptions {
  readonly queue: MessageQueue;
  readonly locale: Locale;
  readonly columns: () => number | undefined;
}

/**
 * The user's side of a turn that runs: what is typed meanwhile is queued, questions are answered,
 * Escape and Ctrl+C stop it.
 */
export class RunningTurn {
  readonly #options: RunningTurnOptions;
  readonly #stop = new AbortController();
  readonly keys: RunningKeys;
  #keysLine: string | undefined;
  display: TurnDisplay | undefined;

  constructor(options: RunningTurnOptions) {
    this.#options = options;
    const { queue } = options;
    this.keys = new RunningKeys({
      onLine: (line) => {
        if (line.trim() !== '') queue.add(line);
      },
      onStop: () => this.#stop.abort(),
      onRecall: () => this.keys.insert(queue.takeLast() ?? ''),
      onChange: () => this.display?.refresh(),
    });
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
          keys: this.keys,
          locale: this.#locale,
          say: (line) => this.display?.say(line),
          showKeys: (line) => {
            this.#keysLine = line;
            this.display?.refresh();
          },
        },
      }),
  };

  /** The line below the answer: the question's keys, else how many wait and what is being typed. */
  footer(): string {
    if (this.#keysLine !== undefined) return this.#tail(this.#keysLine);
    const { count } = this.#options.queue;
    const queued = count === 0 ? '' : `${chatTexts(this.#locale).queuedCount(count)} `;
    const { text } = this.keys;
    return queued === '' && text === '' ? '' : this.#tail(`${queued}› ${text}`);
  }

  get #locale(): Locale {
    return this.#options.locale;
  }

  /** Where the line is too long, its end is what counts. */
  #tail(line: string): string {
    const widthColumns = (this.#options.columns() ?? 80) - 2;
    let shown = sanitizeForTerminal(line);
    if (stringWidth(shown) <= widthColumns) return shown;
    while (shown !== '' && stringWidth(shown) > widthColumns) shown = [...shown].slice(1).join('');
    return `…${shown}`;
  }
}
