import { assertNever } from '../../base/assert-never.ts';
import { isRecord, parseJson } from '../../base/parse-json.ts';
import type { AssistantPart, ThinkingPart, ToolCallPart } from '../../content/parts.ts';
import type {
  ModelRequest,
  RequestImage,
  RequestImageLink,
  RequestMessage,
  UserRequestPart,
} from '../../content/request.ts';
import { detailOf } from '../image-detail.ts';
import { createImageSlot } from '../json-body.ts';
import type { Endpoint } from '../provider.ts';
import type {
  ResponsesCallItem,
  ResponsesImagePart,
  ResponsesInputItem,
  ResponsesInputPart,
  ResponsesOutputItem,
  ResponsesReasoningItem,
  ResponsesRequestBody,
} from './wire-schema.ts';

/** What an endpoint's taste changes in a Responses body. */
export type ResponsesTaste = Pick<Endpoint, 'imageDetail' | 'regionDetail' | 'strictPairs' | 'store' | 'fileScheme'>;

/** Fields that a user's `extraBody` cannot replace: they are what the request is. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'tools',
  'previous_response_id',
  'conversation',
]);

/**
 * A request as a Responses body that replays the whole conversation. Pure: the same request gives
 * the same bytes, and a longer conversation begins with the bytes of the shorter one.
 */
export function toResponsesBody(request: ModelRequest, taste: ResponsesTaste): ResponsesRequestBody {
  const extra = Object.entries(request.extraBody ?? {}).filter(([name]) => !OWN_FIELDS.has(name));
  const { instructions, messages } = splitInstructions(request.messages);
  return {
    model: request.model,
    stream: true,
    store: taste.store ?? false,
    include: ['reasoning.encrypted_content'],
    ...(request.maxOutputTokens !== undefined && { max_output_tokens: request.maxOutputTokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.reasoningEffort !== undefined && { reasoning: { effort: request.reasoningEffort } }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        parameters,
        strict: false as const,
      })),
    }),
    ...Object.fromEntries(extra),
    ...(instructions !== undefined && { instructions }),
    input: toInputItems(messages, taste),
  };
}

/** System texts at the head are the instructions; later ones stay where they are. */
function splitInstructions(messages: readonly RequestMessage[]): {
  readonly instructions: string | undefined;
  readonly messages: readonly RequestMessage[];
} {
  const end = messages.findIndex((message) => message.role !== 'system');
  const head = end === -1 ? messages : messages.slice(0, end);
  const texts = head.flatMap((message) => (message.role === 'system' ? [message.text] : []));
  return {
    instructions: texts.length === 0 ? undefined : texts.join('\n\n'),
    messages: messages.slice(head.length),
  };
}

function toInputItems(messages: readonly RequestMessage[], taste: ResponsesTaste): readonly ResponsesInputItem[] {
  const items: ResponsesInputItem[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        items.push({ type: 'message', role: 'system', content: [{ type: 'input_text', text: message.text }] });
        break;
      case 'user':
        items.push({ type: 'message', role: 'user', content: toUserContent(message.parts, taste) });
        break;
      case 'assistant':
        items.push(...toAnswerItems(message.parts, taste));
        break;
      case 'tool':
        items.push(toOutputItem(message, taste));
        break;
      default:
        assertNever(message);
    }
  }
  return taste.strictPairs === true ? pairOutputs(items) : items;
}

function toUserContent(parts: readonly UserRequestPart[], taste: ResponsesTaste): readonly ResponsesInputPart[] {
  const content = parts.flatMap((part): ResponsesInputPart[] => {
    if (part.type !== 'text') return [toImagePart(part, taste)];
    return part.text === '' ? [] : [{ type: 'input_text', text: part.text }];
  });
  return content.length > 0 ? content : [{ type: 'input_text', text: '' }];
}

