import type { Locale } from '../base/locale.ts';
import { type AssistantMessage, type Message, type ToolMessage, textOf, toolCallsOf } from '../content/messages.ts';
import type { ToolCallPart } from '../content/parts.ts';
import type { ContextNotice } from './notices.ts';
import { takeFreshCallId } from './take-fresh-call-id.ts';
import { contextTexts } from './texts.ts';

/** One tool call of the transcript and the stored result that was found for it. */
interface CallSlot {
  readonly assistantIndex: number;
  readonly turnId: string;
  readonly call: ToolCallPart;
  result: ToolMessage | undefined;
}

export interface ClosedTranscript {
  readonly messages: readonly Message[];
  readonly notices: readonly ContextNotice[];
}

/**
 * A legal order for every wire: each tool call has exactly one answer, directly after its assistant
 * message, in call order (wire-facts rules 2 and 13).
 *
 * Results are found by call id wherever they stand later, because two processes may have written
 * into the same session; a call without a result gets words; a result without a call is dropped.
 * Calls that share an id get different ones. Assistant messages that hold neither words nor calls
 * are left out. Returns new lists and shares unchanged messages; changes nothing.
 */
export function closeOpenToolCalls(transcript: readonly Message[], locale: Locale): ClosedTranscript {
  const { slotsOf, dropped } = matchResults(transcript);
  const messages: Message[] = [];
  const notices: ContextNotice[] = [];
  const usedIds = new Set<string>();

  for (const [index, message] of transcript.entries()) {
    if (message.role === 'user') messages.push(message);
    if (message.role === 'tool' && dropped.has(index)) {
      notices.push({ kind: 'result-dropped', toolCallId: message.toolCallId, toolName: message.toolName });
    }
    if (message.role !== 'assistant') continue;
    const slots = slotsOf.get(index) ?? [];
    if (slots.length === 0 && textOf(message).trim() === '') continue;
    const ids = slots.map((slot) => takeFreshCallId(slot.call.toolCallId, usedIds));
    messages.push(withCallIds(message, ids));
    for (const [position, slot] of slots.entries()) {
      const toolCallId = ids[position] ?? slot.call.toolCallId;
      if (slot.result === undefined) {
        notices.push({ kind: 'answer-added', toolCallId, toolName: slot.call.name });
      }
      messages.push(answerOf(slot, { toolCallId, assistant: message, locale }));
    }
  }
  return { messages, notices };
}

function matchResults(transcript: readonly Message[]): {
  readonly slotsOf: ReadonlyMap<number, readonly CallSlot[]>;
  readonly dropped: ReadonlySet<number>;
} {
  const slotsOf = new Map<number, readonly CallSlot[]>();
  const slotsById = new Map<string, CallSlot[]>();
  const dropped = new Set<number>();
  for (const [index, message] of transcript.entries()) {
    if (message.role === 'assistant') {
      const slots = toolCallsOf(message).map((call): CallSlot => {
        return { assistantIndex: index, turnId: message.turnId, call, result: undefined };
      });
      slotsOf.set(index, slots);
      for (const slot of slots) {
        const known = slotsById.get(slot.call.toolCallId);
        if (known === undefined) slotsById.set(slot.call.toolCallId, [slot]);
        else known.push(slot);
      }
    }
    if (message.role === 'tool') {
      const slot = findSlot(slotsById.get(message.toolCallId) ?? [], message);
      if (slot === undefined) dropped.add(index);
      else slot.result = message;
    }
  }
  return { slotsOf, dropped };
}

/** The open call of the same turn, else of the latest message: some endpoints count ids from zero in each answer. */
function findSlot(slots: readonly CallSlot[], result: ToolMessage): CallSlot | undefined {
  const open = slots.filter((slot) => slot.result === undefined);
  const ofSameTurn = open.filter((slot) => slot.turnId === result.turnId);
  const candidates = ofSameTurn.length > 0 ? ofSameTurn : open;
  const latest = candidates.at(-1)?.assistantIndex;
  return candidates.find((slot) => slot.assistantIndex === latest);
}

function withCallIds(message: AssistantMessage, ids: readonly string[]): AssistantMessage {
  let position = 0;
  let isChanged = false;
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool-call') return part;
    const toolCallId = ids[position] ?? part.toolCallId;
    position += 1;
    if (toolCallId === part.toolCallId) return part;
    isChanged = true;
    return { ...part, toolCallId };
  });
  return isChanged ? { ...message, parts } : message;
}

function answerOf(
  slot: CallSlot,
  { toolCallId, assistant, locale }: { toolCallId: string; assistant: AssistantMessage; locale: Locale },
): ToolMessage {
  const { result, call } = slot;
  if (result !== undefined) return result.toolCallId === toolCallId ? result : { ...result, toolCallId };
  const texts = contextTexts[locale];
  return {
    id: `${assistant.id}:${toolCallId}`,
    turnId: assistant.turnId,
    createdAt: assistant.createdAt,
    role: 'tool',
    toolCallId,
    toolName: call.name,
    content: assistant.status === 'interrupted' ? texts.cancelledCall : texts.interruptedCall,
    isError: true,
    metadata: { attachments: [] },
  };
}
