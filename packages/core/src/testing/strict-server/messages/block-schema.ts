import { isRecord } from '../../../base/parse-json.ts';
import type { CheckRefusal } from '../check-failure.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

type FieldType = 'string' | 'boolean' | 'dictionary' | 'content' | 'id' | 'name' | 'list';

interface BlockSchema {
  /** Fields that must be there. */
  readonly required: Readonly<Record<string, FieldType>>;
  readonly optional: Readonly<Record<string, FieldType>>;
}

/** Source: `@anthropic-ai/sdk` 1.14.0, resources/messages/messages.d.ts, the block params. */
const schemas: Readonly<Record<string, BlockSchema>> = {
  text: { required: { text: 'string' }, optional: { cache_control: 'dictionary', citations: 'list' } },
  image: {
    required: { source: 'dictionary' },
    optional: { cache_control: 'dictionary', transformations: 'dictionary' },
  },
  document: {
    required: { source: 'dictionary' },
    optional: { cache_control: 'dictionary', citations: 'dictionary', context: 'string', title: 'string' },
  },
  tool_result: {
    required: { tool_use_id: 'id' },
    optional: { content: 'content', is_error: 'boolean', cache_control: 'dictionary', toolset_name: 'string' },
  },
  tool_use: {
    required: { id: 'id', name: 'name', input: 'dictionary' },
    optional: { cache_control: 'dictionary', caller: 'dictionary', toolset_name: 'string' },
  },
  thinking: { required: { thinking: 'string', signature: 'string' }, optional: {} },
  redacted_thinking: { required: { data: 'string' }, optional: {} },
};

/** Types of blocks by role, and inside of a tool result; pictures at the wrong place are left to a3. */
const typesAt: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use', 'image'],
  system: ['text', 'image'],
  tool_result: ['text', 'image', 'document'],
};

const sourceFields: Readonly<Record<string, readonly string[]>> = {
  base64: ['media_type', 'data'],
  url: ['url'],
  file: ['file_id'],
};

export interface BlockPlace {
  readonly at: string;
  /** A role, or `tool_result`. */
  readonly place: string;
}

/** A block has a type that its place allows, its fields and no others. */
export function checkBlock(block: unknown, { at, place }: BlockPlace): CheckRefusal | undefined {
  if (!isRecord(block)) return { message: `${at}: Input should be a valid dictionary` };
  const { type } = block;
  if (type === undefined) return { message: `${at}.type: Field required` };
  const schema = typeof type === 'string' && typesAt[place]?.includes(type) ? schemas[type] : undefined;
  if (typeof type !== 'string' || schema === undefined) {
    const tags = (typesAt[place] ?? []).map((tag) => `'${tag}'`).join(', ');
    return {
      message: `${at}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${tags}`,
    };
  }
  const typedAt = `${at}.${type}`;
  return (
    checkFields(block, schema, typedAt) ??
    (type === 'image' ? checkSource(block['source'], `${typedAt}.source`) : undefined) ??
    (type === 'tool_result' ? checkContent(block['content'], at) : undefined)
  );
}

function checkFields(block: JsonObject, { required, optional }: BlockSchema, at: string): CheckRefusal | undefined {
  const missing = Object.keys(required).find((field) => block[field] === undefined);
  if (missing !== undefined) return { message: `${at}.${missing}: Field required` };
  const fields = { ...required, ...optional };
  for (const [field, type] of Object.entries(fields)) {
    const value = block[field];
    if (value === undefined || (value === null && field in optional)) continue;
    const complaint = complainOf(value, type);
    if (complaint !== undefined) return { message: `${at}.${field}: ${complaint}` };
  }
  return refuseUnknownKey(block, ['type', ...Object.keys(fields)], at);
}

function complainOf(value: unknown, type: FieldType): string | undefined {
  switch (type) {
    case 'dictionary':
      return isRecord(value) ? undefined : 'Input should be a valid dictionary';
    case 'list':
      return Array.isArray(value) ? undefined : 'Input should be a valid list';
    case 'content':
      return typeof value === 'string' || Array.isArray(value) ? undefined : 'Input should be a valid list';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Input should be a valid boolean';
    case 'id':
      return matches(value, /^[a-zA-Z0-9_-]+$/) ? undefined : "String should match pattern '^[a-zA-Z0-9_-]+$'";
    case 'name':
      return matches(value, /^[a-zA-Z0-9_-]{1,64}$/)
        ? undefined
        : "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'";
    case 'string':
      return typeof value === 'string' ? undefined : 'Input should be a valid string';
  }
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function checkSource(source: unknown, at: string): CheckRefusal | undefined {
  if (!isRecord(source)) return { message: `${at}: Input should be a valid dictionary` };
  const type = String(source['type']);
  const fields = sourceFields[type];
  if (fields === undefined) {
    return {
      message: `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'base64', 'url', 'file'`,
    };
  }
  const missing = fields.find((field) => typeof source[field] !== 'string');
  if (missing !== undefined) return { message: `${at}.${type}.${missing}: Field required` };
  return refuseUnknownKey(source, ['type', ...fields], `${at}.${type}`);
}

function checkContent(content: unknown, at: string): CheckRefusal | undefined {
  if (!Array.isArray(content)) return undefined;
  for (const [index, inner] of content.entries()) {
    const refusal = checkBlock(inner, { at: `${at}.content.${index}`, place: 'tool_result' });
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

export function refuseUnknownKey(value: JsonObject, known: readonly string[], at: string): CheckRefusal | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  return unknown === undefined ? undefined : { message: `${at}.${unknown}: Extra inputs are not permitted` };
}
