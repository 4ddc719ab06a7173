import type { FoveaEvent } from '@fovea/core/content';
import type { ExitCode } from '../exit-codes.ts';
import { cliTexts } from '../texts.ts';
import { TurnPrinter, type TurnPrinterOptions } from './turn-printer.ts';
import { WaitingLine } from './waiting-line.ts';

/** Prints a turn while it runs, with a line that counts the seconds of silence in a terminal. */
export async function printTurn(events: AsyncIterable<FoveaEvent>, options: TurnPrinterOptions): Promise<ExitCode> {
  const printer = new TurnPrinter(options);
  let model = '';
  const waiting =
    options.diagnostics.isTTY === true && options.output.isTTY === true
      ? new WaitingLine(options.diagnostics, (seconds) => cliTexts(options.locale).chatWaiting(model, seconds))
      : undefined;
  try {
    for await (const event of events) {
      if (event.type === 'step-start') model = event.model;
      if (isPrinted(event)) waiting?.stop();
      printer.print(event);
      if (event.type === 'step-start' || event.type === 'tool-call' || event.type === 'tool-result') waiting?.start();
    }
  } finally {
    waiting?.stop();
    printer.endText();
  }
  return printer.exitCode;
}

function isPrinted(event: FoveaEvent): boolean {
  return !['turn-accepted', 'step-start', 'request', 'request-end', 'thinking-delta', 'usage'].includes(event.type);
}
