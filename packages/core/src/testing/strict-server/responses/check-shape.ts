import { isRecord } from '../../../base/parse-json.ts';
import { invalidType, isOfType, type JsonType } from '../chat/check-shape.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import { readList, typeOf } from './read-responses-body.ts';

/**
 * Every key that a Responses body may have, with its types.
 *
 * Source: `openai` 6.49.0, resources/responses/responses.d.ts, ResponseCreateParamsBase.
 */
const bodyKeys: Readonly<Record<string, readonly JsonType[]>> = {
  background: ['boolean', 'null'],
  context_management: ['array', 'null'],
  conversation: ['string', 'object', 'null'],
  include: ['array', 'null'],
  input: ['array', 'string'],
  instructions: ['string', 'null'],
  max_output_tokens: ['integer', 'null'],
  max_tool_calls: ['integer', 'null'],
  metadata: ['object', 'null'],
  model: ['string'],
  moderation: ['object', 'null'],
  parallel_tool_calls: ['boolean', 'null'],
  previous_response_id: ['string', 'null'],
  prompt: ['object', 'null'],
  prompt_cache_key: ['string', 'null'],
  prompt_cache_options: ['object'],
  prompt_cache_retention: ['string', 'null'],
  reasoning: ['object', 'null'],
  safety_identifier: ['string', 'null'],
  service_tier: ['string', 'null'],
  store: ['boolean', 'null'],
  stream: ['boolean', 'null'],
  stream_options: ['object', 'null'],
  temperature: ['number', 'null'],
  text: ['object'],
  tool_choice: ['string', 'object'],
  tools: ['array'],
  top_logprobs: ['integer', 'null'],
  top_p: ['number', 'null'],
  truncation: ['string', 'null'],
  user: ['string'],
};

/** Values of `include`. Source: the same file, ResponseIncludable. */
const includable: ReadonlySet<unknown> = new Set([
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
]);

const itemKeys: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'role', 'content', 'id', 'status', 'phase'],
  reasoning: ['type', 'id', 'summary', 'content', 'encrypted_content', 'status'],
  function_call: ['type', 'id', 'call_id', 'name', 'arguments', 'status', 'caller', 'namespace'],
  function_call_output: ['type', 'id', 'call_id', 'output', 'status', 'caller'],
};

const partKeys: Readonly<Record<string, readonly string[]>> = {
  input_text: ['type', 'text', 'prompt_cache_breakpoint'],
  input_image: ['type', 'detail', 'file_id', 'image_url', 'prompt_cache_breakpoint'],
  input_file: ['type', 'detail', 'file_data', 'file_id', 'file_url', 'filename', 'prompt_cache_breakpoint'],
  output_text: ['type', 'text', 'annotations', 'logprobs'],
  refusal: ['type', 'refusal'],
};

/** Top-level keys that neither the protocol nor the personality knows. */
export function checkUnknownKeys({ body, personality }: CheckInput): CheckRefusal | undefined {
  const known = new Set([...Object.keys(bodyKeys), ...personality.extraKeys.body]);
  const unknown = Object.keys(body).find((key) => !known.has(key));
  if (unknown === undefined) return undefined;
  return { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: 'unknown_parameter' };
}

/** What must be there, and of the right type. */
export function checkShape(input: CheckInput): CheckRefusal | undefined {
  return checkRequired(input) ?? checkTypes(input) ?? checkInclude(input) ?? checkItemList(input);
}

function checkRequired({ body }: CheckInput): CheckRefusal | undefined {
  const missing = ['model', 'input'].find((key) => body[key] === undefined || body[key] === '');
  return missing === undefined ? undefined : missingParameter(missing);
}

function checkTypes({ body }: CheckInput): CheckRefusal | undefined {
  for (const [key, types] of Object.entries(bodyKeys)) {
    const value = body[key];
    // The instructions have a check of their own.
    if (value === undefined || key === 'instructions' || types.some((type) => isOfType(value, type))) continue;
    return invalidType(key, types[0] ?? 'string', value);
  }
  return undefined;
}

function checkInclude({ body }: CheckInput): CheckRefusal | undefined {
  const index = readList(body['include']).findIndex((name) => !includable.has(name));
  if (index === -1) return undefined;
  const param = `include[${index}]`;
  return { message: `Invalid value for '${param}'.`, param, code: 'invalid_value' };
}

function checkItemList({ body }: CheckInput): CheckRefusal | undefined {
  if (typeof body['input'] === 'string') return undefined;
  const items = readList(body['input']);
  const index = items.findIndex((item) => !isRecord(item));
  return index === -1 ? undefined : invalidType(`input[${index}]`, 'object', items[index]);
}

/** r10: the instructions are words. */
export function checkR10({ body }: CheckInput): CheckRefusal | undefined {
  const { instructions } = body;
  if (instructions === undefined || instructions === null || typeof instructions === 'string') return undefined;
  return invalidType('instructions', 'string', instructions);
}

/** Keys inside items and parts that the protocol does not know. */
export function checkInnerKeys({ messages, personality }: CheckInput): CheckRefusal | undefined {
  for (const { index, value } of messages) {
    const known = [...(itemKeys[String(typeOf(value))] ?? []), ...personality.extraKeys.message];
    const refusal = refuseUnknownKey(value, known, `input[${index}]`) ?? checkPartKeys(value, index);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkPartKeys(item: Readonly<Record<string, unknown>>, itemIndex: number): CheckRefusal | undefined {
  for (const list of ['content', 'output']) {
    for (const [index, part] of readList(item[list]).entries()) {
      const known = isRecord(part) ? partKeys[String(part['type'])] : undefined;
      if (!isRecord(part) || known === undefined) continue;
      const refusal = refuseUnknownKey(part, known, `input[${itemIndex}].${list}[${index}]`);
      if (refusal !== undefined) return refusal;
    }
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

export function missingParameter(param: string): CheckRefusal {
  return { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' };
}
