import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { WireMessage } from '../wire-message.ts';

/** No user message follows a tool message, where the endpoint wants an assistant message between. */
export function checkUserAfterTool({ messages, personality }: CheckInput): CheckRefusal | undefined {
  if (personality.refusesUserAfterTool !== true) return undefined;
  const isWrong = messages.some((message, index) => message.role === 'user' && messages[index - 1]?.role === 'tool');
  return isWrong
    ? {
        message: "Unexpected role 'user' after role 'tool'",
        type: 'invalid_request_message_order',
        code: '3230',
      }
    : undefined;
}

/** Every assistant message of a tool loop carries `reasoning_content`, be it empty. */
export function checkReasoning({ messages, personality }: CheckInput): CheckRefusal | undefined {
  if (personality.demandsReasoning !== true) return undefined;
  const message = messages.find(
    (candidate) => isOfToolLoop(candidate, messages) && typeof candidate.value['reasoning_content'] !== 'string',
  );
  return message === undefined
    ? undefined
    : { message: `Missing \`reasoning_content\` field in the assistant message at message index ${message.index}` };
}

/** It calls tools, or stands right behind their results. Behind a user message nobody can tell. */
function isOfToolLoop(message: WireMessage, messages: readonly WireMessage[]): boolean {
  if (message.role !== 'assistant') return false;
  const before = messages.slice(0, message.index);
  return message.toolCalls.length > 0 || before.at(-1)?.role === 'tool';
}
