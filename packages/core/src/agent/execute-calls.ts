import { isoTime } from '../base/clock.ts';
import type { FoveaEvent } from '../content/events.ts';
import { type ToolMessage, toolCallsOf } from '../content/messages.ts';
import { toToolResultEvent } from '../content/to-tool-result-event.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { ApprovalPolicy } from './approve-call.ts';
import { type ExecutedCall, executeTools, planCalls } from './execute-tools.ts';
import { createFileJournal } from './file-journal.ts';
import { createPictureReferences } from './picture-references.ts';
import { append, type TurnRun } from './turn-run.ts';
import type { TurnHappening } from './turn-state.ts';

/** Runs the calls of the stored answer; each result is stored before it is told. */
export async function* executeCalls(run: TurnRun): AsyncGenerator<FoveaEvent, TurnHappening> {
  const { services, input } = run;
  const locale = input.session.modelLocale;
  const calls = run.answer === undefined ? [] : toolCallsOf(run.answer);
  const planned = planCalls(calls, { tools: services.tools, locale });
  for (const item of planned) {
    const { toolCallId, name, arguments: toolArguments } = item.call;
    const activity = 'tool' in item ? item.tool.activity?.(item.toolArguments) : undefined;
    yield { type: 'tool-call', toolCallId, name, arguments: toolArguments, ...(activity && { activity }) };
  }
  const sessionId = input.session.id;
  const { access, blobs, limits, logger, commandEnvironment, approver, approvals } = services;
  const context: ToolContext = {
    access,
    blobs,
    limits,
    locale,
    signal: input.signal,
    references: createPictureReferences({ sessionId, transcript: run.transcript ?? [] }, services),
    journal: createFileJournal({ sessionId, turnId: input.turnId }, services),
    commandEnvironment,
  };
  const policy: ApprovalPolicy = {
    sessionId,
    profile: input.session.profile,
    approver,
    approvals,
    isAfterForeignPicture: run.hasForeignPicture,
    mask: run.mask,
  };
  for await (const event of executeTools(planned, { context, policy, logger, noteEffects: () => noteEffects(run) })) {
    if (event.type !== 'executed') {
      yield event;
      continue;
    }
    const message = toolMessage(run, event);
    await append(run, message);
    yield toToolResultEvent(message);
  }
  return input.signal.aborted ? { type: 'stopped' } : { type: 'executed' };
}

/** Once a turn: what may have changed something is not run again by itself after a crash. */
async function noteEffects(run: TurnRun): Promise<void> {
  if (run.hasNotedEffects) return;
  await run.services.records.noteEffects(run.input.turnId);
  run.hasNotedEffects = true;
}

function toolMessage({ services, input }: TurnRun, { call, outcome }: ExecutedCall): ToolMessage {
  return {
    id: services.ids.next('msg'),
    turnId: input.turnId,
    createdAt: isoTime(services.clock),
    role: 'tool',
    toolCallId: call.toolCallId,
    toolName: call.name,
    content: outcome.content,
    isError: outcome.isError,
    metadata: { attachments: [...outcome.attachments], ...(outcome.diff && { diff: outcome.diff }) },
  };
}
