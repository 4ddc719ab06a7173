import { formatBytes } from '@fovea/core/base';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { ProgressLine } from '../progress-line.ts';
import { upkeepTexts } from '../upkeep-texts.ts';

/** `fovea gc`: deletes the bytes that nothing refers to any more. */
export async function collectGarbage(options: { readonly json: boolean }, context: CommandContext): Promise<ExitCode> {
  const texts = upkeepTexts(context.locale);
  const fovea = await context.openFovea();
  const progress = new ProgressLine(process.stderr, context);
  const report = await fovea.collectGarbage({
    onProgress: ({ done, total }) => progress.show(texts.collecting(Math.floor((100 * done) / Math.max(1, total)))),
  });
  progress.clear();
  if (options.json) {
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return exitCodes.done;
  }
  const lines = [
    texts.freed(formatBytes(report.bytesFreed), report),
    ...(report.blobs.young > 0 ? [texts.young(report.blobs.young)] : []),
    ...(report.expiredEdges > 0 ? [texts.expired(report.expiredEdges)] : []),
  ];
  for (const line of lines) process.stdout.write(`${line}\n`);
  return exitCodes.done;
}