function toImagePart(part: RequestImage | RequestImageLink, taste: ResponsesTaste): ResponsesImagePart {
  const detail = detailOf(part, taste);
  const taken = { type: 'input_image', ...(detail !== undefined && { detail }) } as const;
  if (part.type === 'image') return { ...taken, image_url: createImageSlot(part, 'data-url') };
  if ('url' in part.link) return { ...taken, image_url: part.link.url };
  const { fileId } = part.link;
  // Where an endpoint has a scheme of its own for files, they go where URLs go.
  return taste.fileScheme === undefined
    ? { ...taken, file_id: fileId }
    : { ...taken, image_url: `${taste.fileScheme}${fileId}` };
}

/**
 * The items of one answer, in the order in which the model gave them. A thought that nothing of its
 * answer follows, as in an answer that was stopped, is refused by the endpoint and left out.
 */
function toAnswerItems(parts: readonly AssistantPart[], taste: ResponsesTaste): readonly ResponsesInputItem[] {
  const items = parts.flatMap((part): readonly ResponsesInputItem[] => {
    switch (part.type) {
      case 'text':
        if (part.text === '') return [];
        return [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: part.text }] }];
      case 'thinking':
        return toReasoningItems(part, taste);
      case 'tool-call':
        return [toCallItem(part)];
      default:
        return assertNever(part);
    }
  });
  return items.slice(0, items.findLastIndex((item) => item.type !== 'reasoning') + 1);
}

/**
 * The item as the endpoint gave it; nothing for thinking that did not come as an item of this wire.
 * Where nothing is stored, an item without content of its own names what the endpoint does not have.
 */
function toReasoningItems({ opaque }: ThinkingPart, { store }: ResponsesTaste): readonly ResponsesReasoningItem[] {
  const parsed = opaque === undefined ? undefined : parseJson(opaque);
  if (parsed?.ok !== true || !isReasoningItem(parsed.value)) return [];
  const { encrypted_content: encrypted, content } = parsed.value;
  const hasContent =
    (typeof encrypted === 'string' && encrypted !== '') || (Array.isArray(content) && content.length > 0);
  return hasContent || store === true ? [parsed.value] : [];
}

function isReasoningItem(value: unknown): value is ResponsesReasoningItem {
  return isRecord(value) && value['type'] === 'reasoning';
}

function toCallItem(call: ToolCallPart): ResponsesCallItem {
  return { type: 'function_call', call_id: call.toolCallId, name: call.name, arguments: call.arguments || '{}' };
}

/** Some endpoints refuse an output without content. An empty string, as JSON writes it, is no language. */
const EMPTY_OUTPUT = '""';

function toOutputItem(
  { toolCallId, text, images }: Extract<RequestMessage, { role: 'tool' }>,
  taste: ResponsesTaste,
): ResponsesOutputItem {
  const item = { type: 'function_call_output', call_id: toolCallId } as const;
  if (images.length === 0) return { ...item, output: text || EMPTY_OUTPUT };
  const words: readonly ResponsesInputPart[] = text === '' ? [] : [{ type: 'input_text', text }];
  return { ...item, output: [...words, ...images.map((image) => toImagePart(image, taste))] };
}

/** Every output directly behind its call; everything else keeps its order. */
function pairOutputs(items: readonly ResponsesInputItem[]): readonly ResponsesInputItem[] {
  const outputs = items.filter(isOutputItem);
  const placed = new Set<ResponsesInputItem>();
  const paired: ResponsesInputItem[] = [];
  for (const item of items) {
    if (placed.has(item)) continue;
    paired.push(item);
    if (!isCallItem(item)) continue;
    const output = outputs.find((candidate) => candidate.call_id === item.call_id && !placed.has(candidate));
    if (output === undefined) continue;
    placed.add(output);
    paired.push(output);
  }
  return paired;
}

function isCallItem(item: ResponsesInputItem): item is ResponsesCallItem {
  return item.type === 'function_call';
}

function isOutputItem(item: ResponsesInputItem): item is ResponsesOutputItem {
  return item.type === 'function_call_output';
}
