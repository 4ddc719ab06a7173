import type { FoveaEvent } from '@fovea/core/content';
import type { ExitCode } from '../exit-codes.ts';
import { cliTexts } from '../texts.ts';
import { cutToWidth } from './cut-to-width.ts';
import { columnsOf } from './live-rows.ts';
import { sanitizeLine } from './sanitize.ts';
import { TurnPrinter, type TurnPrinterOptions } from './turn-printer.ts';
import { type StatusRow, WaitingLine } from './waiting-line.ts';

export interface PrintTurnOptions extends TurnPrinterOptions {
  /** Aborted when the user stops the turn; said at once, because the end may take a while. */
  readonly stopSignal?: AbortSignal;
  /**
   * What the row below the answer shows: what is being typed, a question, or the silence. `silence`
   * says how long nothing has come, and is empty where something has.
   */
  readonly footer?: (widthColumns: number, silence: string) => StatusRow | undefined;
}

/** Prints a turn while it runs. See {@link TurnDisplay}. */
export function printTurn(events: AsyncIterable<FoveaEvent>, options: PrintTurnOptions): Promise<ExitCode> {
  return new TurnDisplay(options).print(events);
}

/**
 * One turn on a screen. In a terminal the last row counts the seconds whenever nothing has been
 * printed for one, also in the middle of an answer, and shows the footer.
 */
export class TurnDisplay {
  readonly #options: PrintTurnOptions;
  readonly #printer: TurnPrinter;
  readonly #waiting: WaitingLine | undefined;
  #model: string | undefined;
  readonly #sayStopping = (): void => this.#between(() => this.#printer.printStopping());

  constructor(options: PrintTurnOptions) {
    this.#options = options;
    this.#printer = new TurnPrinter(options);
    this.#waiting =
      options.diagnostics.isTTY === true && this.#printer.isLive
        ? new WaitingLine(this.#printer, (seconds) => this.#describeWaiting(seconds))
        : undefined;
  }

  async print(events: AsyncIterable<FoveaEvent>): Promise<ExitCode> {
    this.open();
    try {
      for await (const event of events) this.show(event);
    } finally {
      this.close();
    }
    return this.#printer.exitCode;
  }

  /** Shows the row below the answer before the first event. */
  open(): void {
    this.#options.stopSignal?.addEventListener('abort', this.#sayStopping, { once: true });
    this.#waiting?.start();
  }

  /** Takes the row away, and ends what is being printed. */
  close(): void {
    this.#options.stopSignal?.removeEventListener('abort', this.#sayStopping);
    this.#waiting?.stop();
    this.#printer.endText();
  }

  /** Prints lines of their own in the middle of the turn, and of its answer. */
  say(lines: string): void {
    this.#printer.insertLines(lines);
  }

  /** Draws the footer anew. */
  refresh(): void {
    this.#waiting?.refresh();
  }

  show(event: FoveaEvent): void {
    if (event.type === 'step-start') this.#model = event.model;
    if (event.type === 'text-delta') {
      this.#printer.print(event);
      this.#waiting?.restart();
      return;
    }
    if (isPrinted(event)) this.#waiting?.stop();
    this.#printer.print(event);
    if (event.type !== 'turn-end') this.#waiting?.start();
  }

  #between(print: () => void): void {
    this.#waiting?.stop();
    print();
    this.#waiting?.start();
  }

  #describeWaiting(seconds: number): StatusRow | undefined {
    const widthColumns = columnsOf(this.#options.output) - 1;
    const isSilent = seconds > 0 && this.#model !== undefined;
    const silence = isSilent ? cliTexts(this.#options.locale).chatWaiting(this.#model ?? '', seconds) : '';
    if (this.#options.footer !== undefined) return this.#options.footer(widthColumns, silence);
    return isSilent ? { text: cutToWidth(sanitizeLine(silence), widthColumns) } : undefined;
  }
}

function isPrinted(event: Exclude<FoveaEvent, { type: 'text-delta' }>): boolean {
  switch (event.type) {
    case 'turn-accepted':
    case 'step-start':
    case 'request':
    case 'request-end':
    case 'thinking-delta':
    case 'approval-request':
    case 'approval-result':
    case 'usage':
    case 'queue':
      return false;
    case 'step-snapshot':
    case 'turn-refused':
    case 'tool-call':
    case 'tool-result':
    case 'image-notice':
    case 'reference-notice':
    case 'retry':
    case 'step-end':
    case 'turn-end':
      return true;
  }
}
