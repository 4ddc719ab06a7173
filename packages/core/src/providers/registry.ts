import { AppError } from '../base/app-error.ts';
import { createAnthropicMessagesProvider } from './anthropic-messages/provider.ts';
import { createOpenAiChatProvider } from './openai-chat/provider.ts';
import { createOpenAiResponsesProvider } from './openai-responses/provider.ts';
import type { Provider } from './provider.ts';
import type { WireProviderOptions } from './wire-provider.ts';

/** The providers of a process, by wire API. */
export interface ProviderRegistry {
  /** Throws `UNKNOWN_WIRE_API` when this build does not speak it. */
  find(wireApi: string): Provider;
  has(wireApi: string): boolean;
}

/** Every adapter of this floor, and `others` that are made elsewhere, such as the offline reader. */
export function createProviderRegistry(
  options: WireProviderOptions & { readonly others?: readonly Provider[] } = {},
): ProviderRegistry {
  const providers = [
    createOpenAiChatProvider(options),
    createOpenAiResponsesProvider(options),
    createAnthropicMessagesProvider(options),
    ...(options.others ?? []),
  ];
  const byWireApi = new Map<string, Provider>(providers.map((provider) => [provider.wireApi, provider]));
  return {
    find(wireApi) {
      const provider = byWireApi.get(wireApi);
      if (provider !== undefined) return provider;
      throw new AppError('UNKNOWN_WIRE_API', `this build does not speak the wire API ${JSON.stringify(wireApi)}`, {
        data: { wireApi, known: [...byWireApi.keys()] },
      });
    },
    has: (wireApi) => byWireApi.has(wireApi),
  };
}
