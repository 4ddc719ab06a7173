import type { Message } from '../content/messages.ts';

/**
 * Thinking goes back only to who thought it: the same wire API, base URL and model (wire-facts rules
 * 38, 39 and 42). That of anybody else, and of answers that do not say whose they are, is left out
 * as a whole; own thinking stays as it is, in every turn, so that the prefix keeps its bytes.
 * Returns a new list, shares unchanged messages and changes nothing.
 */
export function dropForeignThinking(messages: readonly Message[], endpointId: string): readonly Message[] {
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.endpointId === endpointId) return message;
    const parts = message.parts.filter((part) => part.type !== 'thinking');
    return parts.length === message.parts.length ? message : { ...message, parts };
  });
}
