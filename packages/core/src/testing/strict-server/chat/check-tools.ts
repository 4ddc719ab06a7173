import { isRecord, parseJson } from '../../../base/parse-json.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { WireMessage } from '../wire-message.ts';
import { invalidValue } from './check-messages.ts';
import { invalidType } from './check-shape.ts';
import { readList } from './read-chat-body.ts';

const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Tools have unique, valid names and object schemas; the calls of messages are whole. */
export function checkC13(input: CheckInput): CheckRefusal | undefined {
  return checkTools(readList(input.body['tools'])) ?? checkToolCalls(input.messages);
}

function checkTools(tools: readonly unknown[]): CheckRefusal | undefined {
  const names = new Set<unknown>();
  for (const [index, tool] of tools.entries()) {
    const refusal = checkTool(tool, `tools[${index}]`);
    if (refusal !== undefined) return refusal;
    const name = isRecord(tool) && isRecord(tool['function']) ? tool['function']['name'] : undefined;
    if (names.has(name)) {
      return { message: 'Tool names must be unique.', param: `tools[${index}].function.name`, code: 'invalid_value' };
    }
    names.add(name);
  }
  return undefined;
}

function checkTool(tool: unknown, at: string): CheckRefusal | undefined {
  if (!isRecord(tool)) return invalidType(at, 'object', tool);
  if (tool['type'] !== 'function') return invalidValue(`${at}.type`, tool['type'], ['function']);
  const called = tool['function'];
  if (!isRecord(called)) return invalidType(`${at}.function`, 'object', called);
  const { name, parameters } = called;
  const refusal = checkName(name, `${at}.function.name`);
  if (refusal !== undefined) return refusal;
  if (parameters === undefined || (isRecord(parameters) && parameters['type'] === 'object')) return undefined;
  const type = isRecord(parameters) && parameters['type'] !== undefined ? JSON.stringify(parameters['type']) : '"None"';
  return {
    message: `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: ${type}'.`,
    param: `${at}.function.parameters`,
    code: 'invalid_function_parameters',
  };
}

function checkName(name: unknown, param: string): CheckRefusal | undefined {
  if (typeof name === 'string' && NAME_PATTERN.test(name)) return undefined;
  return {
    message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'.`,
    param,
    code: 'invalid_value',
  };
}

function checkToolCalls(messages: readonly WireMessage[]): CheckRefusal | undefined {
  for (const { index, value } of messages) {
    const calls = value['tool_calls'];
    if (calls === undefined) continue;
    const at = `messages[${index}].tool_calls`;
    if (!Array.isArray(calls)) return invalidType(at, 'array', calls);
    if (calls.length === 0) {
      return { message: `Invalid '${at}': empty array.`, param: at, code: 'empty_array' };
    }
    const refusal = checkCallList(calls, at);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkCallList(calls: readonly unknown[], at: string): CheckRefusal | undefined {
  const ids = new Set<unknown>();
  for (const [index, call] of calls.entries()) {
    const callAt = `${at}[${index}]`;
    if (!isRecord(call)) return invalidType(callAt, 'object', call);
    const refusal = checkCall(call, callAt);
    if (refusal !== undefined) return refusal;
    if (ids.has(call['id'])) {
      return { message: `Duplicate value for '${callAt}.id'.`, param: `${callAt}.id`, code: 'invalid_value' };
    }
    ids.add(call['id']);
  }
  return undefined;
}

function checkCall(call: Readonly<Record<string, unknown>>, at: string): CheckRefusal | undefined {
  if (typeof call['id'] !== 'string' || call['id'] === '') return invalidType(`${at}.id`, 'string', call['id']);
  if (call['type'] !== 'function') return invalidValue(`${at}.type`, call['type'], ['function']);
  const called = call['function'];
  if (!isRecord(called)) return invalidType(`${at}.function`, 'object', called);
  const refusal = checkName(called['name'], `${at}.function.name`);
  if (refusal !== undefined) return refusal;
  const param = `${at}.function.arguments`;
  if (typeof called['arguments'] !== 'string') return invalidType(param, 'string', called['arguments']);
  return parseJson(called['arguments']).ok
    ? undefined
    : { message: `Invalid '${param}': not a valid JSON string.`, param, code: 'invalid_value' };
}

/** `stream_options` comes with `stream` only. */
export function checkC14({ body }: CheckInput): CheckRefusal | undefined {
  if (body['stream_options'] === undefined || body['stream_options'] === null || body['stream'] === true) {
    return undefined;
  }
  return {
    message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    param: 'stream_options',
    code: 'invalid_value',
  };
}
