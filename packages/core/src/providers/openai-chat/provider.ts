import { keyHeadersOf } from '../key-headers.ts';
import type { Provider } from '../provider.ts';
import type { WireDialect } from '../wire-dialect.ts';
import { createWireProvider, type WireProviderOptions } from '../wire-provider.ts';
import { readChatFailure } from './errors.ts';
import { createChatAnswerReader } from './from-wire.ts';
import { toChatBody } from './to-wire.ts';

const chatDialect: WireDialect = {
  wireApi: 'openai-chat',
  path: '/chat/completions',
  headers: keyHeadersOf,
  toWire: toChatBody,
  createAnswerReader: createChatAnswerReader,
  readFailure: readChatFailure,
};

/** The adapter for OpenAI Chat Completions and its many clones. See the contract at {@link Provider}. */
export function createOpenAiChatProvider(options: WireProviderOptions = {}): Provider {
  return createWireProvider(chatDialect, options);
}
