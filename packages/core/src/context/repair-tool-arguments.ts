import { isRecord, parseJson } from '../base/parse-json.ts';
import type { AssistantPart } from '../content/parts.ts';

/**
 * The parts of an assistant message with arguments that every endpoint takes back: the JSON text
 * of an object. Several endpoints parse old arguments and refuse the whole request otherwise, so
 * one slip of a model would end the conversation.
 *
 * Valid arguments stay byte for byte; an empty text becomes `{}`; anything else stands as text
 * under one key, so that the model can see what it wrote. Returns the same list when nothing changes.
 */
export function repairToolArguments(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const isValid = parts.every((part) => part.type !== 'tool-call' || isObjectText(part.arguments));
  if (isValid) return parts;
  return parts.map((part) => {
    if (part.type !== 'tool-call' || isObjectText(part.arguments)) return part;
    const repaired = part.arguments.trim() === '' ? '{}' : JSON.stringify({ invalid_arguments: part.arguments });
    return { ...part, arguments: repaired };
  });
}

function isObjectText(text: string): boolean {
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value);
}
