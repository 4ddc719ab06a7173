import type { Message } from '../content/messages.ts';

/** What every endpoint takes back that gave the call another id itself. */
const LEGAL_ID = /^[A-Za-z0-9_-]{1,40}$/;

/**
 * Ids of calls as any endpoint takes them, where another one gave them: those of an endpoint's own
 * answers go back as they came, because some keep a thought's proof in them; of the others, those that
 * are too long or hold other characters than letters, digits, `_` and `-` are replaced, always by the
 * same. Endpoints check old calls too: one such id would end the conversation after a switch of model.
 *
 * `messages` are in a legal order (see `closeOpenToolCalls`). Returns a new list, shares unchanged
 * messages and changes nothing.
 *
 * Source: refusals `string_above_max_length` of `messages[].tool_calls[].id` (40 characters, as quoted in
 * langgenius/dify 28987 and vercel/ai 8132) and of `input[].call_id` (64, orchidfiles/ungate 26); the
 * pattern of `tool_use.id` in refusals of the Messages API.
 */
export function adaptForeignCallIds(messages: readonly Message[], endpointId: string): readonly Message[] {
  let replaced: ReadonlyMap<string, string> = new Map();
  return messages.map((message) => {
    switch (message.role) {
      case 'assistant': {
        replaced = message.endpointId === endpointId ? new Map() : findIllegalIds(message.parts);
        if (replaced.size === 0) return message;
        const parts = message.parts.map((part) =>
          part.type === 'tool-call' ? { ...part, toolCallId: replaced.get(part.toolCallId) ?? part.toolCallId } : part,
        );
        return { ...message, parts };
      }
      case 'tool': {
        const toolCallId = replaced.get(message.toolCallId);
        return toolCallId === undefined ? message : { ...message, toolCallId };
      }
      default:
        return message;
    }
  });
}

function findIllegalIds(parts: Extract<Message, { role: 'assistant' }>['parts']): ReadonlyMap<string, string> {
  const ids = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
  return new Map(ids.filter((id) => !LEGAL_ID.test(id)).map((id) => [id, toLegalId(id)]));
}

/** What can be kept of the id, and a digest that tells it from every other one. */
function toLegalId(id: string): string {
  return `${id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 24)}_${digest(id, 0x811c9dc5)}${digest(id, 0x01000193)}`;
}

/** FNV-1a, seven characters: nobody gains by two ids that meet, and this floor has no other digest. */
function digest(text: string, seed: number): string {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(7, '0');
}
