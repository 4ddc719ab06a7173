import { isRecord } from '../../../base/parse-json.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import { checkBlock, type JsonObject, refuseUnknownKey } from './block-schema.ts';
import { readList } from './read-messages-body.ts';

/**
 * Every key that a Messages body may have.
 *
 * Source: `@anthropic-ai/sdk` 1.14.0, resources/messages/messages.d.ts, MessageCreateParamsBase.
 */
const bodyKeys: readonly string[] = [
  'model',
  'max_tokens',
  'messages',
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'metadata',
  'output_config',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
];

const roles: readonly string[] = ['user', 'assistant', 'system'];
const efforts: readonly unknown[] = ['low', 'medium', 'high', 'xhigh', 'max', null, undefined];
const toolKeys: readonly string[] = [
  ...['name', 'description', 'input_schema', 'type', 'cache_control', 'strict', 'eager_input_streaming'],
  ...['allowed_callers', 'defer_loading', 'input_examples'],
];
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const VERSIONS: readonly string[] = ['2023-01-01', '2023-06-01', '2026-10-21'];
const MAX_MESSAGES = 100_000;

/** A version that the endpoint knows is named. Keys are checked before. */
export function checkA1({ headers, personality }: CheckInput): CheckRefusal | undefined {
  if (personality.messages?.version !== true) return undefined;
  const version = headers['anthropic-version'] ?? '';
  if (version === '') return { message: 'anthropic-version: header is required' };
  return VERSIONS.includes(version) ? undefined : { message: `anthropic-version: "${version}" is not a valid version` };
}

/** Top-level keys that neither the protocol nor the personality knows. */
export function checkUnknownKeys({ body, personality }: CheckInput): CheckRefusal | undefined {
  const known = [...bodyKeys, ...personality.extraKeys.body];
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  return unknown === undefined ? undefined : { message: `${unknown}: Extra inputs are not permitted` };
}

/** What must be there, and of the right type, down to the fields of every block. */
export function checkA2(input: CheckInput): CheckRefusal | undefined {
  return checkRequired(input.body) ?? checkOptions(input.body) ?? checkTools(input) ?? checkMessages(input);
}

function checkRequired(body: JsonObject): CheckRefusal | undefined {
  for (const key of ['model', 'max_tokens', 'messages']) {
    if (body[key] === undefined) return { message: `${key}: Field required` };
  }
  const { model, max_tokens: maxTokens, messages } = body;
  if (typeof model !== 'string') return { message: 'model: Input should be a valid string' };
  if (!Number.isInteger(maxTokens)) return { message: 'max_tokens: Input should be a valid integer' };
  if (Number(maxTokens) < 0) return { message: 'max_tokens: Input should be greater than or equal to 0' };
  if (!Array.isArray(messages)) return { message: 'messages: Input should be a valid list' };
  if (messages.length === 0) return { message: 'messages: at least one message is required' };
  return messages.length > MAX_MESSAGES ? { message: 'messages: Too many messages' } : undefined;
}

function checkOptions(body: JsonObject): CheckRefusal | undefined {
  const { stream, temperature, thinking, output_config: outputConfig } = body;
  if (stream !== undefined && typeof stream !== 'boolean')
    return { message: 'stream: Input should be a valid boolean' };
  if (temperature !== undefined && !(typeof temperature === 'number' && temperature >= 0 && temperature <= 1)) {
    return { message: 'temperature: Input should be between 0 and 1' };
  }
  if (isRecord(outputConfig) && !efforts.includes(outputConfig['effort'])) {
    return { message: "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'" };
  }
  return thinking === undefined ? undefined : checkThinking(thinking, Number(body['max_tokens']));
}

function checkThinking(thinking: unknown, maxTokens: number): CheckRefusal | undefined {
  const type = isRecord(thinking) ? thinking['type'] : undefined;
  if (!['adaptive', 'enabled', 'between_tools', 'disabled'].includes(String(type))) {
    return {
      message: `thinking: Input tag '${String(type)}' found using 'type' does not match any of the expected tags`,
    };
  }
  if (type !== 'enabled') return undefined;
  const budget = isRecord(thinking) ? thinking['budget_tokens'] : undefined;
  if (typeof budget !== 'number') return { message: 'thinking.enabled.budget_tokens: Field required' };
  if (budget < 1024) {
    return { message: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024' };
  }
  return budget >= maxTokens ? { message: '`max_tokens` must be greater than `thinking.budget_tokens`.' } : undefined;
}

function checkTools({ body }: CheckInput): CheckRefusal | undefined {
  if (body['tools'] !== undefined && !Array.isArray(body['tools'])) {
    return { message: 'tools: Input should be a valid list' };
  }
  const names = new Set<unknown>();
  for (const [index, tool] of readList(body['tools']).entries()) {
    const refusal = checkTool(tool, `tools.${index}.custom`);
    if (refusal !== undefined) return refusal;
    const name = isRecord(tool) ? tool['name'] : undefined;
    if (names.has(name)) return { message: 'tools: Tool names must be unique.' };
    names.add(name);
  }
  return undefined;
}

function checkTool(tool: unknown, at: string): CheckRefusal | undefined {
  if (!isRecord(tool)) return { message: `${at}: Input should be a valid dictionary` };
  // Tools of the endpoint's own have a type with a date.
  if (tool['type'] !== undefined && tool['type'] !== 'custom') return undefined;
  const { name, input_schema: schema } = tool;
  if (name === undefined || schema === undefined) {
    return { message: `${at}.${name === undefined ? 'name' : 'input_schema'}: Field required` };
  }
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    return { message: `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'` };
  }
  if (!isRecord(schema) || schema['type'] !== 'object') {
    return { message: `${at}.input_schema.type: Input should be 'object'` };
  }
  return refuseUnknownKey(tool, toolKeys, at);
}

function checkMessages({ body, messages, personality }: CheckInput): CheckRefusal | undefined {
  const list = readList(body['messages']);
  const odd = list.findIndex((message) => !isRecord(message));
  if (odd !== -1) return { message: `messages.${odd}: Input should be a valid dictionary` };
  for (const { index, role, value } of messages) {
    const refusal = checkMessage(value, { role, at: `messages.${index}`, extraKeys: personality.extraKeys.message });
    if (refusal !== undefined) return refusal;
  }
  return messages.find(({ role }) => role !== 'system')?.role === 'user'
    ? undefined
    : { message: 'messages: first message must use the "user" role' };
}

function checkMessage(
  value: JsonObject,
  { role, at, extraKeys }: { role: string | undefined; at: string; extraKeys: readonly string[] },
): CheckRefusal | undefined {
  if (role === undefined || !roles.includes(role)) {
    return { message: `${at}.role: Input should be 'user', 'assistant' or 'system'` };
  }
  const { content } = value;
  if (content === undefined) return { message: `${at}.content: Field required` };
  if (typeof content !== 'string' && !Array.isArray(content)) {
    return { message: `${at}.content: Input should be a valid list` };
  }
  for (const [index, block] of readList(content).entries()) {
    const refusal = checkBlock(block, { at: `${at}.content.${index}`, place: role });
    if (refusal !== undefined) return refusal;
  }
  return refuseUnknownKey(value, ['role', 'content', ...extraKeys], at);
}
