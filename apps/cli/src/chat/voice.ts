import { styleText } from 'node:util';
import type { AppError } from '@fovea/core/base';
import type { CommandContext } from '../command-context.ts';
import { errorLine } from '../error-texts.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';

/** What the chat itself says, on lines of its own. */
export class Voice {
  readonly #output: NodeJS.WritableStream;
  readonly #context: CommandContext;

  constructor(output: NodeJS.WritableStream, context: CommandContext) {
    this.#output = output;
    this.#context = context;
  }

  say(text: string, style?: 'red' | 'dim'): void {
    const line = sanitizeForTerminal(text);
    const styled = this.#context.hasColors && style !== undefined ? styleText(style, line) : line;
    this.#output.write(`\r\u001b[K${styled}\n`);
  }

  /** Lines that are styled already and hold nothing of a stranger. */
  sayPrepared(lines: readonly string[]): void {
    for (const line of lines) this.#output.write(`\r\u001b[K${line}\n`);
  }

  complain(text: string): void {
    this.say(text, 'red');
  }

  complainOf(error: AppError): void {
    const { errorPrefix, colon } = this.#context.texts;
    this.complain(`${errorPrefix}${colon}${errorLine(error, this.#context.locale)}`);
  }
}
