import { isoTime } from '../base/clock.ts';
import { type AssistantMessage, type Message, textOf, toolCallsOf } from '../content/messages.ts';
import type { AssistantPart } from '../content/parts.ts';
import { takeFreshCallId } from '../context/take-fresh-call-id.ts';
import type { StepOutcome } from './run-step.ts';
import { append, endpointIdOf, type TurnRun } from './turn-run.ts';
import { modelName } from './turn-services.ts';
import type { TurnHappening } from './turn-state.ts';

/** Stores an answer that is whole, unless it holds neither words nor calls. */
export async function storeAnswer(
  run: TurnRun,
  outcome: StepOutcome,
  reason: Extract<StepOutcome['end'], { type: 'finished' }>['reason'],
): Promise<TurnHappening> {
  const answer = answerMessage(run, withFreshCallIds(outcome.parts, run.transcript ?? []), outcome);
  const calls = toolCallsOf(answer);
  const hasWords = textOf(answer).trim() !== '';
  if (calls.length > 0 || hasWords) await append(run, answer);
  run.answer = answer;
  return { type: 'answered', callCount: calls.length, hasWords, reason };
}

/** Words that the user saw are kept; calls that were never run are not. */
export async function storeStoppedAnswer(run: TurnRun, outcome: StepOutcome): Promise<void> {
  const parts = outcome.parts.filter((part) => part.type !== 'tool-call');
  const answer: AssistantMessage = { ...answerMessage(run, parts, outcome), status: 'interrupted' };
  if (textOf(answer).trim() !== '') await append(run, answer);
}

function answerMessage(run: TurnRun, parts: readonly AssistantPart[], { usage }: StepOutcome): AssistantMessage {
  const { services, input } = run;
  return {
    id: services.ids.next('msg'),
    turnId: input.turnId,
    createdAt: isoTime(services.clock),
    role: 'assistant',
    parts: [...parts],
    model: modelName(input.target),
    endpointId: endpointIdOf(run),
    status: 'completed',
    ...(usage === undefined ? {} : { usage }),
  };
}

function withFreshCallIds(parts: readonly AssistantPart[], transcript: readonly Message[]): readonly AssistantPart[] {
  const usedIds = new Set<string>();
  for (const message of transcript) {
    if (message.role !== 'assistant') continue;
    for (const call of toolCallsOf(message)) usedIds.add(call.toolCallId);
  }
  return parts.map((part) => {
    return part.type === 'tool-call' ? { ...part, toolCallId: takeFreshCallId(part.toolCallId, usedIds) } : part;
  });
}
