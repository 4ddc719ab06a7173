import { styleText } from 'node:util';
import type { AppError } from '@fovea/core/base';
import type { CommandContext } from '../command-context.ts';
import { errorLine } from '../error-texts.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';

/** What the chat itself says, on lines of its own. */
export class Voice {
  readonly #print: (lines: string) => void;
  readonly #context: CommandContext;

  /** `print` puts lines above whatever is being drawn; each has its line feed. */
  constructor(print: (lines: string) => void, context: CommandContext) {
    this.#print = print;
    this.#context = context;
  }

  say(text: string, style?: 'red' | 'dim'): void {
    const line = sanitizeForTerminal(text);
    const isStyled = this.#context.hasColors && style !== undefined;
    this.#print(`${isStyled ? styleText(style, line, { validateStream: false }) : line}\n`);
  }

  complain(text: string): void {
    this.say(text, 'red');
  }

  complainOf(error: AppError): void {
    const { errorPrefix, colon } = this.#context.texts;
    this.complain(`${errorPrefix}${colon}${errorLine(error, this.#context.locale)}`);
  }
}
