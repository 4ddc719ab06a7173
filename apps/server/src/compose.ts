import { type Clock, type IdSource, type Logger, silentLogger } from '@fovea/core/base';
import type { Store } from '@fovea/core/store';
import { ChannelRegistry } from './channels/channel-registry.ts';
import { type LocalServers, usualLocalServers } from './channels/local-servers.ts';
import { chooseModel, listModelChoices } from './choose-model.ts';
import { collectSecrets } from './collect-secrets.ts';
import type { Config } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import type { Fovea, TurnInput } from './fovea.ts';
import { LazyProviders, spokenWireApis } from './lazy-providers.ts';
import { createMaskedLogger } from './mask-log.ts';
import type { Services } from './services.ts';
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

/**
 * Makes every service of one Fovea, and is the only place that does. Nothing is opened, read or
 * asked before it is needed: floors with heavy packages are loaded by the first call that uses them.
 */
export function compose(options: ComposeOptions): Fovea {
  const services = createServices(options);
  const { config, locale, resolver } = services;
  return {
    locale,
    listModels: () => listModelChoices(resolver),
    chooseModel: (requested) => chooseModel(resolver, { requested, configured: config.model }),
    async createSession(input) {
      const { createStoredSession } = await import('./stored-sessions.ts');
      return createStoredSession(input, services);
    },
    async findSession(idOrPrefix) {
      const { findStoredSession } = await import('./stored-sessions.ts');
      return findStoredSession(idOrPrefix, services);
    },
    async latestSession(workspace) {
      const { findLatestSession } = await import('./stored-sessions.ts');
      return findLatestSession(workspace, services);
    },
    listSessions: async (limit) => (await services.openStore()).sessions.list(limit),
    async loadTranscript(sessionId) {
      const { loadStoredTranscript } = await import('./stored-sessions.ts');
      return loadStoredTranscript(sessionId, services);
    },
    async interruptedTurns(sessionId) {
      const { listInterruptedTurns } = await import('./stored-sessions.ts');
      return listInterruptedTurns(sessionId, services);
    },
    runTurn: (input) => runTurn(input, services),
    async undo(sessionId) {
      const { undoStoredTurn } = await import('./stored-sessions.ts');
      return undoStoredTurn(sessionId, services);
    },
    async sessionUsage(sessionId) {
      const { sumStoredUsage } = await import('./stored-sessions.ts');
      return sumStoredUsage(sessionId, services);
    },
    async renameSession(sessionId, title) {
      const { renameStoredSession } = await import('./stored-sessions.ts');
      return renameStoredSession(sessionId, title, services);
    },
    async inspect(paths, inspectOptions) {
      const { inspectFiles } = await import('./inspect-files.ts');
      return inspectFiles(paths, inspectOptions, services);
    },
    async makeVariant(path, inspectOptions) {
      const { makeWireVariant } = await import('./inspect-files.ts');
      return makeWireVariant(path, inspectOptions, services);
    },
    close: () => services.close(),
  };
}

async function* runTurn(input: TurnInput, services: Services) {
  const { submitTurn } = await import('./submit-turn.ts');
  yield* submitTurn(input, services);
}

function createServices(options: ComposeOptions): Services {
  const { config, home, environment, localServers = usualLocalServers } = options;
  const secrets = collectSecrets(config, environment);
  const logger = createMaskedLogger(options.logger ?? silentLogger, secrets);
  const { locale } = config;
  const clock = options.clock ?? createSystemClock();
  const registry = new ChannelRegistry({
    channels: config.channels,
    environment,
    wireApis: spokenWireApis,
    localServers,
  });
  const providers = new LazyProviders({
    environment,
    locale,
    // The offline reader is a channel of its own, and always there.
    hasOtherModels: async () => (await registry.list()).length > 1,
  });
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
    secrets,
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
