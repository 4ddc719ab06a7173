import { isRecord } from '../../../base/parse-json.ts';
import type { PictureSlot } from '../request-picture.ts';
import type { WireMessage, WireToolCall } from '../wire-message.ts';

/** The messages of a Chat Completions body; what is no object is left out. */
export function readChatMessages(body: Readonly<Record<string, unknown>>): readonly WireMessage[] {
  return readList(body['messages']).flatMap((value, index) => (isRecord(value) ? [readMessage(value, index)] : []));
}

/** Every `image_url` part of every message, whatever its role. */
export function readChatPictureSlots(messages: readonly WireMessage[]): readonly PictureSlot[] {
  return messages.flatMap((message) => {
    const parts = readList(message.value['content']);
    return parts.flatMap((part, partIndex): PictureSlot[] => {
      if (!isRecord(part) || part['type'] !== 'image_url') return [];
      const slot = part['image_url'];
      return [
        {
          messageIndex: message.index,
          partIndex,
          role: message.role,
          label: readLabel(parts[partIndex - 1]),
          param: `messages[${message.index}].content[${partIndex}].image_url`,
          ...(typeof slot === 'string'
            ? { isBare: true, value: { url: slot } }
            : { value: isRecord(slot) ? slot : undefined }),
        },
      ];
    });
  });
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readMessage(value: Readonly<Record<string, unknown>>, index: number): WireMessage {
  const content = value['content'];
  const parts = readList(content).filter(isRecord);
  const texts = parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
  return {
    index,
    role: readString(value['role']),
    text: typeof content === 'string' ? content : texts.join('\n'),
    partTypes: parts.map((part) => readString(part['type']) ?? ''),
    toolCalls: readList(value['tool_calls']).map(readToolCall),
    toolCallId: readString(value['tool_call_id']),
    value,
  };
}

function readToolCall(value: unknown): WireToolCall {
  const call = isRecord(value) ? value : {};
  const called = isRecord(call['function']) ? call['function'] : {};
  return {
    id: readString(call['id']) ?? '',
    name: readString(called['name']) ?? '',
    arguments: readString(called['arguments']) ?? '',
  };
}

function readLabel(part: unknown): string | undefined {
  if (!isRecord(part) || part['type'] !== 'text' || typeof part['text'] !== 'string') return undefined;
  return part['text'].trimEnd().split('\n').at(-1)?.trim().slice(0, 200);
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
