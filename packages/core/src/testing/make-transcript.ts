import type { Digest } from '../base/ids.ts';
import type { ImageRef } from '../content/attachment-ref.ts';
import type { AssistantMessage, ToolAttachment, ToolMessage, UserMessage } from '../content/messages.ts';
import type { AssistantPart, ToolCallPart } from '../content/parts.ts';
import type { VariantRecord } from '../content/variant-record.ts';

const CREATED_AT = '2026-11-30T12:00:00.000Z';

/** A well-formed digest that repeats one hexadecimal digit. */
export function fakeDigest(digit: string): Digest {
  return `sha256:${digit.repeat(64)}`;
}

export function makeImageRef(name: string, digest: Digest): ImageRef {
  return { digest, mediaType: 'image/png', sizeBytes: 1000, widthPx: 64, heightPx: 48, name };
}

export function makeUserMessage(
  id: string,
  content: string,
  options: { readonly images?: readonly ImageRef[]; readonly turnId?: string } = {},
): UserMessage {
  return {
    id,
    turnId: options.turnId ?? 'turn_1',
    createdAt: CREATED_AT,
    role: 'user',
    content,
    imageInputs: (options.images ?? []).map((attachment) => ({ attachment })),
  };
}

export function makeCall(toolCallId: string, name = 'view_image', toolArguments = '{"path":"a.png"}'): ToolCallPart {
  return { type: 'tool-call', toolCallId, name, arguments: toolArguments };
}

export function makeAssistantMessage(
  id: string,
  parts: readonly (AssistantPart | string)[],
  options: { readonly turnId?: string; readonly status?: AssistantMessage['status'] } = {},
): AssistantMessage {
  return {
    id,
    turnId: options.turnId ?? 'turn_1',
    createdAt: CREATED_AT,
    role: 'assistant',
    parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
    model: 'lab/seer',
    status: options.status ?? 'completed',
  };
}

/** A picture that a tool gave, as metadata stores it. */
export function makeToolAttachment(path: string, digest: Digest): ToolAttachment {
  return { mime: 'image/png', path, digest, width: 64, height: 48, size_bytes: 1000 };
}

/** The stored answer of a tool; with a picture, its content is the JSON of an image result. */
export function makeToolMessage(
  toolCallId: string,
  content: string | ToolAttachment,
  options: { readonly turnId?: string; readonly toolName?: string; readonly isError?: boolean } = {},
): ToolMessage {
  const attachment = typeof content === 'string' ? undefined : content;
  return {
    id: `result_${toolCallId}`,
    turnId: options.turnId ?? 'turn_1',
    createdAt: CREATED_AT,
    role: 'tool',
    toolCallId,
    toolName: options.toolName ?? 'view_image',
    content: typeof content === 'string' ? content : imageResult(content),
    isError: options.isError ?? false,
    metadata: { attachments: attachment === undefined ? [] : [attachment] },
  };
}

function imageResult({ path, mime, width, height, size_bytes }: ToolAttachment): string {
  const content = `Image read: ${path} (${mime}, ${size_bytes} B, ${width}×${height})`;
  return JSON.stringify({ content, total_lines: 0, media_type: 'image', mime, path, width, height, size_bytes });
}

/** The variant of an original; `digest` absent means the original's own bytes. */
export function makeVariantRecord(originalDigest: Digest, digest: Digest = originalDigest): VariantRecord {
  return {
    originalDigest,
    variantKey: 'p1',
    digest,
    mediaType: 'image/png',
    sizeBytes: 900,
    widthPx: 64,
    heightPx: 48,
    changes: digest === originalDigest ? ['none'] : ['reencoded'],
  };
}

/** Freezes a value and everything in it, so that a test fails when something changes its input. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
