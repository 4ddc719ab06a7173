import type { RequestMessage } from '../content/request.ts';

/**
 * Whether a request shows a picture that the user did not attach: one that a tool gave, of this
 * turn or an earlier one, or one behind a URL. What it says may be a stranger's words.
 */
export function holdsForeignPicture(messages: readonly RequestMessage[]): boolean {
  return messages.some((message) => {
    if (message.role === 'tool') return message.images.length > 0;
    if (message.role !== 'user') return false;
    return message.parts.some((part) => {
      if (part.type === 'image-link') return 'url' in part.link || message.origin !== 'user';
      return part.type === 'image' && message.origin !== 'user';
    });
  });
}
