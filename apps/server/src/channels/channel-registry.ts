import type { WireApi } from '@fovea/core/catalog';
import type { ChannelConfig } from '../config/config-schema.ts';
import type { Environment } from '../config/environment.ts';
import type { Channel } from './channel.ts';
import { listKeyChannels, offlineChannel, toLocalChannel } from './environment-channels.ts';
import { listFileChannels } from './file-channels.ts';
import { findLocalServers, type LocalServers } from './local-servers.ts';

export interface ChannelRegistryInput {
  readonly channels: Readonly<Record<string, ChannelConfig>>;
  readonly environment: Environment;
  /** The wire APIs that this build speaks. */
  readonly wireApis: ReadonlySet<WireApi>;
  readonly localServers: LocalServers;
}

/**
 * Every channel there is. Those of the configuration are the only ones to choose from where it names
 * any; else keys of the environment and servers of this machine make channels. The built-in reader
 * is last.
 */
export class ChannelRegistry {
  readonly #fileChannels: readonly Channel[];
  readonly #keyChannels: readonly Channel[];
  readonly #localServers: LocalServers;

  constructor(input: ChannelRegistryInput) {
    this.#fileChannels = listFileChannels(input.channels);
    this.#keyChannels = listKeyChannels(input.environment, input.wireApis);
    this.#localServers = input.localServers;
  }

  /** Whether the configuration names a channel. */
  get isConfigured(): boolean {
    return this.#fileChannels.length > 0;
  }

  /** The channels to choose from. Looks for servers of this machine each time, because they come and go. */
  async list(): Promise<readonly Channel[]> {
    if (this.isConfigured) return [...this.#fileChannels, offlineChannel];
    return [...this.#keyChannels, ...(await this.#findLocalChannels()), offlineChannel];
  }

  /**
   * The channel with this name; asks nobody when the name is known without. A key of the environment
   * answers to its supplier's name even beside a configuration, because who names it has chosen it.
   */
  async find(name: string): Promise<Channel | undefined> {
    const known = [...this.#fileChannels, ...this.#keyChannels, offlineChannel].find((one) => one.name === name);
    return known ?? (await this.#findLocalChannels()).find((one) => one.name === name);
  }

  async #findLocalChannels(): Promise<readonly Channel[]> {
    if (this.isConfigured) return [];
    return (await findLocalServers(this.#localServers)).map(toLocalChannel);
  }
}
