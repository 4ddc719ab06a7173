import { assertNever } from '../base/assert-never.ts';
import { attachmentReference } from '../base/ids.ts';
import type { Locale } from '../base/locale.ts';
import { type ImageRef, isImageRef } from '../content/attachment-ref.ts';
import type { ImageLink, UserPicture } from '../content/image-input.ts';
import type { Message, ToolAttachment, ToolMessage, UserMessage } from '../content/messages.ts';
import type { ShownPicture } from '../content/picture-region.ts';
import type { RequestImage, RequestImageLink, RequestMessage, UserRequestPart } from '../content/request.ts';
import type { PromptHead } from '../content/session.ts';
import { describeTransform } from './describe-transform.ts';
import type { ConversationChange } from './find-changes.ts';
import type { ContextNotice } from './notices.ts';
import { renderReference } from './render-reference.ts';
import { repairToolCalls } from './repair-tool-calls.ts';
import { replaceToolText } from './replace-tool-text.ts';
import { contextTexts } from './texts.ts';

/** Facts of an original, as a message refers to it, and the part of it that the message shows. */
export type OriginalPicture = Pick<ImageRef, 'digest' | 'mediaType' | 'sizeBytes' | 'widthPx' | 'heightPx' | 'name'> &
  Pick<ShownPicture, 'region'>;

export interface ToRequestMessagesInput {
  /** In a legal order: see `closeOpenToolCalls`. */
  readonly messages: readonly Message[];
  readonly promptHead: PromptHead;
  /** What the request sends for an original; `undefined` when its bytes are gone. */
  readonly findImage: (original: OriginalPicture) => RequestImage | undefined;
  /** What the request holds for a picture that the endpoint fetches itself; `undefined`: it does not take it. */
  readonly findLink: (link: ImageLink) => RequestImageLink | undefined;
  /** What is told before the text of a user's message, by the message's id. */
  readonly changes: ReadonlyMap<string, ConversationChange>;
  readonly locale: Locale;
}

export interface RequestMessages {
  readonly messages: readonly RequestMessage[];
  readonly notices: readonly ContextNotice[];
}

/**
 * Stored messages as one request shows them: the session's fixed head, then every message.
 *
 * A user's pictures come first, in the order of `imageInputs`, then notes on those that are not sent
 * as they are and on what has changed, then the text exactly as typed (wire-facts rule 14), then the
 * blocks of what `@path` named in it; a picture without text is a message. A tool's text is the
 * stored content, unchanged, and its pictures stay with it: a later rule moves them where the
 * endpoint wants them.
 */
export function toRequestMessages({ messages, promptHead, ...facts }: ToRequestMessagesInput): RequestMessages {
  const notices: ContextNotice[] = [];
  const context: MessageContext = { ...facts, notices };
  const converted = messages.map((message): RequestMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', origin: 'user', parts: userParts(message, context) };
      case 'assistant':
        return { role: 'assistant', parts: repairToolCalls(message.parts) };
      case 'tool':
        return toolMessage(message, context);
      default:
        return assertNever(message);
    }
  });
  return { messages: [{ role: 'system', text: promptHead.systemPrompt }, ...converted], notices };
}

interface MessageContext extends Omit<ToRequestMessagesInput, 'messages' | 'promptHead'> {
  readonly notices: ContextNotice[];
}

function userParts(message: UserMessage, context: MessageContext): readonly UserRequestPart[] {
  const parts: UserRequestPart[] = message.imageInputs.map((input) => userPicture(input, context));
  const notes = [...transformNotes(parts, context.locale), ...changeNotes(message, context)];
  if (notes.length > 0) parts.push({ type: 'text', text: notes.join('\n') });
  if (message.content !== '' || parts.length === 0) parts.push({ type: 'text', text: message.content });
  for (const reference of message.references ?? []) {
    parts.push({ type: 'text', text: renderReference(reference, context.locale) });
  }
  return parts;
}

