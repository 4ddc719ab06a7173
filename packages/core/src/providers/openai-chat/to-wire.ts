import { AppError } from '../../base/app-error.ts';
import { assertNever } from '../../base/assert-never.ts';
import type { ReasoningReplay } from '../../catalog/wire-api.ts';
import type { AssistantPart, ToolCallPart } from '../../content/parts.ts';
import type {
  ModelRequest,
  RequestImage,
  RequestImageLink,
  RequestMessage,
  UserRequestPart,
} from '../../content/request.ts';
import { detailOf } from '../image-detail.ts';
import { createImageSlot, type ImageSlot } from '../json-body.ts';
import type { Endpoint } from '../provider.ts';
import { shortCallId } from './short-call-id.ts';
import type { ChatImagePart, ChatMessage, ChatRequestBody, ChatTextPart, ChatToolCall } from './wire-schema.ts';

/** What an endpoint's taste changes in a Chat body. */
export type ChatTaste = Pick<
  Endpoint,
  | 'imageDetail'
  | 'regionDetail'
  | 'outputLimitField'
  | 'reasoningReplay'
  | 'assistantAfterTool'
  | 'shortCallIds'
  | 'fileScheme'
>;

/** Fields that a user's `extraBody` cannot replace: they are what the request is. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'tools']);

/**
 * A request as a Chat Completions body, message by message. Pure: the same request gives the same
 * bytes, and a longer conversation begins with the bytes of the shorter one.
 *
 * Throws `INTERNAL` for a tool message with pictures: this wire has no form for it.
 */
export function toChatBody(request: ModelRequest, taste: ChatTaste): ChatRequestBody {
  const outputLimit =
    request.maxOutputTokens === undefined
      ? {}
      : { [taste.outputLimitField ?? ('max_tokens' as const)]: request.maxOutputTokens };
  const extra = Object.entries(request.extraBody ?? {}).filter(([name]) => !OWN_FIELDS.has(name));
  return {
    model: request.model,
    stream: true,
    stream_options: { include_usage: true },
    ...outputLimit,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.reasoningEffort !== undefined && { reasoning_effort: request.reasoningEffort }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters },
      })),
    }),
    ...Object.fromEntries(extra),
    messages: request.messages.flatMap((message, index) => [
      ...(taste.assistantAfterTool === true ? bridgeBefore(message, request.messages[index - 1]) : []),
      toChatMessage(message, { messages: request.messages, index, taste }),
    ]),
  };
}

/**
 * What the model said between the results of its tools and their pictures, for endpoints that take no
 * user message right after a tool message, and no empty one of an assistant. Three dots are no language.
 */
function bridgeBefore(message: RequestMessage, previous: RequestMessage | undefined): readonly ChatMessage[] {
  return message.role === 'user' && previous?.role === 'tool' ? [{ role: 'assistant', content: '…' }] : [];
}

interface Place {
  readonly messages: readonly RequestMessage[];
  readonly index: number;
  readonly taste: ChatTaste;
}

function toChatMessage(message: RequestMessage, place: Place): ChatMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: toUserContent(message.parts, place.taste) };
    case 'assistant':
      return toAssistantMessage(message.parts, place);
    case 'tool':
      if (message.images.length > 0) {
        throw new AppError('INTERNAL', 'a tool message of Chat Completions cannot hold pictures', {
          data: { toolCallId: message.toolCallId, images: message.images.length },
        });
      }
      return {
        role: 'tool',
        tool_call_id: callId(message.toolCallId, place.taste),
        content: message.text || EMPTY_TOOL_CONTENT,
      };
    default:
      return assertNever(message);
  }
}

/** Some endpoints refuse a tool message without content. An empty string, as JSON writes it, is no language. */
const EMPTY_TOOL_CONTENT = '""';

function toUserContent(
  parts: readonly UserRequestPart[],
  taste: ChatTaste,
): string | readonly (ChatTextPart | ChatImagePart)[] {
  // Endpoints without eyes often know no lists of parts: words alone go as a string.
  if (parts.every((part) => part.type === 'text')) return parts.map((part) => part.text).join('\n');
  return parts
    .filter((part) => part.type !== 'text' || part.text !== '')
    .map((part) => {
      if (part.type === 'text') return { type: 'text', text: part.text };
      const detail = detailOf(part, taste);
      return { type: 'image_url', image_url: { url: imageUrl(part, taste), ...(detail !== undefined && { detail }) } };
    });
}

/** This wire has no field for a file's id: where an endpoint takes one, it is a URL of its own scheme. */
function imageUrl(part: RequestImage | RequestImageLink, { fileScheme }: ChatTaste): ImageSlot | string {
  if (part.type === 'image') return createImageSlot(part, 'data-url');
  return 'url' in part.link ? part.link.url : `${fileScheme ?? ''}${part.link.fileId}`;
}

function toAssistantMessage(parts: readonly AssistantPart[], place: Place): ChatMessage {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const thinking = parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('');
  const calls = parts.filter((part) => part.type === 'tool-call');
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(replaysReasoning(place) && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toChatToolCall(call, place.taste)) }),
  };
}

function callId(id: string, { shortCallIds }: ChatTaste): string {
  return shortCallIds === true ? shortCallId(id) : id;
}

function toChatToolCall(call: ToolCallPart, taste: ChatTaste): ChatToolCall {
  return {
    id: callId(call.toolCallId, taste),
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  };
}

/**
 * Whether this assistant message carries its thinking. For `tool-loop` it depends only on the message
 * and what stands before it, so that later turns do not change it.
 */
function replaysReasoning({ messages, index, taste }: Place): boolean {
  const replay: ReasoningReplay = taste.reasoningReplay ?? 'never';
  switch (replay) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'tool-loop': {
      const message = messages[index];
      const hasCalls = message?.role === 'assistant' && message.parts.some((part) => part.type === 'tool-call');
      return hasCalls || followsToolResult(messages, index);
    }
    default:
      return assertNever(replay);
  }
}

/** Pictures of tools stand in a synthetic user message between the results and the answer. */
function followsToolResult(messages: readonly RequestMessage[], index: number): boolean {
  const previous = messages
    .slice(0, index)
    .findLast((message) => !(message.role === 'user' && message.origin === 'synthetic'));
  return previous?.role === 'tool';
}
