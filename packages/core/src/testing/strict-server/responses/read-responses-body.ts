import { isRecord } from '../../../base/parse-json.ts';
import { readPictureUrl } from '../pictures/read-picture-url.ts';
import type { PictureSlot } from '../request-picture.ts';
import type { WireMessage } from '../wire-message.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The items of a Responses body, each as a message: calls and thoughts are an assistant's, outputs a
 * tool's. An `input` that is a text is one message of a user; what is no object is left out.
 */
export function readResponsesItems(body: JsonObject): readonly WireMessage[] {
  const { input } = body;
  if (typeof input === 'string') return [readItem({ role: 'user', content: input }, 0)];
  return readList(input).flatMap((value, index) => (isRecord(value) ? [readItem(value, index)] : []));
}

/** The type of an item; a message may leave it out. */
export function typeOf(value: JsonObject): unknown {
  return value['type'] ?? (value['role'] === undefined ? undefined : 'message');
}

/** Every `input_image` of every message and output, whatever its role. */
export function readResponsesPictureSlots(items: readonly WireMessage[]): readonly PictureSlot[] {
  return items.flatMap((item) => {
    const key = typeOf(item.value) === 'function_call_output' ? 'output' : 'content';
    const parts = readList(item.value[key]);
    return parts.flatMap((part, partIndex): PictureSlot[] => {
      if (!isRecord(part) || part['type'] !== 'input_image') return [];
      const at = `input[${item.index}].${key}[${partIndex}]`;
      return [
        {
          messageIndex: item.index,
          partIndex,
          role: item.role,
          label: key === 'output' ? nameCall(item, items) : readLabel(parts[partIndex - 1]),
          param: `${at}.image_url`,
          urlParam: `${at}.image_url`,
          detailParam: `${at}.detail`,
          value: part,
          source: readSource(part),
        },
      ];
    });
  });
}

function readSource(part: JsonObject): NonNullable<PictureSlot['source']> {
  const { file_id: fileId } = part;
  return typeof fileId === 'string' ? { kind: 'file', fileId } : readPictureUrl(part['image_url']);
}

/** A picture inside an output belongs to its call, whatever the words beside it. */
function nameCall({ toolCallId }: WireMessage, items: readonly WireMessage[]): string {
  const call = items.flatMap(({ toolCalls }) => toolCalls).find(({ id }) => id === toolCallId);
  return `result of ${toolCallId ?? '?'} (${call?.name ?? '?'})`;
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readItem(value: JsonObject, index: number): WireMessage {
  const type = typeOf(value);
  const content = type === 'function_call_output' ? value['output'] : value['content'];
  const parts = readList(content).filter(isRecord);
  const texts = parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
  return {
    index,
    role: readRole(value, type),
    text: typeof content === 'string' ? content : texts.join('\n'),
    partTypes: parts.map((part) => readString(part['type']) ?? ''),
    toolCalls:
      type === 'function_call'
        ? [
            {
              id: readString(value['call_id']) ?? '',
              name: readString(value['name']) ?? '',
              arguments: readString(value['arguments']) ?? '',
            },
          ]
        : [],
    toolCallId: type === 'function_call_output' ? readString(value['call_id']) : undefined,
    value,
  };
}

function readRole(value: JsonObject, type: unknown): string | undefined {
  if (type === 'function_call' || type === 'reasoning') return 'assistant';
  return type === 'function_call_output' ? 'tool' : readString(value['role']);
}

function readLabel(part: unknown): string | undefined {
  if (!isRecord(part) || part['type'] !== 'input_text' || typeof part['text'] !== 'string') return undefined;
  return part['text'].trimEnd().split('\n').at(-1)?.trim().slice(0, 200);
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