function changeNotes(message: UserMessage, { changes, locale }: MessageContext): readonly string[] {
  const { date, model } = changes.get(message.id) ?? {};
  const texts = contextTexts[locale];
  return [
    ...(date === undefined ? [] : [texts.newDay(date)]),
    ...(model === undefined ? [] : [texts.otherModel(model)]),
  ];
}

/** One line for each picture that the model sees otherwise than the user: its places have to be told. */
function transformNotes(parts: readonly UserRequestPart[], locale: Locale): readonly string[] {
  return parts.flatMap((part, index) => {
    const transform = part.type === 'image' ? describeTransform(part, locale) : undefined;
    if (part.type !== 'image' || transform === undefined) return [];
    const reference = attachmentReference(part.originalDigest);
    return [contextTexts[locale].userPictureNote({ number: index + 1, name: part.name, transform, reference })];
  });
}

function userPicture(input: UserPicture, context: MessageContext): UserRequestPart {
  const { findImage, locale, notices } = context;
  const texts = contextTexts[locale];
  if ('url' in input || 'file' in input) return linkedPicture(input, context);
  if (!('attachment' in input) || !isImageRef(input.attachment)) {
    const name = 'attachment' in input ? input.attachment.name : describeDataUri(input.dataUri);
    notices.push({ kind: 'not-admitted', name });
    return { type: 'text', text: texts.unstoredPicture(name) };
  }
  const image = findImage(input.attachment);
  if (image !== undefined) return image;
  notices.push({ kind: 'missing', digest: input.attachment.digest, name: input.attachment.name });
  return { type: 'text', text: texts.missingPicture(input.attachment) };
}

function linkedPicture(link: ImageLink, { findLink, locale, notices }: MessageContext): UserRequestPart {
  const found = findLink(link);
  if (found !== undefined) return found;
  const name = 'url' in link ? link.url : link.file.id;
  notices.push({ kind: 'link-not-sent', name });
  return { type: 'text', text: contextTexts[locale].linkNotSent(name) };
}

/** By what it claims to be: its payload is no name. */
function describeDataUri(dataUri: string): string {
  const mediaType = /^\s*data:([\w.+-]+\/[\w.+-]+)/i.exec(dataUri.slice(0, LONGEST_DATA_URI_NAME))?.[1];
  return mediaType === undefined ? 'data URI' : `data URI (${mediaType.toLowerCase()})`;
}

const LONGEST_DATA_URI_NAME = 64;

function toolMessage(message: ToolMessage, { findImage, locale, notices }: MessageContext): RequestMessage {
  const texts = contextTexts[locale];
  const images: RequestImage[] = [];
  const sentences: string[] = [];
  for (const attachment of message.metadata.attachments) {
    const original = originalOf(attachment);
    const image = findImage(original);
    if (image !== undefined) {
      images.push(image);
      continue;
    }
    const { toolCallId } = message;
    notices.push({ kind: 'missing', digest: original.digest, name: original.name, toolCallId });
    sentences.push(texts.missingPicture(original));
  }
  for (const { path: name } of message.metadata.legacyPictures ?? []) {
    notices.push({ kind: 'not-admitted', name });
    sentences.push(texts.unstoredPicture(name));
  }
  const content = message.content === '' ? texts.emptyResult : message.content;
  return {
    role: 'tool',
    toolCallId: message.toolCallId,
    toolName: message.toolName,
    isError: message.isError,
    text: sentences.length === 0 ? content : replaceToolText(content, sentences),
    images,
  };
}

function originalOf(attachment: ToolAttachment): OriginalPicture {
  return {
    digest: attachment.digest,
    mediaType: attachment.mime,
    sizeBytes: attachment.size_bytes,
    widthPx: attachment.width,
    heightPx: attachment.height,
    name: attachment.path,
    ...(attachment.region && { region: attachment.region }),
  };
}
