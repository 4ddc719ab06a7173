import type { Locale } from '@fovea/core/base';
import type { WireApi } from '@fovea/core/catalog';
import type { Provider, ProviderRegistry } from '@fovea/core/providers';
import type { Dispatcher } from 'undici';
import { type Environment, readVariable } from './config/environment.ts';
import { localizedError } from './localized-error.ts';
import { serverTexts } from './texts.ts';

/** The wire APIs that this build speaks; said here, so that listing models loads no adapter. */
export const spokenWireApis: ReadonlySet<WireApi> = new Set(['openai-chat', 'offline']);

export interface LazyProvidersInput {
  /** Proxies are read from it. */
  readonly environment: Environment;
  readonly locale: Locale;
  /** `host:port` of servers that are reached without a proxy, because they are on this machine. */
  readonly directHosts: readonly string[];
}

/** The providers, loaded when the first of them is used; those with a wire share one way out. */
export class LazyProviders {
  readonly #input: LazyProvidersInput;
  #offline: Promise<Provider> | undefined;
  #wired: Promise<ProviderRegistry> | undefined;
  #dispatcher: Dispatcher | undefined;

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
    return (await this.#wired).find(wireApi);
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
      openReader: () => createOcrReader({ environment: pickPlatformVariables(environment) }),
    });
  }

  async #loadWired(): Promise<ProviderRegistry> {
    const { createProviderRegistry } = await import('@fovea/core/providers');
    this.#dispatcher = await createDispatcher(this.#input);
    return createProviderRegistry({ dispatcher: this.#dispatcher });
  }
}

/** What a child process cannot start without; it is given nothing else, least of all keys. */
function pickPlatformVariables(environment: Environment): Readonly<Record<string, string>> {
  const systemRoot = readVariable(environment, 'SystemRoot');
  return systemRoot === undefined ? {} : { SystemRoot: systemRoot };
}

/** Names in both spellings; the one in lower case wins, as everywhere. */
function readProxyVariable(environment: Environment, name: string): string {
  return readVariable(environment, name.toLowerCase()) ?? readVariable(environment, name) ?? '';
}

/** What leaves through a proxy is decided by `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, as for every program. */
async function createDispatcher({ environment, locale, directHosts }: LazyProvidersInput): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import('undici');
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) {
    const address = readProxyVariable(environment, name);
    // The address may hold a password, so it is not repeated.
    if (address !== '' && !isProxyAddress(address)) {
      throw localizedError('CONFIG_INVALID', serverTexts(locale).badProxy(name), { data: { variable: name } });
    }
  }
  return new EnvHttpProxyAgent({
    // Empty texts keep the agent from reading the process's own environment.
    httpProxy: readProxyVariable(environment, 'HTTP_PROXY'),
    httpsProxy: readProxyVariable(environment, 'HTTPS_PROXY'),
    noProxy: joinNoProxy(readProxyVariable(environment, 'NO_PROXY'), directHosts),
  });
}

/** The wildcard stands alone: it already means every host. */
function joinNoProxy(noProxy: string, directHosts: readonly string[]): string {
  return noProxy === '*' ? noProxy : [noProxy, ...directHosts].filter((part) => part !== '').join(',');
}

function isProxyAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
