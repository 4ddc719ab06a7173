import { toAppError } from '../base/app-error.ts';
import type { Logger } from '../base/logger.ts';
import type { ApprovalRequestEvent, FoveaEvent } from '../content/events.ts';
import type { ToolCallPart } from '../content/parts.ts';
import type { PermissionProfile } from '../content/session.ts';
import { digestOf } from '../media/digest.ts';
import type { Tool, ToolContext, ToolDemand } from '../tools/tool.ts';
import { decidePermission } from './decide-permission.ts';
import type { ApprovalDecision, ApprovalRecords, Approver } from './ports.ts';
import type { SecretMask } from './secret-mask.ts';
import { agentTexts } from './texts.ts';
import { untilAborted } from './until-aborted.ts';

export type ApprovalEvent = Extract<FoveaEvent, { type: 'approval-request' | 'approval-result' }>;

/** Who decides about the calls of one turn, and by what. */
export interface ApprovalPolicy {
  readonly sessionId: string;
  readonly profile: PermissionProfile;
  /** Absent: nobody can be asked. */
  readonly approver?: Approver | undefined;
  readonly approvals: ApprovalRecords;
  /** See {@link ApprovalRequestEvent}. */
  readonly isAfterForeignPicture: boolean;
  readonly mask: SecretMask;
}

/** A call that may run, one that may not with what its model is told, or the stop came first. */
export type CallPermission =
  | { readonly type: 'granted'; readonly demand: ToolDemand }
  | { readonly type: 'denied'; readonly content: string }
  | { readonly type: 'stopped' };

export interface CallToApprove {
  readonly call: ToolCallPart;
  readonly tool: Tool;
  readonly toolArguments: Readonly<Record<string, unknown>>;
}

/**
 * Whether one call may run: by the profile, by an approval that the session remembers, or by whoever
 * is asked. The event of a question is given before the question is: who reads the events can show it.
 *
 * Denials are results, never errors. Throws `STORE_UNAVAILABLE`, `LEASE_LOST`.
 */
export async function* approveCall(
  { call, tool, toolArguments }: CallToApprove,
  policy: ApprovalPolicy,
  { context, logger }: { readonly context: Pick<ToolContext, 'access' | 'locale' | 'signal'>; readonly logger: Logger },
): AsyncGenerator<ApprovalEvent, CallPermission> {
  const { signal, locale } = context;
  const { sessionId, approver, approvals } = policy;
  const { toolCallId } = call;
  const texts = agentTexts[locale];
  const result = (decision: 'allowed' | 'denied', by: 'user' | 'remembered' | 'profile'): ApprovalEvent => {
    return { type: 'approval-result', toolCallId, decision, by };
  };

  const demand = await untilAborted(demandOf(tool, toolArguments, context), signal);
  if (demand === undefined) return { type: 'stopped' };
  const permission = decidePermission(policy.profile, demand);
  if (permission === 'allow') return { type: 'granted', demand };
  if (permission === 'refuse' || demand.kind === 'read') {
    yield result('denied', 'profile');
    return { type: 'denied', content: texts.refusedByProfile(tool.name) };
  }
  const key = approvalKey(tool.name, demand);
  if (await approvals.isRemembered(sessionId, key)) {
    yield result('allowed', 'remembered');
    return { type: 'granted', demand };
  }
  if (approver === undefined) {
    yield result('denied', 'profile');
    return { type: 'denied', content: texts.nobodyToAsk(tool.name) };
  }
  const request: ApprovalRequestEvent = policy.mask.value({
    type: 'approval-request',
    toolCallId,
    name: call.name,
    arguments: call.arguments,
    demand: demand.kind === 'execute' ? 'execute' : 'write-outside',
    target: demand.target,
    isAfterForeignPicture: policy.isAfterForeignPicture,
  });
  yield request;
  let decision: ApprovalDecision | undefined;
  try {
    decision = await untilAborted(approver.decide(request, signal), signal);
  } catch (error) {
    if (signal.aborted) return { type: 'stopped' };
    const { code, message } = toAppError(error);
    logger.error('approval-failed', { tool: tool.name, toolCallId, code });
    yield result('denied', 'profile');
    return { type: 'denied', content: texts.approvalFailed(tool.name, message) };
  }
  if (decision === undefined || signal.aborted) return { type: 'stopped' };
  if (decision.decision === 'deny') {
    yield result('denied', 'user');
    return { type: 'denied', content: texts.deniedByUser(tool.name, decision.reason) };
  }
  if (decision.remember === 'session') await approvals.remember(sessionId, key);
  yield result('allowed', 'user');
  return { type: 'granted', demand };
}

/**
 * By which a session remembers an approval: the tool and exactly what its call does. A digest, so
 * that the store holds no command line.
 */
export function approvalKey(toolName: string, demand: Exclude<ToolDemand, { kind: 'read' }>): string {
  return digestOf(new TextEncoder().encode(JSON.stringify([toolName, demand.kind, demand.target])));
}

/** A tool that only reads needs no demand; another one without a demand is taken at its worst. */
async function demandOf(
  tool: Tool,
  toolArguments: Readonly<Record<string, unknown>>,
  context: Pick<ToolContext, 'access'>,
): Promise<ToolDemand> {
  if (tool.effect === 'read') return { kind: 'read' };
  const worst: ToolDemand =
    tool.effect === 'write'
      ? { kind: 'write', target: tool.name, isInsideWorkspace: false }
      : { kind: 'execute', target: tool.name };
  try {
    return (await tool.demand?.(toolArguments, context)) ?? worst;
  } catch {
    return { kind: 'execute', target: tool.name };
  }
}
