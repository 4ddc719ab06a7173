import { createHash } from 'node:crypto';
import type { AnswerMemory } from '../answer-memory.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { WireMessage } from '../wire-message.ts';
import { blocksOf, type PlacedBlock } from './read-messages-body.ts';

/** A thought as an answer gives it. */
export type Thought =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

/** Remembers the thoughts of an answer, each alone and all of them with each of its calls. */
export function keepThoughts(memory: AnswerMemory, thoughts: readonly Thought[], callIds: readonly string[]): void {
  const digests = thoughts.map(digestOf);
  for (const digest of digests) memory.keep(`thought ${digest}`, []);
  for (const callId of callIds) memory.keep(`thoughts of ${callId}`, digests);
}

/**
 * Thoughts come back exactly as they were given. In the current tool loop all of them do, in their
 * order, at the head of their turn; those of older turns may be left out.
 */
export function checkA16({ messages, memory }: CheckInput): CheckRefusal | undefined {
  const loopStart = messages.findLastIndex((message) => isTyped(message));
  for (const message of messages) {
    const thoughts = blocksOf(message).filter(isThought);
    const forged = thoughts.find(({ value }) => memory.find(`thought ${digestOf(value)}`) === undefined);
    if (forged !== undefined) {
      return { message: `${forged.at}: Invalid \`signature\` in \`thinking\` block` };
    }
    if (message.index <= loopStart) continue;
    const refusal = checkLoop(message, thoughts, memory);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkLoop(
  message: WireMessage,
  thoughts: readonly PlacedBlock[],
  memory: AnswerMemory,
): CheckRefusal | undefined {
  const [call] = message.toolCalls;
  const given = call === undefined ? undefined : memory.find(`thoughts of ${call.id}`);
  if (given === undefined || given.length === 0) return undefined;
  const returned = thoughts.map(({ value }) => digestOf(value));
  const [first] = blocksOf(message);
  if (first === undefined || !isThought(first)) {
    return {
      message:
        `messages.${message.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found ` +
        `\`${first?.type ?? 'nothing'}\`. A final \`assistant\` message must start with a thinking block.`,
    };
  }
  return returned.join() === given.join()
    ? undefined
    : {
        message: `messages.${message.index}.content.0: \`thinking\` or \`redacted_thinking\` blocks cannot be modified. These blocks must remain as they were in the original response.`,
      };
}

/** What a person wrote begins a tool loop. */
function isTyped(message: WireMessage): boolean {
  return message.role === 'user' && !message.partTypes.includes('tool_result');
}

function isThought({ type }: PlacedBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function digestOf(thought: Readonly<Record<string, unknown>> | Thought): string {
  const { thinking, signature, data } = thought as Readonly<Record<string, unknown>>;
  return createHash('sha256')
    .update(JSON.stringify([thinking, signature, data]))
    .digest('hex');
}
