import { isRecord, parseJson } from '../base/parse-json.ts';
import type { AssistantPart, ToolCallPart } from '../content/parts.ts';

const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The parts of an assistant message with tool calls that every endpoint takes back: a name that a
 * tool can have, and the JSON text of an object as arguments. Endpoints check old calls too and
 * refuse the whole request otherwise, so one slip of a model would end the conversation; the
 * answer to the call has already told the model what was wrong.
 *
 * Valid calls stay byte for byte; empty arguments become `{}`; anything else stands as text under
 * one key, so that the model can see what it wrote. Returns the same list when nothing changes.
 *
 * Source: wire-facts section 13.2, check c13; the same pattern holds on all three wires.
 */
export function repairToolCalls(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  if (parts.every((part) => part.type !== 'tool-call' || isLegal(part))) return parts;
  return parts.map((part) => (part.type === 'tool-call' && !isLegal(part) ? repair(part) : part));
}

function isLegal(call: ToolCallPart): boolean {
  return LEGAL_NAME.test(call.name) && isObjectText(call.arguments);
}

function repair(call: ToolCallPart): ToolCallPart {
  return { ...call, name: legalName(call.name), arguments: legalArguments(call.arguments) };
}

function legalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}

function legalArguments(text: string): string {
  if (isObjectText(text)) return text;
  return text.trim() === '' ? '{}' : JSON.stringify({ invalid_arguments: text });
}

function isObjectText(text: string): boolean {
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value);
}
