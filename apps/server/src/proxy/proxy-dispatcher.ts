import { Agent, Dispatcher, ProxyAgent } from 'undici';
import { findProxy, type ProxySettings } from './proxy-settings.ts';

/** Sends each request directly or through its proxy, as the settings say. */
export class ProxyDispatcher extends Dispatcher {
  readonly #settings: ProxySettings;
  readonly #direct = new Agent();
  readonly #proxies = new Map<string, ProxyAgent>();

  constructor(settings: ProxySettings) {
    super();
    this.#settings = settings;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const proxy = options.origin === undefined ? undefined : findProxy(new URL(options.origin), this.#settings);
    return (proxy === undefined ? this.#direct : this.#proxyAgent(proxy)).dispatch(options, handler);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#direct, ...this.#proxies.values()].map((agent) => agent.destroy()));
  }

  #proxyAgent(address: string): ProxyAgent {
    const agent = this.#proxies.get(address) ?? new ProxyAgent(address);
    this.#proxies.set(address, agent);
    return agent;
  }
}
