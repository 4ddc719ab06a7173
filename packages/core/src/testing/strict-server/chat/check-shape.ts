import { isRecord } from '../../../base/parse-json.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { Personality } from '../personality.ts';
import { readList } from './read-chat-body.ts';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/**
 * Every key that a Chat Completions body may have, with its types.
 *
 * Source: `openai` 6.49.0, resources/chat/completions/completions.d.ts, ChatCompletionCreateParamsBase.
 */
const bodyKeys: Readonly<Record<string, readonly JsonType[]>> = {
  messages: ['array'],
  model: ['string'],
  audio: ['object', 'null'],
  frequency_penalty: ['number', 'null'],
  function_call: ['string', 'object'],
  functions: ['array'],
  logit_bias: ['object', 'null'],
  logprobs: ['boolean', 'null'],
  max_completion_tokens: ['integer', 'null'],
  max_tokens: ['integer', 'null'],
  metadata: ['object', 'null'],
  modalities: ['array', 'null'],
  moderation: ['object', 'null'],
  n: ['integer', 'null'],
  parallel_tool_calls: ['boolean'],
  prediction: ['object', 'null'],
  presence_penalty: ['number', 'null'],
  prompt_cache_key: ['string', 'null'],
  prompt_cache_options: ['object'],
  prompt_cache_retention: ['string', 'null'],
  reasoning_effort: ['string', 'null'],
  response_format: ['object'],
  safety_identifier: ['string', 'null'],
  seed: ['integer', 'null'],
  service_tier: ['string', 'null'],
  stop: ['string', 'array', 'null'],
  store: ['boolean', 'null'],
  stream: ['boolean', 'null'],
  stream_options: ['object', 'null'],
  temperature: ['number', 'null'],
  tool_choice: ['string', 'object'],
  tools: ['array'],
  top_logprobs: ['integer', 'null'],
  top_p: ['number', 'null'],
  user: ['string'],
  verbosity: ['string', 'null'],
  web_search_options: ['object'],
};

const messageKeys: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'refusal', 'audio', 'tool_calls', 'function_call'],
  tool: ['role', 'content', 'name', 'tool_call_id'],
};

const partKeys: readonly string[] = [
  'type',
  'text',
  'refusal',
  'image_url',
  'input_audio',
  'file',
  'prompt_cache_breakpoint',
];
const imageUrlKeys: readonly string[] = ['url', 'detail'];

/** Top-level keys that neither the protocol nor the personality knows. */
export function checkUnknownKeys({ body, personality }: CheckInput): CheckRefusal | undefined {
  const known = new Set([...Object.keys(bodyKeys), ...personality.extraKeys.body]);
  const unknown = Object.keys(body).find((key) => !known.has(key));
  return unknown === undefined ? undefined : { message: `Unrecognized request argument supplied: ${unknown}` };
}

/** What must be there, and of the right type. */
export function checkShape(input: CheckInput): CheckRefusal | undefined {
  return checkRequired(input) ?? checkTypes(input) ?? checkMessageList(input);
}

function checkRequired({ body }: CheckInput): CheckRefusal | undefined {
  if (body['model'] === undefined || body['model'] === '') return { message: 'you must provide a model parameter' };
  if (body['messages'] !== undefined) return undefined;
  return {
    message: "Missing required parameter: 'messages'.",
    param: 'messages',
    code: 'missing_required_parameter',
  };
}

function checkTypes({ body }: CheckInput): CheckRefusal | undefined {
  for (const [key, types] of Object.entries(bodyKeys)) {
    const value = body[key];
    if (value === undefined || types.some((type) => isOfType(value, type))) continue;
    return invalidType(key, types[0] ?? 'string', value);
  }
  return undefined;
}

function checkMessageList({ body }: CheckInput): CheckRefusal | undefined {
  const messages = readList(body['messages']);
  if (messages.length === 0) {
    return {
      message:
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      param: 'messages',
      code: 'empty_array',
    };
  }
  const index = messages.findIndex((message) => !isRecord(message));
  return index === -1 ? undefined : invalidType(`messages[${index}]`, 'object', messages[index]);
}

/** Keys inside messages that neither the protocol nor the personality knows. */
export function checkInnerKeys({ messages, personality }: CheckInput): CheckRefusal | undefined {
  for (const message of messages) {
    const known = messageKeys[message.role ?? ''];
    const at = `messages[${message.index}]`;
    const refusal =
      known === undefined
        ? undefined
        : (refuseUnknownKey(message.value, [...known, ...personality.extraKeys.message], at) ??
          checkPartKeys(message.value, at, personality.extraKeys));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkPartKeys(
  message: Readonly<Record<string, unknown>>,
  at: string,
  { part: extraPartKeys = [], image: extraImageKeys = [] }: Personality['extraKeys'],
): CheckRefusal | undefined {
  for (const [index, part] of readList(message['content']).entries()) {
    const partAt = `${at}.content[${index}]`;
    if (!isRecord(part)) continue;
    const slot = part['image_url'];
    const refusal =
      refuseUnknownKey(part, [...partKeys, ...extraPartKeys], partAt) ??
      (isRecord(slot)
        ? refuseUnknownKey(slot, [...imageUrlKeys, ...extraImageKeys], `${partAt}.image_url`)
        : undefined);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refuseUnknownKey(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  at: string,
): CheckRefusal | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return undefined;
  const param = `${at}.${unknown}`;
  return { message: `Unknown parameter: '${param}'.`, param, code: 'unknown_parameter' };
}

export function invalidType(param: string, expected: string, value: unknown): CheckRefusal {
  return {
    message: `Invalid type for '${param}': expected ${withArticle(expected)}, but got ${withArticle(typeName(value))} instead.`,
    param,
    code: 'invalid_type',
  };
}

export function isOfType(value: unknown, type: JsonType): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeName(value) === type;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}
