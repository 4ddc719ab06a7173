import { type Message, type ToolMessage, toolCallsOf } from './messages.ts';
import type { ToolCallPart } from './parts.ts';

/**
 * A transcript whose old tool results say which call they answer: those without a call's id belong
 * to the calls of the message before them in their order, those without a tool's name get that of
 * their call (requirement R142). A result for which no call is left stays as it is. Shares what is
 * complete, and changes nothing.
 *
 * @param messages Oldest first; from the message on that made the calls.
 */
export function nameOldResults(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isUnnamed)) return messages;
  let calls: readonly ToolCallPart[] = [];
  let unanswered: ToolCallPart[] = [];
  return messages.map((message, index) => {
    if (message.role === 'user') calls = unanswered = [];
    if (message.role === 'assistant') {
      const answered = answeredIdsAfter(messages, index);
      calls = toolCallsOf(message);
      unanswered = calls.filter((call) => !answered.has(call.toolCallId));
    }
    if (!isUnnamed(message)) return message;
    const call =
      message.toolCallId === ''
        ? unanswered.shift()
        : calls.find((candidate) => candidate.toolCallId === message.toolCallId);
    if (call === undefined) return message;
    return { ...message, toolCallId: call.toolCallId, toolName: message.toolName || call.name };
  });
}

function isUnnamed(message: Message): message is ToolMessage {
  return message.role === 'tool' && (message.toolCallId === '' || message.toolName === '');
}

/** Of the results that follow a message at once. */
function answeredIdsAfter(messages: readonly Message[], index: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages.slice(index + 1)) {
    if (message.role !== 'tool') break;
    ids.add(message.toolCallId);
  }
  return ids;
}
