import { sliceArray, sliceObject } from './slice-json.ts';
import type { WireMessage } from './wire-message.ts';

/** A byte that differs between two requests of one conversation where both have text (wire-facts rule 44). */
export interface PrefixBreak {
  /** Positions in `server.requests`. */
  readonly request: number;
  readonly previousRequest: number;
  /** `tools`, or `messages[3]`. */
  readonly place: string;
  /** Where in that place, in bytes of UTF-8. */
  readonly byteOffset: number;
  /** What stood there before and what stands there now, from a little before the difference on. */
  readonly before: string;
  readonly after: string;
}

export interface PrefixInput {
  readonly request: number;
  /** What tells caches apart: personality and model. */
  readonly cache: string;
  readonly rawText: string;
  /** Key of the list in the body: `messages`. */
  readonly historyKey: string;
  /** The history as the wire slices it; absent: the elements of that list. */
  readonly elements?: readonly string[];
  readonly messages: readonly WireMessage[];
}

interface Conversation {
  readonly cache: string;
  readonly firstUserText: string;
  readonly request: number;
  readonly tools: string;
  readonly elements: readonly string[];
}

/**
 * Compares each request with the one before it in its conversation.
 *
 * Requests carry no session, so a conversation is known by its first user text, cache and past: of
 * several, the one that the request continues without a difference, else the one it is most like.
 * A request without any assistant message begins a conversation.
 */
export function createPrefixCheck(): (input: PrefixInput) => PrefixBreak | undefined {
  const conversations: Conversation[] = [];

  return (input) => {
    const current = toConversation(input);
    const isBeginning = input.messages.every(({ role }) => role !== 'assistant');
    const candidates = isBeginning
      ? []
      : conversations.filter((known) => known.cache === current.cache && known.firstUserText === current.firstUserText);
    const [previous] = candidates.sort((one, other) => likeness(other, current) - likeness(one, current));
    if (previous === undefined) {
      conversations.push(current);
      return undefined;
    }
    conversations[conversations.indexOf(previous)] = current;
    return findBreak(previous, current);
  };
}

function toConversation(input: PrefixInput): Conversation {
  const members = sliceObject(input.rawText);
  return {
    cache: input.cache,
    firstUserText: input.messages.find(({ role }) => role === 'user')?.text ?? '',
    request: input.request,
    tools: members.get('tools') ?? '',
    elements: input.elements ?? sliceArray(members.get(input.historyKey) ?? '[]'),
  };
}

/** Equal messages at the start; more than any such number where nothing differs at all. */
function likeness(previous: Conversation, current: Conversation): number {
  const equal = countEqual(previous.elements, current.elements);
  const isContinued = equal === Math.min(previous.elements.length, current.elements.length);
  return isContinued ? 1_000_000 + equal : equal;
}

function countEqual(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    if (one[index] !== other[index]) return index;
  }
  return length;
}

function findBreak(previous: Conversation, current: Conversation): PrefixBreak | undefined {
  const requests = { request: current.request, previousRequest: previous.request };
  if (previous.tools !== current.tools) {
    return { ...requests, place: 'tools', ...firstDifference(previous.tools, current.tools) };
  }
  const index = countEqual(previous.elements, current.elements);
  const before = previous.elements[index];
  const after = current.elements[index];
  if (before === undefined || after === undefined) return undefined;
  return { ...requests, place: `messages[${index}]`, ...firstDifference(before, after) };
}

function firstDifference(before: string, after: string): Pick<PrefixBreak, 'byteOffset' | 'before' | 'after'> {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const start = Math.max(0, at - 20);
  return {
    byteOffset: Buffer.byteLength(before.slice(0, at)),
    before: before.slice(start, at + 60),
    after: after.slice(start, at + 60),
  };
}
