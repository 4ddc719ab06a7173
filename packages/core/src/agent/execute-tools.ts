import { toAppError } from '../base/app-error.ts';
import { assertNever } from '../base/assert-never.ts';
import type { Locale } from '../base/locale.ts';
import type { Logger } from '../base/logger.ts';
import { isRecord, parseJson } from '../base/parse-json.ts';
import type { ToolCallPart } from '../content/parts.ts';
import { contextTexts } from '../context/texts.ts';
import type { Tool, ToolContext, ToolDemand, ToolOutcome } from '../tools/tool.ts';
import { admitPayload } from './admit-payload.ts';
import { type ApprovalEvent, type ApprovalPolicy, approveCall } from './approve-call.ts';
import { withoutPayloads } from './strip-payloads.ts';
import { agentTexts } from './texts.ts';
import { untilAborted } from './until-aborted.ts';

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
  readonly policy: ApprovalPolicy;
  readonly logger: Logger;
  /** Before a call is run that may change something; it is not run when this throws. */
  readonly noteEffects: () => Promise<void>;
}

/** What one call gave. Its content holds no image data and no secret. */
export interface ExecutedCall {
  readonly type: 'executed';
  readonly call: ToolCallPart;
  readonly outcome: ToolOutcome;
}

/**
 * Runs the calls of one answer and gives their results in call order, each as soon as it and all
 * before it are there. Calls that only read run at once; a group with any other effect runs one
 * call after the other, each as soon as it is allowed, with the events of that decision before it.
 *
 * Every call gets a result: a denial, a tool that throws, and a stop at any point, are results too,
 * so that the conversation can always go on. A tool that ignores the stop is not waited for. Throws
 * only `STORE_UNAVAILABLE` and `LEASE_LOST`.
 */
export async function* executeTools(
  planned: readonly PlannedCall[],
  options: ExecuteToolsOptions,
): AsyncGenerator<ApprovalEvent | ExecutedCall> {
  const isReadOnly = planned.every((item) => 'outcome' in item || item.tool.effect === 'read');
  if (!isReadOnly) {
    for (const item of planned) yield executed(item, yield* decideAndRun(item, options), options);
    return;
  }
  const running = planned.map((item) => ({ item, outcome: runCall(item, { kind: 'read' }, options) }));
  for (const { item, outcome } of running) yield executed(item, await outcome, options);
}

function executed({ call }: PlannedCall, outcome: ToolOutcome, { policy, context }: ExecuteToolsOptions): ExecutedCall {
  return { type: 'executed', call, outcome: policy.mask.value(withoutPayloads(outcome, context.locale)) };
}

async function* decideAndRun(
  planned: PlannedCall,
  options: ExecuteToolsOptions,
): AsyncGenerator<ApprovalEvent, ToolOutcome> {
  if ('outcome' in planned || options.context.signal.aborted) return runCall(planned, { kind: 'read' }, options);
  const permission = yield* approveCall(planned, options.policy, options);
  switch (permission.type) {
    case 'granted':
      if (planned.tool.effect !== 'read') await options.noteEffects();
      return runCall(planned, permission.demand, options);
    case 'denied':
      return failure(permission.content);
    case 'stopped':
      return failure(contextTexts[options.context.locale].cancelledCall);
    default:
      return assertNever(permission);
  }
}

/** Never rejects. */
async function runCall(
  planned: PlannedCall,
  granted: ToolDemand,
  { context, logger }: ExecuteToolsOptions,
): Promise<ToolOutcome> {
  const { locale } = context;
  // One of its own: listeners of many calls on one signal make Node warn of a leak.
  const signal = AbortSignal.any([context.signal]);
  const cancelled = failure(contextTexts[locale].cancelledCall);
  if (signal.aborted) return cancelled;
  if ('outcome' in planned) return planned.outcome;
  const { call, tool, toolArguments } = planned;
  try {
    const outcome = await untilAborted(tool.run(toolArguments, { ...context, signal, granted }), signal);
    if (outcome === undefined) return cancelled;
    return await admitPayload(outcome, tool.name, { ...context, signal });
  } catch (error) {
    if (signal.aborted) return cancelled;
    const { code, message } = toAppError(error, 'TOOL_FAILED');
    logger.error('tool-failed', { tool: tool.name, toolCallId: call.toolCallId, code });
    return failure(agentTexts[locale].toolFailed(tool.name, message));
  }
}

function failure(content: string): ToolOutcome {
  return { isError: true, content, attachments: [] };
}
