import { relative, sep } from 'node:path';
import Type from 'typebox';
import { type FileAccess, resolvePath } from '../attachments/access-policy.ts';
import { isWithin, realForm } from '../attachments/forbidden-paths.ts';
import type { Locale } from '../base/locale.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { KIB, MIB } from '../base/units.ts';
import { sniffContent } from '../media/sniff.ts';
import { argumentActivity } from './argument-activity.ts';
import { cleanOutput, cutHead, cutTail, decodeOutput, looksBinary } from './clean-output.ts';
import { commandTexts } from './command-texts.ts';
import { isFolder } from './find-files.ts';
import type { OutputEnds } from './output-ends.ts';
import { type ProcessRun, runProcess } from './run-process.ts';
import type { Tool, ToolContext, ToolDemand, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, refusedOutcome } from './tool-outcome.ts';

const name = 'run_command';

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 600;
/** Characters that are shown of the beginning and of the end: errors mostly stand at the end. */
const HEAD_CHARACTERS = 10_000;
const TAIL_CHARACTERS = 20_000;
/** Kept of either end before it is cleaned, which may leave little of it. */
const END_BYTES = 128 * KIB;

const Arguments = defineArguments(
  Type.Object(
    {
      command: Type.String({ minLength: 1, maxLength: 100_000 }),
      cwd: Type.Optional(Type.String({ minLength: 1 })),
      timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_SECONDS })),
    },
    { additionalProperties: false },
  ),
);

export interface CommandBounds {
  /** Between asking processes to end and killing them. */
  readonly graceMs: number;
  /** A command that writes more is ended. */
  readonly mostOutputBytes: number;
}

const defaultBounds: CommandBounds = { graceMs: 2_000, mostOutputBytes: 1024 * MIB };

/**
 * `run_command`: a line of shell in the workspace, with the environment of the session and nothing
 * else. What it may read and change no list can hold back: a person or a profile allows it. Nothing
 * that it starts outlives it.
 */
export function createRunCommandTool(bounds: CommandBounds = defaultBounds): Tool {
  return {
    name,
    effect: 'execute',
    definition: (locale) => {
      const words = commandTexts[locale].runCommand;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: argumentActivity('RUN', 'command'),
    demand: async (toolArguments, { access }) => {
      const parsed = Arguments.parse(toolArguments, name, 'en');
      if (!parsed.ok) return { kind: 'read' };
      const folder = await findFolder(parsed.value.cwd, access);
      // What will be refused changes nothing.
      return folder.ok ? demandOf(parsed.value.command, folder.value.shown) : { kind: 'read' };
    },
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const { command, cwd, timeout_seconds: seconds = DEFAULT_SECONDS } = parsed.value;
      const texts = commandTexts[context.locale];
      if (command.includes('\0')) return failedOutcome(texts.nulInCommand);
      const found = await findFolder(cwd, context.access);
      if (!found.ok) {
        return found.error === 'no-folder'
          ? failedOutcome(texts.badFolder(cwd ?? '.'))
          : refusedOutcome(found.error, context.locale);
      }
      const { realPath: folder, shown } = found.value;
      const demand = demandOf(command, shown);
      if (context.granted !== undefined && !isSame(context.granted, demand)) return failedOutcome(texts.notGranted);
      context.signal.throwIfAborted();
      const { commandEnvironment: environment, signal } = context;
      const run = await runProcess({
        ...{ command, folder, timeoutMs: seconds * 1000, endBytes: END_BYTES, signal },
        ...{ graceMs: bounds.graceMs, mostBytes: bounds.mostOutputBytes },
        ...(environment && { environment }),
      });
      if (!run.ok) return failedOutcome(texts.notStarted(run.error));
      signal.throwIfAborted();
      return describeRun(run.value, { context, seconds, bounds });
    },
  };
}

/** A folder of the workspace, without links, and how it is shown: relative to the workspace. */
async function findFolder(
  cwd: string | undefined,
  access: FileAccess,
): Promise<Result<{ readonly realPath: string; readonly shown: string }, Refusal | 'no-folder'>> {
  const resolved = await resolvePath(cwd ?? '.', access);
  if (!resolved.ok) return resolved;
  const { realPath } = resolved.value;
  const workspace = await realForm(access.workspace);
  if (!(await isFolder(resolved.value)) || !isWithin(workspace, realPath)) return fail('no-folder');
  return ok({ realPath, shown: relative(workspace, realPath).split(sep).join('/') || '.' });
}

/** How a command that runs below the workspace ends where a person is asked about it. */
const PLACE = / {2}\(in (?:[\w./-]+|"(?:[^"\\]|\\.)*")\)$/s;

/**
 * What a person is asked about: the same line elsewhere is something else. The folder is the one
 * that it really is, and no command line can end in a way that makes it look like another one with
 * its folder.
 */
function demandOf(command: string, folder: string): ToolDemand & { readonly kind: 'execute' } {
  const isPlain = folder === '.' && !PLACE.test(command);
  const shown = /^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder);
  return { kind: 'execute', target: isPlain ? command : `${command}  (in ${shown})` };
}

function isSame(granted: ToolDemand, demand: ToolDemand & { readonly kind: 'execute' }): boolean {
  return granted.kind === 'execute' && granted.target === demand.target;
}

async function describeRun(
  run: ProcessRun,
  {
    context,
    seconds,
    bounds,
  }: { readonly context: ToolContext; readonly seconds: number; readonly bounds: CommandBounds },
): Promise<ToolOutcome> {
  const texts = commandTexts[context.locale];
  const { exitCode, endSignal, stopped, hadBackground } = run;
  const notes = [
    ...(stopped === 'timeout' ? [texts.timedOut(seconds, MOST_SECONDS)] : []),
    ...(stopped === 'output' ? [texts.tooMuchOutput(bounds.mostOutputBytes)] : []),
    ...(hadBackground ? [texts.backgroundEnded] : []),
  ];
  const content = {
    content: await describeOutput(run.output, context.locale),
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(endSignal !== undefined && { signal: endSignal }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
  return {
    isError: exitCode !== 0 || stopped !== undefined,
    content: JSON.stringify(content),
    attachments: [],
  };
}

async function describeOutput({ totalBytes, head, tail }: OutputEnds, locale: Locale): Promise<string> {
  const texts = commandTexts[locale];
  if (totalBytes === 0) return texts.noOutput;
  const kind = await sniffContent(head);
  // A known format is told by its first bytes; that of a text with a control character is none.
  if (!kind.isText && kind.mediaType !== undefined) return texts.binaryOutput(kind.mediaType, totalBytes);
  const first = decodeOutput(head);
  const last = decodeOutput(tail);
  if (looksBinary(first) || looksBinary(last)) return texts.binaryOutput(undefined, totalBytes);
  const start = cleanOutput(first);
  const end = cleanOutput(last);
  const whole = tail.length === 0 && start.length <= HEAD_CHARACTERS + TAIL_CHARACTERS;
  if (whole) return start.trimEnd() === '' ? texts.noOutput : start.replace(/\n+$/, '');
  const shownStart = cutHead(start, HEAD_CHARACTERS);
  const shownEnd = cutTail(tail.length === 0 ? start : end, TAIL_CHARACTERS);
  const leftOut = Math.max(0, totalBytes - Buffer.byteLength(shownStart) - Buffer.byteLength(shownEnd));
  return `${shownStart.replace(/\n$/, '')}\n${texts.outputCut(leftOut)}\n${shownEnd.replace(/\n+$/, '')}`;
}
