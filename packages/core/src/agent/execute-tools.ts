import { toAppError } from '../base/app-error.ts';
import type { Locale } from '../base/locale.ts';
import type { Logger } from '../base/logger.ts';
import { isRecord, parseJson } from '../base/parse-json.ts';
import type { ToolCallPart } from '../content/parts.ts';
import { contextTexts } from '../context/texts.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tools/tool.ts';
import { admitPayload } from './admit-payload.ts';
import { stripPayloads } from './strip-payloads.ts';
import { agentTexts } from './texts.ts';

/** One call, looked up and parsed once: ready to run, or already answered with what is wrong. */
export type PlannedCall =
  | {
      readonly call: ToolCallPart;
      readonly tool: Tool;
      readonly toolArguments: Readonly<Record<string, unknown>>;
    }
  | { readonly call: ToolCallPart; readonly outcome: ToolOutcome };

/** Looks up the tool of each call and parses its arguments; an empty text means `{}`. */
export function planCalls(
  calls: readonly ToolCallPart[],
  { tools, locale }: { readonly tools: readonly Tool[]; readonly locale: Locale },
): readonly PlannedCall[] {
  const texts = agentTexts[locale];
  return calls.map((call): PlannedCall => {
    const tool = tools.find((candidate) => candidate.name === call.name);
    if (tool === undefined) {
      const known = tools.map((candidate) => candidate.name);
      return { call, outcome: failure(texts.unknownTool(call.name, known)) };
    }
    const parsed = parseJson(call.arguments.trim() === '' ? '{}' : call.arguments);
    if (!parsed.ok) return { call, outcome: failure(texts.invalidArguments(call.name, parsed.error.message)) };
    if (!isRecord(parsed.value)) {
      return { call, outcome: failure(texts.invalidArguments(call.name, 'not a JSON object')) };
    }
    return { call, tool, toolArguments: parsed.value };
  });
}

export interface ExecuteToolsOptions {
  readonly context: ToolContext;
  readonly logger: Logger;
}

/** What one call gave. Its content holds no image data. */
export interface ExecutedCall {
  readonly call: ToolCallPart;
  readonly outcome: ToolOutcome;
}

/**
 * Runs the calls of one answer and gives their results in call order, each as soon as it and all
 * before it are there. Calls that only read run at once; a group with any other effect runs one
 * call after the other.
 *
 * Every call gets a result: a tool that throws, and a stop at any point, are results too, so that
 * the conversation can always go on. A tool that ignores the stop is not waited for.
 */
export async function* executeTools(
  planned: readonly PlannedCall[],
  options: ExecuteToolsOptions,
): AsyncGenerator<ExecutedCall> {
  const isReadOnly = planned.every((item) => 'outcome' in item || item.tool.effect === 'read');
  if (!isReadOnly) {
    for (const item of planned) yield { call: item.call, outcome: await runCall(item, options) };
    return;
  }
  const running = planned.map((item) => ({ call: item.call, outcome: runCall(item, options) }));
  for (const { call, outcome } of running) yield { call, outcome: await outcome };
}

/** Never rejects. */
async function runCall(planned: PlannedCall, { context, logger }: ExecuteToolsOptions): Promise<ToolOutcome> {
  const { locale } = context;
  // One of its own: listeners of many calls on one signal make Node warn of a leak.
  const signal = AbortSignal.any([context.signal]);
  const cancelled = failure(contextTexts[locale].cancelledCall);
  if (signal.aborted) return cancelled;
  if ('outcome' in planned) return withoutPayloads(planned.outcome, locale);
  const { call, tool, toolArguments } = planned;
  try {
    const outcome = await untilAborted(tool.run(toolArguments, { ...context, signal }), signal);
    if (outcome === undefined) return cancelled;
    return withoutPayloads(await admitPayload(outcome, tool.name, { ...context, signal }), locale);
  } catch (error) {
    if (signal.aborted) return cancelled;
    const { code, message } = toAppError(error, 'TOOL_FAILED');
    logger.error('tool-failed', { tool: tool.name, toolCallId: call.toolCallId, code });
    return withoutPayloads(failure(agentTexts[locale].toolFailed(tool.name, message)), locale);
  }
}

function withoutPayloads(outcome: ToolOutcome, locale: Locale): ToolOutcome {
  return { ...outcome, content: stripPayloads(outcome.content, locale) };
}

function failure(content: string): ToolOutcome {
  return { isError: true, content, attachments: [] };
}

/** What `work` gives, or `undefined` once the signal is aborted. */
async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  let leave = (): void => {};
  const aborted = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
