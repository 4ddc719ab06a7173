import { assertNever } from '../base/assert-never.ts';
import type { Locale } from '../base/locale.ts';
import type { ToolImagePlacement } from '../catalog/wire-api.ts';
import type { RequestMessage, UserRequestPart } from '../content/request.ts';
import { describeTransform } from './describe-transform.ts';
import { ATTACHED_MEDIA_PREFIX, contextTexts } from './texts.ts';

type ToolRequestMessage = Extract<RequestMessage, { role: 'tool' }>;

/**
 * Puts the pictures of tools where the endpoint takes them (decisions X7 and X20).
 *
 * `after-group` and `toplevel-user` move them into one synthetic user message directly after the
 * complete group of tool messages: first a constant, then for each picture, in call order, a line
 * that names its call, tool and path and what was done to it, and the picture. `inline` leaves them
 * in the tool messages, whose text then says what was done.
 * Users' messages stay where they are. Returns a new list and changes nothing.
 */
export function relocateToolImages(
  messages: readonly RequestMessage[],
  { toolImages, locale }: { readonly toolImages: ToolImagePlacement; readonly locale: Locale },
): readonly RequestMessage[] {
  switch (toolImages) {
    case 'inline':
      return messages.map((message) => tellTransforms(message, locale));
    case 'after-group':
    case 'toplevel-user':
      return moveAfterGroups(messages, locale);
    default:
      return assertNever(toolImages);
  }
}

function tellTransforms(message: RequestMessage, locale: Locale): RequestMessage {
  if (message.role !== 'tool') return message;
  const notes = message.images.flatMap((image) => describeTransform(image, locale) ?? []);
  return notes.length === 0 ? message : { ...message, text: [message.text, ...notes].join('\n') };
}

function moveAfterGroups(messages: readonly RequestMessage[], locale: Locale): readonly RequestMessage[] {
  const moved: RequestMessage[] = [];
  let group: ToolRequestMessage[] = [];
  const closeGroup = (): void => {
    if (group.some((message) => message.images.length > 0)) moved.push(carrierOf(group, locale));
    group = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') {
      closeGroup();
      moved.push(message);
      continue;
    }
    group.push(message);
    moved.push(message.images.length === 0 ? message : { ...message, images: [] });
  }
  closeGroup();
  return moved;
}

function carrierOf(group: readonly ToolRequestMessage[], locale: Locale): RequestMessage {
  const texts = contextTexts[locale];
  const parts: UserRequestPart[] = [{ type: 'text', text: ATTACHED_MEDIA_PREFIX }];
  for (const { toolCallId, toolName, images } of group) {
    for (const image of images) {
      const transform = describeTransform(image, locale);
      const line = { toolCallId, toolName, path: image.name, ...(transform !== undefined && { transform }) };
      parts.push({ type: 'text', text: texts.toolPictureLine(line) }, image);
    }
  }
  return { role: 'user', origin: 'synthetic', parts };
}
