import { isRecord } from '../../../base/parse-json.ts';
import { decodeCanonicalBase64, type PictureSource } from '../pictures/read-picture-url.ts';
import type { PictureSlot } from '../request-picture.ts';
import { sliceArray, sliceObject } from '../slice-json.ts';
import type { WireMessage, WireToolCall } from '../wire-message.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A block of a message, or of a tool result inside one. */
export interface PlacedBlock {
  readonly messageIndex: number;
  readonly partIndex: number;
  /** Where errors say it is: `messages.0.content.1`, `messages.0.content.1.content.0`. */
  readonly at: string;
  readonly role: string | undefined;
  readonly type: string | undefined;
  readonly value: JsonObject;
  /** The tool result that holds it. */
  readonly result?: JsonObject;
}

/** The messages of a body; what is no object is left out. */
export function readMessages(body: JsonObject): readonly WireMessage[] {
  return readList(body['messages']).flatMap((value, index) => (isRecord(value) ? [readMessage(value, index)] : []));
}

/** The blocks of a message in their order, those inside of tool results left out. */
export function blocksOf(message: WireMessage): readonly PlacedBlock[] {
  return readList(message.value['content']).flatMap((value, partIndex): PlacedBlock[] => {
    if (!isRecord(value)) return [];
    const at = `messages.${message.index}.content.${partIndex}`;
    const type = readString(value['type']);
    return [{ messageIndex: message.index, partIndex, at, role: message.role, type, value }];
  });
}

/** The blocks inside of a tool result. */
export function innerBlocksOf(block: PlacedBlock): readonly PlacedBlock[] {
  if (block.type !== 'tool_result') return [];
  return readList(block.value['content']).flatMap((value, index): PlacedBlock[] =>
    isRecord(value)
      ? [{ ...block, at: `${block.at}.content.${index}`, type: readString(value['type']), value, result: block.value }]
      : [],
  );
}

/** Every block of every message, each followed by those inside of it. */
export function allBlocksOf(messages: readonly WireMessage[]): readonly PlacedBlock[] {
  return messages.flatMap(blocksOf).flatMap((block) => [block, ...innerBlocksOf(block)]);
}

/** Every `image` block of every message, wherever it stands. */
export function readPictureSlots(messages: readonly WireMessage[]): readonly PictureSlot[] {
  const toolNames = new Map(messages.flatMap(({ toolCalls }) => toolCalls.map(({ id, name }) => [id, name] as const)));
  let previous: PlacedBlock | undefined;
  return allBlocksOf(messages).flatMap((block): PictureSlot[] => {
    const before = previous;
    previous = block;
    if (block.type !== 'image') return [];
    const source = block.value['source'];
    const label = block.result === undefined ? labelOf(before, block) : nameResult(block.result, toolNames);
    return [
      {
        messageIndex: block.messageIndex,
        partIndex: block.partIndex,
        role: block.role,
        label,
        param: block.at,
        value: isRecord(source) ? source : undefined,
        source: readSource(source),
      },
    ];
  });
}

/** Where base64 belongs: in pictures, and in what the endpoint itself gave to be brought back. */
export function isPictureSlot(path: readonly (string | number)[]): boolean {
  const text = path.map((step) => (typeof step === 'number' ? '#' : step)).join('.');
  return /^messages\.#\.content\.#(?:\.content\.#)?\.source\.data$|^messages\.#\.content\.#\.(?:signature|data)$/.test(
    text,
  );
}

const CACHE_MARK = /,"cache_control":\{"type":"ephemeral"(?:,"ttl":"[^"]*")?\}/g;

/**
 * The history as a cache compares it: block by block, because neighbouring turns of one role are one,
 * and without cache marks, which are no part of the prompt.
 */
export function sliceMessagesHistory(rawText: string): readonly string[] {
  const members = sliceObject(rawText.replaceAll(CACHE_MARK, ''));
  const system = members.get('system');
  const turns = sliceArray(members.get('messages') ?? '[]').flatMap((turn) => {
    const { role = '', content = '' } = Object.fromEntries(sliceObject(turn));
    const blocks = content.startsWith('[') ? sliceArray(content) : [`{"type":"text","text":${content}}`];
    return blocks.map((block) => `${role} ${block}`);
  });
  return [...(system === undefined ? [] : [`system ${system}`]), ...turns];
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readMessage(value: JsonObject, index: number): WireMessage {
  const content = value['content'];
  const parts = readList(content).filter(isRecord);
  const texts = parts.flatMap((part) =>
    part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return {
    index,
    role: readString(value['role']),
    text: typeof content === 'string' ? content : texts.join('\n'),
    partTypes: parts.map((part) => readString(part['type']) ?? ''),
    toolCalls: parts.flatMap((part) => (part['type'] === 'tool_use' ? [readToolUse(part)] : [])),
    toolCallId: undefined,
    value,
  };
}

function readToolUse(block: JsonObject): WireToolCall {
  return {
    id: readString(block['id']) ?? '',
    name: readString(block['name']) ?? '',
    arguments: JSON.stringify(block['input'] ?? {}),
  };
}

function readSource(source: unknown): PictureSource {
  if (!isRecord(source)) return { kind: 'other', reason: 'Field required' };
  const { type, data, media_type: mediaType, url, file_id: fileId } = source;
  if (type === 'url') return { kind: 'url', url: readString(url) ?? '' };
  if (type === 'file') return { kind: 'file', fileId: readString(fileId) ?? '' };
  if (type !== 'base64') return { kind: 'other', reason: 'unknown type' };
  const bytes = typeof data === 'string' ? decodeCanonicalBase64(data) : undefined;
  return { kind: 'data', mediaType: readString(mediaType) ?? '', bytes };
}

/** The last line of the text right before a picture. */
function labelOf(before: PlacedBlock | undefined, block: PlacedBlock): string | undefined {
  if (before?.type !== 'text' || before.messageIndex !== block.messageIndex || before.result !== undefined) {
    return undefined;
  }
  return readString(before.value['text'])?.trimEnd().split('\n').at(-1)?.trim().slice(0, 200);
}

function nameResult(result: JsonObject, toolNames: ReadonlyMap<string, string>): string {
  const id = readString(result['tool_use_id']) ?? '';
  return `result of ${id} (${toolNames.get(id) ?? 'unknown tool'})`;
}
