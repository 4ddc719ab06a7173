import { isRecord, parseJson } from '../base/parse-json.ts';
import type { AssistantPart, ToolCallPart } from '../content/parts.ts';

const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Perhaps half of a character, as an escape in JSON text. */
const SURROGATE = /\\ud[89a-f]/i;
/** Half of a character as `JSON.stringify` writes it: whole ones are no escapes there. */
const HALF_CHARACTER = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * The parts of an assistant message with tool calls that every endpoint takes back: a name that a
 * tool can have, and the JSON text of an object as arguments. Endpoints check old calls too and
 * refuse the whole request otherwise, so one slip of a model would end the conversation; the
 * answer to the call has already told the model what was wrong.
 *
 * Half of a character, which JSON can write as an escape, becomes U+FFFD: endpoints that read the
 * arguments themselves fail at it. Other valid calls stay byte for byte; empty arguments become `{}`;
 * anything else stands as text under one key, so that the model can see what it wrote. Returns the
 * same list when nothing changes.
 *
 * Source: wire-facts section 13.2, check c13; the same pattern holds on all three wires.
 */
export function repairToolCalls(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  if (parts.every((part) => part.type !== 'tool-call' || isLegal(part))) return parts;
  return parts.map((part) => (part.type === 'tool-call' && !isLegal(part) ? repair(part) : part));
}

function isLegal(call: ToolCallPart): boolean {
  return LEGAL_NAME.test(call.name) && legalArguments(call.arguments) === call.arguments;
}

function repair(call: ToolCallPart): ToolCallPart {
  return { ...call, name: legalName(call.name), arguments: legalArguments(call.arguments) };
}

function legalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}

function legalArguments(text: string): string {
  const parsed = parseJson(text);
  if (parsed.ok && isRecord(parsed.value)) return SURROGATE.test(text) ? withoutHalves(text, parsed.value) : text;
  return text.trim() === '' ? '{}' : JSON.stringify({ invalid_arguments: text });
}

function withoutHalves(text: string, value: unknown): string {
  const plain = JSON.stringify(value);
  const whole = plain.replaceAll(HALF_CHARACTER, '$1\ufffd');
  return whole === plain ? text : whole;
}
