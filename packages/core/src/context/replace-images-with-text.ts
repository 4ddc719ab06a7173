import type { Locale } from '../base/locale.ts';
import type { RequestImage, RequestMessage } from '../content/request.ts';
import type { ContextNotice } from './notices.ts';
import { replaceToolText } from './replace-tool-text.ts';
import { contextTexts } from './texts.ts';
import type { RequestMessages } from './to-request-messages.ts';

/**
 * A request for a model without eyes: no image part anywhere in the history, and at the same
 * position the sentence that stands for it (requirements R039, R040, R047; wire-facts rules 25
 * and 26). The stored messages stay as they are, so that a model that sees gets the pixels again.
 */
export function replaceImagesWithText(messages: readonly RequestMessage[], locale: Locale): RequestMessages {
  const texts = contextTexts[locale];
  const notices: ContextNotice[] = [];
  const report = (image: RequestImage, toolCallId?: string): void => {
    const { originalDigest: digest, name } = image;
    notices.push({
      kind: 'replaced-by-notice',
      digest,
      name,
      ...(toolCallId === undefined ? {} : { toolCallId }),
    });
  };
  const replaced = messages.map((message): RequestMessage => {
    if (message.role === 'user') {
      if (message.parts.every((part) => part.type === 'text')) return message;
      const parts = message.parts.map((part) => {
        if (part.type === 'text') return part;
        if (part.type === 'image-link') {
          const name = 'url' in part.link ? part.link.url : part.link.fileId;
          notices.push({ kind: 'link-replaced', name });
          return { type: 'text' as const, text: texts.blindLinkedPicture(name) };
        }
        report(part);
        return { type: 'text' as const, text: texts.blindUserPicture(part) };
      });
      return { ...message, parts };
    }
    if (message.role !== 'tool' || message.images.length === 0) return message;
    const sentences = message.images.map((image) => {
      report(image, message.toolCallId);
      return texts.blindToolPicture(image.name);
    });
    return { ...message, text: replaceToolText(message.text, sentences), images: [] };
  });
  return { messages: replaced, notices };
}
