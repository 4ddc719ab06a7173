import type { Locale } from '@fovea/core/base';
import type { WireApi } from '@fovea/core/catalog';
import type { Provider } from '@fovea/core/providers';
import { pickChildEnvironment } from './config/child-environment.ts';
import type { Environment } from './config/environment.ts';
import type { ProxyDispatcher } from './proxy/proxy-dispatcher.ts';

/** The wire APIs that this build speaks; said here, so that listing models loads no adapter. */
export const spokenWireApis: ReadonlySet<WireApi> = new Set([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'offline',
]);

export interface LazyProvidersInput {
  /** Proxies are read from it. */
  readonly environment: Environment;
  readonly locale: Locale;
  /** Whether another model than the offline reader could answer: then the reader was chosen on purpose. */
  hasOtherModels(): Promise<boolean>;
}

/** Throws `UNKNOWN_WIRE_API`. */
type WiredProviders = (wireApi: WireApi) => Provider;

/** The providers, loaded when the first of them is used; those with a wire share one way out. */
export class LazyProviders {
  readonly #input: LazyProvidersInput;
  #offline: Promise<Provider> | undefined;
  #wired: Promise<WiredProviders> | undefined;
  #dispatcher: ProxyDispatcher | undefined;

  constructor(input: LazyProvidersInput) {
    this.#input = input;
  }

  /** Throws `UNKNOWN_WIRE_API`, and `CONFIG_INVALID` for a proxy variable that holds no address. */
  async get(wireApi: WireApi): Promise<Provider> {
    if (wireApi === 'offline') {
      this.#offline ??= this.#loadOffline();
      return this.#offline;
    }
    this.#wired ??= this.#loadWired();
    return (await this.#wired)(wireApi);
  }

  async close(): Promise<void> {
    await this.#wired?.catch(() => undefined);
    await this.#dispatcher?.destroy();
  }

  async #loadOffline(): Promise<Provider> {
    const { createOcrReader, createOfflineProvider } = await import('@fovea/core/vision');
    const { environment, locale } = this.#input;
    return createOfflineProvider({
      locale,
      isChosen: await this.#input.hasOtherModels(),
      openReader: () => createOcrReader({ environment: pickChildEnvironment(environment) }),
    });
  }

  async #loadWired(): Promise<WiredProviders> {
    const { readProxySettings } = await import('./proxy/proxy-settings.ts');
    const { environment, locale } = this.#input;
    const settings = readProxySettings(environment, locale);
    const { createProviderRegistry } = await import('@fovea/core/providers');
    const { ProxyDispatcher } = await import('./proxy/proxy-dispatcher.ts');
    const { nameProxyInErrors } = await import('./proxy/name-proxy.ts');
    const dispatcher = new ProxyDispatcher(settings);
    this.#dispatcher = dispatcher;
    const registry = createProviderRegistry({ dispatcher });
    const named = new Map<WireApi, Provider>();
    return (wireApi) => {
      const provider = named.get(wireApi) ?? nameProxyInErrors(registry.find(wireApi), { settings, locale });
      named.set(wireApi, provider);
      return provider;
    };
  }
}
