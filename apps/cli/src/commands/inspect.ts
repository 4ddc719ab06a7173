import { realpath, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { refusalText } from '@fovea/core/content';
import type { Fovea, Inspection, InspectOptions } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { describeInspection, describeVariant } from '../describe-inspection.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import { nearFileHint } from '../suggest-file-name.ts';
import { usageError } from '../usage-error.ts';

export interface InspectCommandOptions {
  readonly as: InspectOptions['as'];
  readonly workspace: string;
  readonly json: boolean;
  readonly variant?: string;
  readonly endpoint: string;
}

/** `fovea inspect`: what admission says of files. Nothing is stored, nothing is sent. */
export async function inspect(
  paths: readonly string[],
  options: InspectCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  if (options.variant !== undefined && paths.length !== 1) throw usageError(context.texts.variantNeedsOne);
  const fovea = await context.openFovea();
  const inspectOptions: InspectOptions = {
    as: options.as,
    workspace: resolve(context.currentFolder, options.workspace),
    endpoint: options.endpoint,
    signal: context.signal,
  };
  const inspections = await fovea.inspect(paths, inspectOptions);
  if (options.json)
    process.stdout.write(
      `${JSON.stringify(
        inspections.map((item) => toJson(item, context)),
        null,
        2,
      )}\n`,
    );
  else {
    for (const inspection of inspections)
      process.stdout.write(`${await toLine(inspection, inspectOptions.workspace, context)}\n`);
  }
  const isRefused = inspections.some((inspection) => inspection.verdict === 'refused');
  if (isRefused) return exitCodes.refused;
  const [original] = inspections;
  if (options.variant === undefined || original?.verdict !== 'accepted') return exitCodes.done;
  return writeVariant(fovea, { original, target: options.variant, inspectOptions, context });
}

function toJson(inspection: Inspection, context: CommandContext): Record<string, unknown> {
  if (inspection.verdict !== 'refused') return { ...inspection };
  const { path, verdict, refusal } = inspection;
  return {
    path,
    verdict,
    code: refusal.code,
    message: refusalText(refusal, context.locale),
    ...(refusal.trueType === undefined ? {} : { trueType: refusal.trueType }),
    ...(refusal.actual === undefined ? {} : { actual: refusal.actual }),
    ...(refusal.limit === undefined ? {} : { limit: refusal.limit }),
  };
}

async function toLine(inspection: Inspection, workspace: string, context: CommandContext): Promise<string> {
  const line = describeInspection(inspection, context.locale);
  const isMissing = inspection.verdict === 'refused' && inspection.refusal.code === 'NOT_FOUND';
  if (!isMissing) return line;
  return line + sanitizeForTerminal(await nearFileHint(inspection.path, { workspace, texts: context.texts }));
}

async function writeVariant(
  fovea: Fovea,
  work: {
    readonly original: Extract<Inspection, { verdict: 'accepted' }>;
    readonly target: string;
    readonly inspectOptions: InspectOptions;
    readonly context: CommandContext;
  },
): Promise<ExitCode> {
  const { original, inspectOptions, context } = work;
  const { locale, texts } = context;
  const target = resolve(context.currentFolder, work.target);
  if (await isSameFile(target, resolve(inspectOptions.workspace, original.path))) {
    throw usageError(texts.variantOverOriginal);
  }
  const variant = await fovea.makeVariant(original.path, inspectOptions);
  if (!variant.ok) {
    process.stderr.write(`${sanitizeForTerminal(refusalText(variant.error, locale))}\n`);
    return exitCodes.refused;
  }
  try {
    await writeFile(target, variant.value.bytes);
  } catch (error) {
    throw usageError(texts.cannotWrite(target, error instanceof Error ? error.message : String(error)));
  }
  const facts = describeVariant(original, variant.value, locale);
  process.stderr.write(`${sanitizeForTerminal(target)}${texts.colon}${facts}\n`);
  return exitCodes.done;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const paths = await Promise.all([one, other].map((path) => realpath(path).catch(() => path)));
  return paths[0] === paths[1];
}
