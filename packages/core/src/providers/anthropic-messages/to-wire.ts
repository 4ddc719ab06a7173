import { AppError } from '../../base/app-error.ts';
import type { ModelRequest } from '../../content/request.ts';
import type { Endpoint } from '../provider.ts';
import { buildTurns } from './build-turns.ts';
import type { MessagesRequestBody, MessagesTextBlock, MessagesTool, MessagesTurn } from './wire-schema.ts';

/** What an endpoint's taste changes in a Messages body. */
export type MessagesTaste = Pick<Endpoint, 'cacheMarks'>;

/** Fields that a user's `extraBody` cannot replace: they are what the request is. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'system', 'tools']);

/** `max_tokens` is demanded; where the model's own limit is not known, this is one that all current models take. */
const DEFAULT_MAX_TOKENS = 8192;

const MARK = { cache_control: { type: 'ephemeral' } } as const;

/**
 * A request as a Messages body. Pure: the same request gives the same bytes, and a longer conversation
 * begins with the blocks of the shorter one, cache marks aside.
 *
 * `reasoningEffort` goes out as `output_config.effort` and turns no thinking on: which kinds of
 * `thinking` a model takes is known to the user alone, who sets it among the extra fields.
 *
 * Throws `INTERNAL` for a request without any message.
 */
export function toMessagesBody(request: ModelRequest, { cacheMarks = false }: MessagesTaste): MessagesRequestBody {
  const extra = Object.entries(request.extraBody ?? {}).filter(([name]) => !OWN_FIELDS.has(name));
  const turns = buildTurns(request.messages);
  if (turns.length === 0) throw new AppError('INTERNAL', 'a request needs a message');
  const system = systemOf(request);
  const tools = request.tools.map(
    ({ name, description, parameters }): MessagesTool => ({ name, description, input_schema: parameters }),
  );
  // The mark on the system text also covers the tools, which stand before it.
  const markedTools = cacheMarks && system.length === 0 ? markLast(tools) : tools;
  return {
    model: request.model,
    max_tokens: request.maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    stream: true,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.reasoningEffort !== undefined && { output_config: { effort: request.reasoningEffort } }),
    ...Object.fromEntries(extra),
    ...(tools.length > 0 && { tools: markedTools }),
    ...(system.length > 0 && { system: cacheMarks ? markLast(system) : system.map(({ text }) => text).join('\n\n') }),
    messages: cacheMarks ? markTurns(turns) : turns,
  };
}

function systemOf(request: ModelRequest): readonly MessagesTextBlock[] {
  return request.messages.flatMap((message) =>
    message.role === 'system' && message.text.trim() !== '' ? [{ type: 'text', text: message.text }] : [],
  );
}

function markLast<Item extends object>(items: readonly Item[]): readonly Item[] {
  return items.map((item, index) => (index === items.length - 1 ? { ...item, ...MARK } : item));
}

/** So many user turns end in a mark; with the one of the head there are at most four. */
const MARKED_TURNS = 2;

/**
 * Marks the last block of the last two user turns: what this request writes to the cache, and where
 * the request before it wrote. The second is found even when more blocks than an endpoint looks back
 * over lie between.
 */
function markTurns(turns: readonly MessagesTurn[]): readonly MessagesTurn[] {
  const userTurns = turns.filter((turn) => turn.role === 'user');
  const marked = new Set<MessagesTurn>(userTurns.slice(-MARKED_TURNS));
  return turns.map((turn) =>
    turn.role === 'user' && marked.has(turn) ? { ...turn, content: markLast(turn.content) } : turn,
  );
}
