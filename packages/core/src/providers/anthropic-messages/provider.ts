import { keyHeadersOf } from '../key-headers.ts';
import type { Provider } from '../provider.ts';
import type { WireDialect } from '../wire-dialect.ts';
import { createWireProvider, type WireProviderOptions } from '../wire-provider.ts';
import { readMessagesFailure } from './errors.ts';
import { createMessagesAnswerReader } from './from-wire.ts';
import { toMessagesBody } from './to-wire.ts';

/** What every endpoint of this wire knows. Source: wire-facts rule 47. */
const OLDEST_API_VERSION = '2023-06-01';

const messagesDialect: WireDialect = {
  wireApi: 'anthropic-messages',
  path: '/v1/messages',
  headers: (endpoint) => ({
    ...keyHeadersOf(endpoint),
    'anthropic-version': endpoint.apiVersion ?? OLDEST_API_VERSION,
  }),
  toWire: toMessagesBody,
  createAnswerReader: createMessagesAnswerReader,
  readFailure: readMessagesFailure,
};

/** The adapter for Anthropic Messages and its clones. See the contract at {@link Provider}. */
export function createAnthropicMessagesProvider(options: WireProviderOptions = {}): Provider {
  return createWireProvider(messagesDialect, options);
}
