import type { Message } from '../content/messages.ts';

/** Who answers the turn that a request belongs to. */
export interface AnsweringModel {
  readonly turnId: string;
  /** `channel/model`. */
  readonly model: string;
}

/** What is no longer as the prompt head, or the last such change, said. */
export interface ConversationChange {
  /** The day on which the message was sent: `2026-12-01`. */
  readonly date?: string;
  /** Who answers from here on: `channel/model`. */
  readonly model?: string;
}

/**
 * What changed with a user's message, by its id: another day than that of the user's message before
 * it, another model than the one that answered last. The prompt head is never rewritten: a change is
 * told where it happened. It follows from stored messages, so that later requests tell the same.
 */
export function findChanges(
  messages: readonly Message[],
  answering: AnsweringModel,
): ReadonlyMap<string, ConversationChange> {
  const answerers = findAnswerers(messages, answering);
  const changes = new Map<string, ConversationChange>();
  let day: string | undefined;
  let model: string | undefined;
  for (const message of messages) {
    if (message.role === 'assistant') model = message.model;
    if (message.role !== 'user') continue;
    const date = message.createdAt.slice(0, 'yyyy-mm-dd'.length);
    const answerer = answerers.get(message.turnId);
    const change: ConversationChange = {
      ...(day !== undefined && date !== day && { date }),
      ...(model !== undefined && answerer !== undefined && answerer !== model && { model: answerer }),
    };
    if (Object.keys(change).length > 0) changes.set(message.id, change);
    day = date;
  }
  return changes;
}

/** By turn: who answered it first; the running turn by who is about to. */
function findAnswerers(messages: readonly Message[], { turnId, model }: AnsweringModel): ReadonlyMap<string, string> {
  const answerers = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'assistant' && !answerers.has(message.turnId)) answerers.set(message.turnId, message.model);
  }
  if (!answerers.has(turnId)) answerers.set(turnId, model);
  return answerers;
}
