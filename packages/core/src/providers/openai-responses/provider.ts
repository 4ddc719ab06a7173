import { keyHeadersOf } from '../key-headers.ts';
import type { Provider } from '../provider.ts';
import type { WireDialect } from '../wire-dialect.ts';
import { createWireProvider, type WireProviderOptions } from '../wire-provider.ts';
import { readResponsesFailure } from './errors.ts';
import { createResponsesAnswerReader } from './from-wire.ts';
import { toResponsesBody } from './to-wire.ts';

const responsesDialect: WireDialect = {
  wireApi: 'openai-responses',
  path: '/responses',
  headers: keyHeadersOf,
  toWire: toResponsesBody,
  createAnswerReader: createResponsesAnswerReader,
  readFailure: readResponsesFailure,
};

/** The adapter for OpenAI Responses and its clones. See the contract at {@link Provider}. */
export function createOpenAiResponsesProvider(options: WireProviderOptions = {}): Provider {
  return createWireProvider(responsesDialect, options);
}
