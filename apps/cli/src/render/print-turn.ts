import type { FoveaEvent } from '@fovea/core/content';
import type { ExitCode } from '../exit-codes.ts';
import { cliTexts } from '../texts.ts';
import { TurnPrinter, type TurnPrinterOptions } from './turn-printer.ts';
import { WaitingLine } from './waiting-line.ts';

export interface PrintTurnOptions extends TurnPrinterOptions {
  /** Aborted when the user stops the turn; said at once, because the end may take a while. */
  readonly stopSignal?: AbortSignal;
  /** What the line below the answer shows besides the silence: what is being typed, or a question. */
  readonly footer?: () => string;
}

/** Prints a turn while it runs. See {@link TurnDisplay}. */
export function printTurn(events: AsyncIterable<FoveaEvent>, options: PrintTurnOptions): Promise<ExitCode> {
  return new TurnDisplay(options).print(events);
}

/**
 * One turn on a screen. In a terminal the last line counts the seconds whenever nothing has been
 * printed for one, also in the middle of an answer, and shows the footer.
 */
export class TurnDisplay {
  readonly #options: PrintTurnOptions;
  readonly #printer: TurnPrinter;
  readonly #waiting: WaitingLine | undefined;
  #model: string | undefined;

  constructor(options: PrintTurnOptions) {
    this.#options = options;
    this.#printer = new TurnPrinter(options);
    this.#waiting =
      options.diagnostics.isTTY === true && options.output.isTTY === true
        ? new WaitingLine(this.#printer, (seconds) => this.#describeWaiting(seconds))
        : undefined;
  }

  async print(events: AsyncIterable<FoveaEvent>): Promise<ExitCode> {
    const sayStopping = (): void => this.#between(() => this.#printer.printStopping());
    this.#options.stopSignal?.addEventListener('abort', sayStopping, { once: true });
    try {
      for await (const event of events) {
        if (event.type === 'step-start') this.#model = event.model;
        if (isPrinted(event)) this.#waiting?.stop();
        this.#printer.print(event);
        if (event.type !== 'turn-end') this.#waiting?.start();
      }
    } finally {
      this.#options.stopSignal?.removeEventListener('abort', sayStopping);
      this.#waiting?.stop();
      this.#printer.endText();
    }
    return this.#printer.exitCode;
  }

  /** Prints a line of its own in the middle of the turn. */
  say(line: string): void {
    this.#between(() => {
      this.#printer.endText();
      this.#printer.printLine(line);
    });
  }

  /** Draws the footer anew. */
  refresh(): void {
    this.#waiting?.refresh();
  }

  #between(print: () => void): void {
    this.#waiting?.stop();
    print();
    this.#waiting?.start();
  }

  #describeWaiting(seconds: number): string {
    const isSilent = seconds > 0 && this.#model !== undefined;
    const silence = isSilent ? cliTexts(this.#options.locale).chatWaiting(this.#model ?? '', seconds) : '';
    const footer = this.#options.footer?.() ?? '';
    return footer === '' ? silence : footer;
  }
}

function isPrinted(event: FoveaEvent): boolean {
  switch (event.type) {
    case 'turn-accepted':
    case 'step-start':
    case 'request':
    case 'request-end':
    case 'thinking-delta':
    case 'approval-request':
    case 'approval-result':
    case 'usage':
      return false;
    case 'text-delta':
      return event.text !== '';
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
