import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { ProgressLine } from '../progress-line.ts';
import { sanitizeLine } from '../render/sanitize.ts';
import { upkeepTexts } from '../upkeep-texts.ts';

/** `fovea check`: looks at every record and every stored byte; exit code 1 when something is wrong. */
export async function check(options: { readonly json: boolean }, context: CommandContext): Promise<ExitCode> {
  const texts = upkeepTexts(context.locale);
  const fovea = await context.openFovea();
  const progress = new ProgressLine(process.stderr, context);
  const report = await fovea.checkStore({
    onProgress: ({ done, total }) => progress.show(texts.checking(done, total)),
  });
  progress.clear();
  const exitCode = report.faultCount === 0 ? exitCodes.done : exitCodes.turnFailed;
  if (options.json) {
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return exitCode;
  }
  const lines = [
    ...texts.counts(report.counts),
    ...report.faults.map(({ kind, place, message }) => {
      return sanitizeLine(`✗ ${place}${context.texts.colon}${message}. ${texts.advice[kind]}`);
    }),
    ...(report.faultCount > report.faults.length ? [texts.moreFaults(report.faultCount - report.faults.length)] : []),
    report.faultCount === 0 ? texts.whole : texts.faults(report.faultCount),
  ];
  for (const line of lines) process.stdout.write(`${line}\n`);
  return exitCode;
}
