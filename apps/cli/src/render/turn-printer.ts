import { styleText } from 'node:util';
import type { Locale } from '@fovea/core/base';
import type { FileDiff, FoveaEvent } from '@fovea/core/content';
import { errorLine } from '../error-texts.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { cliTexts } from '../texts.ts';
import { diffLines } from './diff-lines.ts';
import { MarkdownStream } from './markdown-stream.ts';
import { sanitizeForTerminal } from './sanitize.ts';
import type { Screen } from './screen.ts';
import { lastLines, toolCallLine, toolResultLine } from './tool-lines.ts';
import { turnTexts } from './turn-texts.ts';
import type { StatusRow } from './waiting-line.ts';

/** Where a turn is printed: the answer on `output`, everything about it on `diagnostics`. */
export interface TurnPrinterOptions {
  readonly output: Screen & { readonly isTTY?: boolean };
  readonly diagnostics: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly locale: Locale;
  readonly hasColors: boolean;
  /** The terminal cannot move its cursor: nothing is drawn twice. */
  readonly isPlain?: boolean;
}

/** Prints the events of one turn for people and keeps the exit code that they mean. */
export class TurnPrinter {
  readonly #options: TurnPrinterOptions;
  readonly #markdown: MarkdownStream | undefined;
  /** Calls that ran a program: how its output ends is shown. */
  readonly #commands = new Set<string>();
  #isInText = false;
  /** What the running step has said, as far as it was printed. */
  #stepText = '';
  #endsWithLineFeed = true;
  exitCode: ExitCode = exitCodes.turnFailed;

  constructor(options: TurnPrinterOptions) {
    this.#options = options;
    this.#markdown =
      options.output.isTTY === true && options.isPlain !== true
        ? new MarkdownStream(options.output, { hasColors: options.hasColors })
        : undefined;
  }

  /** Whether rows are drawn again and again on this output. */
  get isLive(): boolean {
    return this.#markdown !== undefined;
  }

  print(event: FoveaEvent): void {
    if (event.type === 'text-delta') {
      this.#printText(event.text);
      return;
    }
    this.#printOther(event);
  }

  #printOther(event: Exclude<FoveaEvent, { type: 'text-delta' }>): void {
    switch (event.type) {
      case 'turn-refused':
        // A fault of the whole message stands at each of its items.
        for (const message of new Set(event.items.map((item) => item.message))) this.#note(message, 'red');
        this.exitCode = exitCodes.refused;
        break;
      case 'tool-call':
        this.endText();
        if (event.activity?.kind === 'RUN') this.#commands.add(event.toolCallId);
        this.#note(`• ${toolCallLine(event)}`, 'dim');
        break;
      case 'tool-result':
        this.#note(`  ${event.isError ? '✗' : '✓'} ${toolResultLine(event.result)}`, event.isError ? 'yellow' : 'dim');
        if (this.#commands.has(event.toolCallId)) for (const line of lastLines(event.result)) this.#note(line, 'dim');
        if (event.diff !== undefined) this.#printDiff(event.diff);
        break;
      case 'retry': {
        this.endText();
        const seconds = Math.ceil(event.delayMs / 1000);
        this.#note(`! ${turnTexts(this.#options.locale).retry({ ...event, seconds })}`, 'yellow');
        break;
      }
      case 'reference-notice':
      case 'image-notice':
        this.endText();
        this.#note(`! ${event.message}`, 'yellow');
        break;
      case 'step-snapshot':
        this.#printSnapshot(event.text);
        break;
      case 'step-end':
        this.endText();
        break;
      case 'turn-end':
        this.endText();
        this.#printEnd(event);
        break;
      case 'step-start':
        this.#stepText = '';
        break;
      case 'turn-accepted':
      case 'queue':
      case 'request':
      case 'request-end':
      case 'thinking-delta':
      case 'approval-request':
      case 'approval-result':
      case 'usage':
        break;
    }
  }

  /** A row below what has been printed; only in a terminal. */
  showStatus({ text, column }: StatusRow): void {
    const isDim = this.#options.hasColors && column === undefined;
    this.#markdown?.showStatus(isDim ? styleText('dim', text, { validateStream: false }) : text, column);
  }

  hideStatus(): void {
    this.#markdown?.hideStatus();
  }

  /** Says on a line of its own that the turn is being stopped. */
  printStopping(): void {
    this.endText();
    this.#note(cliTexts(this.#options.locale).chatStopping, 'dim');
  }

  /** Prepared lines of another kind in the middle of the answer, each with its line feed. */
  insertLines(lines: string): void {
    if (this.#markdown !== undefined) this.#markdown.insert(lines);
    else {
      this.endText();
      this.#options.diagnostics.write(lines);
    }
  }

  /** Ends the text that is being printed, so that other lines can follow. */
  endText(): void {
    if (!this.#isInText) return;
    this.#isInText = false;
    if (this.#markdown !== undefined) this.#markdown.end();
    else if (!this.#endsWithLineFeed) this.#options.output.write('\n');
    this.#endsWithLineFeed = true;
  }

  /** Whoever joins inside a step has missed its words; of a longer one what was not printed yet. */
  #printSnapshot(text: string): void {
    if (text.startsWith(this.#stepText)) {
      this.#printText(text.slice(this.#stepText.length));
      return;
    }
    this.endText();
    this.#stepText = '';
    this.#printText(text);
  }

  #printText(text: string): void {
    if (text === '') return;
    this.#stepText += text;
    this.#isInText = true;
    if (this.#markdown !== undefined) {
      this.#markdown.write(text);
      return;
    }
    // A pipe gets the answer as it is, a terminal nothing that steers it.
    const shown = this.#options.output.isTTY === true ? sanitizeForTerminal(text) : text;
    this.#options.output.write(shown);
    this.#endsWithLineFeed = text.endsWith('\n');
  }

  #printEnd(event: Extract<FoveaEvent, { type: 'turn-end' }>): void {
    const texts = cliTexts(this.#options.locale);
    switch (event.status) {
      case 'completed':
        this.exitCode = exitCodes.done;
        break;
      case 'stopped':
      case 'interrupted':
        this.#note(texts.interrupted, 'yellow');
        this.exitCode = exitCodes.interrupted;
        break;
      case 'failed':
        if (event.error !== undefined)
          this.#note(`${texts.errorPrefix}${texts.colon}${errorLine(event.error, this.#options.locale)}`, 'red');
        this.exitCode = exitCodes.turnFailed;
        break;
    }
  }

  #printDiff(diff: FileDiff): void {
    const options = { hasColors: this.#isStyled, texts: turnTexts(this.#options.locale) };
    for (const line of diffLines(diff, options)) this.#options.diagnostics.write(`${line}\n`);
  }

  get #isStyled(): boolean {
    return this.#options.hasColors && this.#options.diagnostics.isTTY === true;
  }

  #note(text: string, color: 'red' | 'yellow' | 'dim'): void {
    const line = sanitizeForTerminal(text);
    this.#options.diagnostics.write(`${this.#isStyled ? styleText(color, line, { validateStream: false }) : line}\n`);
  }
}
