import { createHash } from 'node:crypto';
import { isRecord, parseJson } from '../../base/parse-json.ts';
import type { ToolCallPart } from '../../content/parts.ts';
import type { MessagesToolUseBlock } from './wire-schema.ts';

const LEGAL_ID = /^[A-Za-z0-9_-]+$/;

/**
 * The id of a call as this wire takes it back: as it is, where it is one. Other wires have ids such as
 * `functions.view_image:0`, which a conversation keeps when it changes its model; they get an id
 * that is legal, always the same, and different for different ones.
 *
 * Source: the pattern of `tool_use.id` in refusals of the Messages API.
 */
export function legalCallId(id: string): string {
  if (LEGAL_ID.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 48)}_${digest}`;
}

/** A call as a block. Arguments that are no JSON object, which `context` has repaired, stand under one key. */
export function toToolUse({ toolCallId, name, arguments: text }: ToolCallPart): MessagesToolUseBlock {
  return { type: 'tool_use', id: legalCallId(toolCallId), name, input: inputOf(text) };
}

function inputOf(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : { invalid_arguments: text };
}
