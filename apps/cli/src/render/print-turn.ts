import type { FoveaEvent } from '@fovea/core/content';
import type { ExitCode } from '../exit-codes.ts';
import { cliTexts } from '../texts.ts';
import { TurnPrinter, type TurnPrinterOptions } from './turn-printer.ts';
import { WaitingLine } from './waiting-line.ts';

export interface PrintTurnOptions extends TurnPrinterOptions {
  /** Aborted when the user stops the turn; said at once, because the end may take a while. */
  readonly stopSignal?: AbortSignal;
}

/**
 * Prints a turn while it runs. In a terminal a line counts the seconds whenever nothing has been
 * printed for one, also in the middle of an answer.
 */
export async function printTurn(events: AsyncIterable<FoveaEvent>, options: PrintTurnOptions): Promise<ExitCode> {
  const printer = new TurnPrinter(options);
  let model: string | undefined;
  const waiting =
    options.diagnostics.isTTY === true && options.output.isTTY === true
      ? new WaitingLine(printer, (seconds) => cliTexts(options.locale).chatWaiting(model ?? '', seconds))
      : undefined;
  const sayStopping = (): void => {
    waiting?.stop();
    printer.printStopping();
    waiting?.start();
  };
  options.stopSignal?.addEventListener('abort', sayStopping, { once: true });
  try {
    for await (const event of events) {
      if (event.type === 'step-start') model = event.model;
      if (isPrinted(event)) waiting?.stop();
      printer.print(event);
      if (model !== undefined && event.type !== 'turn-end') waiting?.start();
    }
  } finally {
    options.stopSignal?.removeEventListener('abort', sayStopping);
    waiting?.stop();
    printer.endText();
  }
  return printer.exitCode;
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
