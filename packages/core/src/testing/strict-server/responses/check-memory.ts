import { createHash } from 'node:crypto';
import type { AnswerMemory } from '../answer-memory.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { WireMessage } from '../wire-message.ts';
import { readList, typeOf } from './read-responses-body.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A file that is named is there, where the endpoint has files at all. */
export function checkR8({ pictures, personality }: CheckInput): CheckRefusal | undefined {
  for (const { param, source } of pictures) {
    if (source.kind !== 'file') continue;
    const at = param.replace(/image_url$/, 'file_id');
    if (!(personality.responses?.limits?.fileId ?? personality.limits.fileId)) {
      return { message: `Unknown parameter: '${at}'.`, param: at, code: 'unknown_parameter' };
    }
    const state = personality.responses?.files?.[source.fileId];
    if (state === 'ready') continue;
    const words = state === 'expired' ? 'has expired' : 'was not found';
    return { status: 404, message: `The file ${source.fileId} ${words}.`, param: at, code: 'image_file_not_found' };
  }
  return undefined;
}

/** Takes note of a thought that an answer gave, and of the item behind it. */
export function keepThought(
  memory: AnswerMemory,
  { model, item, next }: { readonly model: unknown; readonly item: JsonObject; readonly next: JsonObject | undefined },
): void {
  memory.keep(ownerOf(model, item), [digestThought(item), next === undefined ? '' : markOf(next)]);
}

/**
 * A thought comes back as it was, to the model that had it, before what followed it. Source of the
 * words: the service's answers as field reports quote them.
 */
export function checkR9({ body, messages, memory }: CheckInput): CheckRefusal | undefined {
  for (const [index, { value }] of messages.entries()) {
    if (typeOf(value) !== 'reasoning') continue;
    const id = String(value['id']);
    if (!hasContent(value) && body['store'] === false) return refuseUnstored(id);
    const next = messages.slice(index + 1).find((item) => typeOf(item.value) !== 'reasoning');
    if (next === undefined || next.role !== 'assistant') {
      const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
      return { message, param: 'input' };
    }
    const [digest, mark] = memory.find(ownerOf(body['model'], value)) ?? [];
    if (digest !== digestThought(value)) {
      const message = `The encrypted content for item ${id} could not be verified.`;
      return { message, code: 'invalid_encrypted_content' };
    }
    if (!isFollower(next, mark ?? '')) {
      const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
      return { message, param: 'input' };
    }
  }
  return undefined;
}

function hasContent(value: JsonObject): boolean {
  return typeof value['encrypted_content'] === 'string' || readList(value['content']).length > 0;
}

function refuseUnstored(id: string): CheckRefusal {
  return {
    status: 404,
    message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param: 'input',
  };
}

/** A message may be only the beginning of what was said: the user stopped it. */
function isFollower(item: WireMessage, mark: string): boolean {
  const found = markOf(item.value);
  return found === mark || (found.startsWith('text ') && mark.startsWith(found));
}

function ownerOf(model: unknown, item: JsonObject): string {
  return `responses ${String(model)} ${String(item['id'])}`;
}

function digestThought({ encrypted_content: encrypted, content, summary }: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify([encrypted, content, summary]))
    .digest('hex');
}

function markOf(item: JsonObject): string {
  if (typeOf(item) === 'function_call') return `call ${String(item['call_id'])}`;
  const texts = readList(item['content']).map((part) => (isText(part) ? part.text : ''));
  return `text ${typeof item['content'] === 'string' ? item['content'] : texts.join('')}`;
}

function isText(part: unknown): part is { readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}
