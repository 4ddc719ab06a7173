import { assertNever } from '../../base/assert-never.ts';
import { singleLine } from '../../base/single-line.ts';
import type { AssistantPart } from '../../content/parts.ts';
import type { RequestImage, RequestImageLink, RequestMessage } from '../../content/request.ts';
import { createImageSlot } from '../json-body.ts';
import { legalCallId, toToolUse } from './tool-use.ts';
import type {
  MessagesAssistantBlock,
  MessagesImageBlock,
  MessagesMediaType,
  MessagesTextBlock,
  MessagesToolResultBlock,
  MessagesTurn,
  MessagesUserBlock,
} from './wire-schema.ts';

type ToolMessage = Extract<RequestMessage, { role: 'tool' }>;
type MutableTurn =
  | { readonly role: 'user'; readonly content: MessagesUserBlock[] }
  | { readonly role: 'assistant'; readonly content: MessagesAssistantBlock[] };

/** Endpoints refuse a text block without words. An empty string, as JSON writes it, is no language. */
const EMPTY_TEXT = '""';

/**
 * The messages of a request as turns of this wire, in which user and assistant alternate and the
 * user is first (wire-facts rules 8 to 10).
 *
 * The results of a tool group are the head of the user turn after it, in call order; pictures that
 * `context` put into a message behind the group, those of failed calls, and what the user says next
 * follow in the same turn. System messages are no turns.
 */
export function buildTurns(messages: readonly RequestMessage[]): readonly MessagesTurn[] {
  const turns: MutableTurn[] = [];

  function userContent(): MessagesUserBlock[] {
    const last = turns.at(-1);
    if (last?.role === 'user') return last.content;
    const content: MessagesUserBlock[] = [];
    turns.push({ role: 'user', content });
    return content;
  }

  function assistantContent(): MessagesAssistantBlock[] {
    const last = turns.at(-1);
    if (last?.role === 'assistant') return last.content;
    // A conversation that begins with an answer, as after older messages gave way.
    if (last === undefined) userContent().push({ type: 'text', text: EMPTY_TEXT });
    const content: MessagesAssistantBlock[] = [];
    turns.push({ role: 'assistant', content });
    return content;
  }

  messages.forEach((message, index) => {
    switch (message.role) {
      case 'system':
        return;
      case 'user':
        userContent().push(...toUserBlocks(message.parts));
        return;
      case 'assistant': {
        const blocks = endWithWordsOrCall(message.parts.flatMap(toAssistantBlock));
        if (blocks.length > 0) assistantContent().push(...blocks);
        return;
      }
      case 'tool':
        if (messages[index - 1]?.role === 'tool') return;
        userContent().push(...toResultBlocks(groupAt(messages, index)));
        return;
      default:
        assertNever(message);
    }
  });
  return turns;
}

/** The tool messages from `start` on. */
function groupAt(messages: readonly RequestMessage[], start: number): readonly ToolMessage[] {
  const group: ToolMessage[] = [];
  for (const message of messages.slice(start)) {
    if (message.role !== 'tool') break;
    group.push(message);
  }
  return group;
}

function toUserBlocks(parts: Extract<RequestMessage, { role: 'user' }>['parts']): readonly MessagesUserBlock[] {
  const blocks = parts.flatMap((part): readonly MessagesUserBlock[] =>
    part.type === 'text' ? textBlocks(part.text) : [toImageBlock(part)],
  );
  return blocks.length > 0 ? blocks : [{ type: 'text', text: EMPTY_TEXT }];
}

/** Blanks alone are refused like no text at all. */
function textBlocks(text: string): readonly MessagesTextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** All results of a group, then the pictures of its failed calls, each behind a line that names its call. */
function toResultBlocks(group: readonly ToolMessage[]): readonly MessagesUserBlock[] {
  const orphans = group.flatMap((message) =>
    message.isError ? message.images.flatMap((image) => [nameCall(message, image), toImageBlock(image)]) : [],
  );
  return [...group.map(toResultBlock), ...orphans];
}

function toResultBlock({ toolCallId, text, images, isError }: ToolMessage): MessagesToolResultBlock {
  const result = { type: 'tool_result', tool_use_id: legalCallId(toolCallId) } as const;
  // What failed may hold words alone.
  if (isError) return { ...result, content: text.trim() === '' ? EMPTY_TEXT : text, is_error: true };
  if (images.length === 0) return { ...result, content: text.trim() === '' ? EMPTY_TEXT : text };
  return { ...result, content: [...images.map(toImageBlock), ...textBlocks(text)] };
}

function nameCall({ toolCallId, toolName }: ToolMessage, { name }: RequestImage): MessagesTextBlock {
  return { type: 'text', text: `${legalCallId(toolCallId)} (${toolName}): ${singleLine(name)}` };
}

function toImageBlock(image: RequestImage | RequestImageLink): MessagesImageBlock {
  if (image.type === 'image') {
    // The slot refuses every other type.
    const data = createImageSlot(image, 'base64');
    return { type: 'image', source: { type: 'base64', media_type: image.mediaType as MessagesMediaType, data } };
  }
  const { link } = image;
  return {
    type: 'image',
    source: 'url' in link ? { type: 'url', url: link.url } : { type: 'file', file_id: link.fileId },
  };
}

/** Endpoints refuse an answer whose last block is a thought, as a stop or a limit leaves one behind. */
function endWithWordsOrCall(blocks: readonly MessagesAssistantBlock[]): readonly MessagesAssistantBlock[] {
  const last = blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return blocks.slice(0, last + 1);
}

/**
 * Thinking goes back as it came, and only with its proof: an endpoint refuses what it did not sign.
 */
function toAssistantBlock(part: AssistantPart): readonly MessagesAssistantBlock[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part.text);
    case 'thinking': {
      const { text, signature = '', opaque = '' } = part;
      if (signature !== '') return [{ type: 'thinking', thinking: text, signature }];
      return opaque === '' ? [] : [{ type: 'redacted_thinking', data: opaque }];
    }
    case 'tool-call':
      return [toToolUse(part)];
    default:
      return assertNever(part);
  }
}
