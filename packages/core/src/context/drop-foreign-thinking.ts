import type { Message } from '../content/messages.ts';

/**
 * Thinking goes back only to who thought it: the same wire API, base URL and model (wire-facts rules
 * 38, 39 and 42). That of anybody else, and of answers that do not say whose they are, is left out
 * as a whole; own thinking stays as it is, in every turn, so that the prefix keeps its bytes.
 * Of `refusedIds`, messages whose thoughts this endpoint does not take back any more, none goes out
 * either. Returns a new list, shares unchanged messages and changes nothing.
 */
export function dropForeignThinking(
  messages: readonly Message[],
  endpointId: string,
  refusedIds: ReadonlySet<string> = new Set(),
): readonly Message[] {
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    if (message.endpointId === endpointId && !refusedIds.has(message.id)) return message;
    const parts = message.parts.filter((part) => part.type !== 'thinking');
    return parts.length === message.parts.length ? message : { ...message, parts };
  });
}
