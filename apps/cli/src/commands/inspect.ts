import { realpath, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatBytes } from '@fovea/core/base';
import { limitRows } from '@fovea/core/catalog';
import { refusalText } from '@fovea/core/content';
import type { Fovea, Inspection, InspectOptions } from '@fovea/server';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';
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
  requireEndpoint(options.endpoint);
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
  else for (const inspection of inspections) process.stdout.write(`${toLine(inspection, context)}\n`);
  const isRefused = inspections.some((inspection) => inspection.verdict === 'refused');
  if (isRefused) return exitCodes.refused;
  return options.variant === undefined
    ? exitCodes.done
    : writeVariant(fovea, { paths, options, inspectOptions, context });
}

function requireEndpoint(endpoint: string): void {
  const ids = limitRows.map((row) => row.id);
  if (!ids.includes(endpoint)) throw usageError(`no limit row "${endpoint}". There are: ${ids.join(', ')}`);
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

function toLine(inspection: Inspection, context: CommandContext): string {
  const path = sanitizeForTerminal(inspection.path);
  switch (inspection.verdict) {
    case 'accepted': {
      const facts = [
        inspection.mediaType,
        `${inspection.widthPx}×${inspection.heightPx}`,
        formatBytes(inspection.sizeBytes),
        context.texts.frames(inspection.frames),
        inspection.digest,
      ];
      return `${path}: ${context.texts.accepted}, ${facts.join(', ')}`;
    }
    case 'text':
      return `${path}: ${context.texts.textFile}, ${formatBytes(inspection.sizeBytes)}`;
    case 'refused':
      return `${path}: ${context.texts.refused}, ${inspection.refusal.code}. ${sanitizeForTerminal(refusalText(inspection.refusal, context.locale))}`;
  }
}

async function writeVariant(
  fovea: Fovea,
  work: {
    readonly paths: readonly string[];
    readonly options: InspectCommandOptions;
    readonly inspectOptions: InspectOptions;
    readonly context: CommandContext;
  },
): Promise<ExitCode> {
  const [path = ''] = work.paths;
  const target = resolve(work.context.currentFolder, work.options.variant ?? '');
  if (await isSameFile(target, resolve(work.inspectOptions.workspace, path))) {
    throw usageError(work.context.texts.variantOverOriginal);
  }
  const variant = await fovea.makeVariant(path, work.inspectOptions);
  if (!variant.ok) {
    process.stderr.write(`${sanitizeForTerminal(refusalText(variant.error, work.context.locale))}\n`);
    return exitCodes.refused;
  }
  try {
    await writeFile(target, variant.value.bytes);
  } catch (error) {
    throw usageError(`cannot write ${target}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { mediaType, widthPx, heightPx, sizeBytes, digest } = variant.value.reference;
  const facts = `${mediaType}, ${widthPx ?? '?'}×${heightPx ?? '?'}, ${formatBytes(sizeBytes)}, ${digest}`;
  process.stderr.write(`${work.context.texts.variantWritten(target, facts)}\n`);
  return exitCodes.done;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const paths = await Promise.all([one, other].map((path) => realpath(path).catch(() => path)));
  return paths[0] === paths[1];
}
