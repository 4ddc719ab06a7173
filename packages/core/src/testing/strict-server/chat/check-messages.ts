import { isRecord } from '../../../base/parse-json.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { WireMessage } from '../wire-message.ts';
import { invalidType } from './check-shape.ts';
import { readList } from './read-chat-body.ts';

const roles: readonly string[] = ['system', 'assistant', 'user', 'tool', 'developer'];

/** Types of parts for each role; pictures outside a user's message are left to c3. */
const partTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
};

/** Roles are known. */
export function checkC1({ messages }: CheckInput): CheckRefusal | undefined {
  const message = messages.find(({ role }) => role === undefined || !roles.includes(role));
  if (message === undefined) return undefined;
  const param = `messages[${message.index}].role`;
  return message.value['role'] === undefined
    ? { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' }
    : invalidValue(param, message.value['role'], roles);
}

/** Part types are allowed for the role, and carry their text. */
export function checkC2({ messages }: CheckInput): CheckRefusal | undefined {
  for (const message of messages) {
    for (const [index, part] of readList(message.value['content']).entries()) {
      const refusal = checkPart(part, message, `messages[${message.index}].content[${index}]`);
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

function checkPart(part: unknown, message: WireMessage, at: string): CheckRefusal | undefined {
  if (!isRecord(part)) return invalidType(at, 'object', part);
  const type = part['type'];
  if (type === 'image_url') return undefined;
  const allowed = partTypes[message.role ?? ''] ?? [];
  if (typeof type !== 'string' || !allowed.includes(type)) return invalidValue(`${at}.type`, type, allowed);
  if (type !== 'text' && type !== 'refusal') return undefined;
  const param = `${at}.${type}`;
  if (part[type] === undefined) {
    return { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' };
  }
  return typeof part[type] === 'string' ? undefined : invalidType(param, 'string', part[type]);
}

/** Pictures stand in user messages only. */
export function checkC3({ pictures }: CheckInput): CheckRefusal | undefined {
  const picture = pictures.find(({ role }) => role !== 'user');
  if (picture === undefined) return undefined;
  const param = `messages[${picture.messageIndex}]`;
  return {
    message:
      `Invalid '${param}'. Image URLs are only allowed for messages with role 'user', ` +
      `but this message with role '${picture.role}' contains an image URL.`,
    param,
    code: 'invalid_value',
  };
}

/** Every tool call is answered, directly after its message. */
export function checkC4({ messages }: CheckInput): CheckRefusal | undefined {
  for (const message of messages) {
    const answered = new Set(toolMessagesAfter(messages, message.index).map(({ toolCallId }) => toolCallId));
    const missing = message.toolCalls.filter((call) => !answered.has(call.id));
    if (missing.length === 0) continue;
    return {
      message:
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${missing.map((call) => call.id).join(', ')}`,
      param: 'messages',
    };
  }
  return undefined;
}

function toolMessagesAfter(messages: readonly WireMessage[], index: number): readonly WireMessage[] {
  const after = messages.slice(index + 1);
  const end = after.findIndex(({ role }) => role !== 'tool');
  return end === -1 ? after : after.slice(0, end);
}

/** Every tool message answers a call of the group before it, once. */
export function checkC5({ messages }: CheckInput): CheckRefusal | undefined {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'tool') {
      open = new Set(message.toolCalls.map((call) => call.id));
    } else if (message.toolCallId === undefined || !open.delete(message.toolCallId)) {
      return {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param: `messages.[${message.index}].role`,
      };
    }
  }
  return undefined;
}

/** There is content: words or parts, or, for an assistant, tool calls instead. */
export function checkC6({ messages }: CheckInput): CheckRefusal | undefined {
  for (const message of messages) {
    const found = nameMissingContent(message);
    if (found === undefined) continue;
    return {
      message: `Invalid value for 'content': expected a string, got ${found}.`,
      param: `messages.[${message.index}].content`,
    };
  }
  return undefined;
}

function nameMissingContent({ role, value, toolCalls }: WireMessage): string | undefined {
  const content = value['content'];
  if (typeof content === 'string') return undefined;
  if (Array.isArray(content)) return content.length > 0 ? undefined : 'an empty array';
  if (content !== null && content !== undefined) return typeof content;
  return role === 'assistant' && toolCalls.length > 0 ? undefined : 'null';
}

export function invalidValue(param: string, value: unknown, supported: readonly string[]): CheckRefusal {
  return {
    message: `Invalid value: '${typeof value === 'string' ? value : JSON.stringify(value)}'. Supported values are: ${listWords(supported)}.`,
    param,
    code: 'invalid_value',
  };
}

function listWords(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  if (quoted.length < 3) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
}
