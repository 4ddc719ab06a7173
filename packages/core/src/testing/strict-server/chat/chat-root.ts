import type { WireRoot } from '../wire-root.ts';
import { buildChatFrames, buildChatJson } from './chat-answer.ts';
import { chatChecks } from './chat-checks.ts';
import { readChatMessages, readChatPictureSlots } from './read-chat-body.ts';

/** OpenAI Chat Completions, as in wire-facts section 1. */
export const chatRoot: WireRoot = {
  path: '/chat/completions',
  historyKey: 'messages',
  checks: chatChecks,
  readMessages: readChatMessages,
  readPictureSlots: readChatPictureSlots,
  isPictureSlot: ([list, message, content, part, slot, url, ...rest]) =>
    list === 'messages' &&
    typeof message === 'number' &&
    content === 'content' &&
    typeof part === 'number' &&
    slot === 'image_url' &&
    (url === 'url' || url === undefined) &&
    rest.length === 0,
  errorBody: ({ message, type, param, code }) => ({ error: { message, type, param, code } }),
  isStreamed: (body) => body['stream'] === true,
  buildFrames: buildChatFrames,
  buildJson: buildChatJson,
};
