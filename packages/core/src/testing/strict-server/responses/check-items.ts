import { isRecord, parseJson } from '../../../base/parse-json.ts';
import { invalidValue } from '../chat/check-messages.ts';
import { invalidType } from '../chat/check-shape.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { WireMessage } from '../wire-message.ts';
import { missingParameter } from './check-shape.ts';
import { readList, typeOf } from './read-responses-body.ts';

const itemTypes: readonly string[] = ['message', 'reasoning', 'function_call', 'function_call_output'];
const roles: readonly string[] = ['assistant', 'system', 'developer', 'user'];
const inputTypes: readonly string[] = ['input_text', 'input_image', 'input_file'];

/** Types of parts for each role; pictures belong to users and to outputs (wire-facts section 2). */
const partTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['input_text'],
  developer: ['input_text'],
  user: inputTypes,
  assistant: ['output_text', 'refusal'],
};

/** Types of items, roles and parts are known, and what they must hold is there. */
export function checkR1({ messages }: CheckInput): CheckRefusal | undefined {
  for (const item of messages) {
    const refusal = checkItem(item, `input[${item.index}]`);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkItem(item: WireMessage, at: string): CheckRefusal | undefined {
  const type = typeOf(item.value);
  if (type === undefined) return missingParameter(`${at}.type`);
  switch (type) {
    case 'message':
      return checkMessage(item, at);
    case 'reasoning':
      return Array.isArray(item.value['summary']) ? undefined : missingParameter(`${at}.summary`);
    case 'function_call':
      return checkCall(item.value, at);
    case 'function_call_output':
      return checkOutput(item.value, at);
    default:
      return invalidValue(`${at}.type`, type, itemTypes);
  }
}

function checkMessage({ role, value }: WireMessage, at: string): CheckRefusal | undefined {
  if (role === undefined || !roles.includes(role)) return invalidValue(`${at}.role`, value['role'], roles);
  const { content } = value;
  if (typeof content === 'string') return undefined;
  if (content === undefined) return missingParameter(`${at}.content`);
  if (!Array.isArray(content)) return invalidType(`${at}.content`, 'array', content);
  return checkParts(content, partTypes[role] ?? [], `${at}.content`);
}

function checkCall(value: Readonly<Record<string, unknown>>, at: string): CheckRefusal | undefined {
  for (const key of ['call_id', 'name', 'arguments']) {
    const given = value[key];
    if (given === undefined) return missingParameter(`${at}.${key}`);
    if (typeof given !== 'string') return invalidType(`${at}.${key}`, 'string', given);
  }
  const param = `${at}.arguments`;
  return parseJson(String(value['arguments'])).ok
    ? undefined
    : { message: `Invalid '${param}': not a valid JSON string.`, param, code: 'invalid_value' };
}

function checkOutput(value: Readonly<Record<string, unknown>>, at: string): CheckRefusal | undefined {
  if (typeof value['call_id'] !== 'string') return missingParameter(`${at}.call_id`);
  const { output } = value;
  if (output === undefined) return missingParameter(`${at}.output`);
  if (typeof output === 'string') return undefined;
  if (!Array.isArray(output)) return invalidType(`${at}.output`, 'array', output);
  return checkParts(output, inputTypes, `${at}.output`);
}

function checkParts(parts: readonly unknown[], allowed: readonly string[], at: string): CheckRefusal | undefined {
  for (const [index, part] of parts.entries()) {
    const partAt = `${at}[${index}]`;
    if (!isRecord(part)) return invalidType(partAt, 'object', part);
    const { type } = part;
    if (typeof type !== 'string' || !allowed.includes(type)) return invalidValue(`${partAt}.type`, type, allowed);
    const key = { input_text: 'text', output_text: 'text', refusal: 'refusal' }[type];
    if (key === undefined) continue;
    if (part[key] === undefined) return missingParameter(`${partAt}.${key}`);
    if (typeof part[key] !== 'string') return invalidType(`${partAt}.${key}`, 'string', part[key]);
  }
  return undefined;
}

/** A picture is a URL or a file, and not both. */
export function checkR2({ pictures }: CheckInput): CheckRefusal | undefined {
  for (const { param, value } of pictures) {
    const given = ['image_url', 'file_id'].filter((key) => value?.[key] !== undefined && value[key] !== null);
    if (given.length === 0) return missingParameter(param);
    if (given.length === 2) {
      const at = param.replace(/\.image_url$/, '');
      return {
        message: `Mutually exclusive parameters: '${at}'. Ensure you are only providing one of: 'image_url' or 'file_id'.`,
        param: at,
        code: 'mutually_exclusive_parameters',
      };
    }
  }
  return undefined;
}

/** Every call has an output, wherever it stands. */
export function checkR3({ messages, personality }: CheckInput): CheckRefusal | undefined {
  const answered = new Set(messages.flatMap(({ toolCallId }) => toolCallId ?? []));
  const open = callsOf(messages).find(({ id }) => !answered.has(id));
  if (open === undefined) return undefined;
  return personality.responses?.strictPairs === true
    ? refusePair(open.id)
    : { message: `No tool output found for function call ${open.id}.`, param: 'input' };
}

/** Every output has a call before it, and is its only one. */
export function checkR4({ messages }: CheckInput): CheckRefusal | undefined {
  const open = new Set<string>();
  for (const { toolCalls, toolCallId } of messages) {
    for (const { id } of toolCalls) open.add(id);
    if (toolCallId === undefined || open.delete(toolCallId)) continue;
    return { message: `No tool call found for function call output with call_id ${toolCallId}.`, param: 'input' };
  }
  return undefined;
}

/** Where pairs are strict, nothing stands between a call and its output. */
export function checkR5({ messages, personality }: CheckInput): CheckRefusal | undefined {
  if (personality.responses?.strictPairs !== true) return undefined;
  const parted = messages.find(
    ({ toolCalls }, index) => toolCalls[0] !== undefined && messages[index + 1]?.toolCallId !== toolCalls[0].id,
  );
  return parted === undefined ? undefined : refusePair(parted.toolCalls[0]?.id ?? '');
}

/** Source of the words: DeepSeek's answers as field reports quote them (wire-facts section 12). */
function refusePair(id: string): CheckRefusal {
  return { message: `No tool output found for tool call ${id}`, param: '', code: 'invalid_request_error' };
}

/** Some clones take words as outputs, and no lists. */
export function checkR6({ messages, personality }: CheckInput): CheckRefusal | undefined {
  if (personality.responses?.stringOutputsOnly !== true) return undefined;
  const item = messages.find(({ value, toolCallId }) => toolCallId !== undefined && Array.isArray(value['output']));
  return item === undefined ? undefined : invalidType(`input[${item.index}].output`, 'string', item.value['output']);
}

const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Tools have unique, valid names, object schemas, and say whether they are strict. */
export function checkTools({ body }: CheckInput): CheckRefusal | undefined {
  const names = new Set<unknown>();
  for (const [index, tool] of readList(body['tools']).entries()) {
    const at = `tools[${index}]`;
    if (!isRecord(tool)) return invalidType(at, 'object', tool);
    if (tool['type'] !== 'function') return invalidValue(`${at}.type`, tool['type'], ['function']);
    const refusal = checkTool(tool, at);
    if (refusal !== undefined) return refusal;
    if (names.has(tool['name'])) {
      return { message: 'Tool names must be unique.', param: `${at}.name`, code: 'invalid_value' };
    }
    names.add(tool['name']);
  }
  return undefined;
}

function checkTool(tool: Readonly<Record<string, unknown>>, at: string): CheckRefusal | undefined {
  const { name, parameters, strict } = tool;
  if (name === undefined) return missingParameter(`${at}.name`);
  if (typeof name !== 'string' || !NAME_PATTERN.test(name)) {
    return {
      message: `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      param: `${at}.name`,
      code: 'invalid_value',
    };
  }
  if (typeof strict !== 'boolean' && strict !== null) return missingParameter(`${at}.strict`);
  if (isRecord(parameters) && parameters['type'] === 'object') return undefined;
  return {
    message: `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`,
    param: `${at}.parameters`,
    code: 'invalid_function_parameters',
  };
}

function callsOf(messages: readonly WireMessage[]): readonly { readonly id: string }[] {
  return messages.flatMap(({ toolCalls }) => toolCalls);
}
