import { type Clock, type IdSource, type Locale, type Logger, silentLogger } from '@fovea/core/base';
import type { Store } from '@fovea/core/store';
import { ChannelRegistry } from './channels/channel-registry.ts';
import { type LocalServers, usualLocalServers } from './channels/local-servers.ts';
import type { Config } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import { LazyProviders, spokenWireApis } from './lazy-providers.ts';
import type { ModelResolver } from './resolve-model.ts';
import { createSystemClock } from './system-clock.ts';
import { createIdSource } from './time-sortable-ids.ts';

export interface ComposeOptions {
  readonly config: Config;
  /** Absolute path of the home folder; made when the store is first opened. */
  readonly home: string;
  /** Keys, proxies and the user's home folder are looked up here. */
  readonly environment: Environment;
  readonly logger?: Logger;
  /** Where model servers of this machine are looked for; absent: their usual addresses. */
  readonly localServers?: LocalServers;
  readonly clock?: Clock;
  readonly ids?: IdSource;
}

/** What the parts of a running Fovea share. */
export interface Services {
  readonly config: Config;
  readonly home: string;
  readonly environment: Environment;
  readonly locale: Locale;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly resolver: ModelResolver;
  readonly providers: LazyProviders;
  /** Sessions of which this process runs a turn. */
  readonly runningSessions: Set<string>;
  /** Opened by the first call that needs it; throws `STORE_UNAVAILABLE`, `UNSUPPORTED_REVISION`. */
  openStore(): Promise<Store>;
  close(): Promise<void>;
}

export function createServices(options: ComposeOptions): Services {
  const { config, home, environment, logger = silentLogger, localServers = usualLocalServers } = options;
  const { locale } = config;
  const clock = options.clock ?? createSystemClock();
  const registry = new ChannelRegistry({
    channels: config.channels,
    environment,
    wireApis: spokenWireApis,
    localServers,
  });
  const directHosts = registry.isConfigured ? [] : listHosts(localServers);
  const providers = new LazyProviders({ environment, locale, directHosts });
  let opened: Promise<Store> | undefined;
  const openStore = async (): Promise<Store> => {
    const store = await import('@fovea/core/store');
    return store.openStore({ home, logger });
  };
  return {
    config,
    home,
    environment,
    locale,
    logger,
    clock,
    ids: options.ids ?? createIdSource(clock),
    resolver: { registry, environment, locale, wireApis: spokenWireApis },
    providers,
    runningSessions: new Set(),
    openStore() {
      opened ??= openStore();
      return opened;
    },
    async close() {
      await providers.close();
      // A store that could not be opened has told its user already.
      const store = await opened?.catch(() => undefined);
      await store?.close();
    },
  };
}

/** `host:port` of servers on this machine: no proxy leads to them. */
function listHosts(servers: LocalServers): readonly string[] {
  return [servers.ollamaUrl, servers.lmStudioUrl].map((url) => new URL(url).host);
}
