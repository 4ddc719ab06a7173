import { type Clock, type IdSource, type Logger, ok, silentLogger } from '@fovea/core/base';
import type { Store } from '@fovea/core/store';
import { ChannelRegistry } from './channels/channel-registry.ts';
import { type LocalServers, usualLocalServers } from './channels/local-servers.ts';
import { chooseModel, listModelChoices } from './choose-model.ts';
import { collectSecrets } from './collect-secrets.ts';
import type { Config } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import type { Fovea } from './fovea.ts';
import { LazyProviders, spokenWireApis } from './lazy-providers.ts';
import { createMaskedLogger } from './mask-log.ts';
import { OpenedStores } from './opened-stores.ts';
import type { Services } from './services.ts';
import type { OpenDesks } from './sessions/session-desks.ts';
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
  /**
   * Which waiting messages are run. `own`, for a process that ends when its own work is done: only
   * what it submitted itself, with what stands before that, except in sessions that it attends; it
   * must not begin what it would break off. Absent: `all`.
   */
  readonly queues?: 'all' | 'own';
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
    listSessions: async (limit) => (await services.openStore('read')).sessions.list(limit),
    async loadTranscript(sessionId) {
      const { loadStoredTranscript } = await import('./stored-sessions.ts');
      return loadStoredTranscript(sessionId, services);
    },
    async interruptedTurns(sessionId) {
      const { listInterruptedTurns } = await import('./stored-sessions.ts');
      return listInterruptedTurns(sessionId, services);
    },
    async loadMessages(sessionId, page) {
      const { loadStoredMessages } = await import('./stored-sessions.ts');
      return loadStoredMessages(sessionId, page, services);
    },
    async submit(input) {
      const { acceptSubmission } = await import('./sessions/accept-submission.ts');
      const accepted = await acceptSubmission(input, services);
      return accepted.ok ? ok({ ...accepted.value.receipt, notices: accepted.value.notices }) : accepted;
    },
    async *runTurn(input) {
      const { tellTurn } = await import('./sessions/tell-turn.ts');
      yield* tellTurn(input, services);
    },
    async *follow(sessionId, followOptions) {
      const { follow } = await import('./sessions/follow.ts');
      yield* follow(sessionId, followOptions, services);
    },
    ...composeQueue(services),
    ...composeUpkeep(services),
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

type QueueCalls = Pick<
  Fovea,
  | 'queue'
  | 'removeQueued'
  | 'moveQueued'
  | 'requeue'
  | 'resumeQueue'
  | 'attendSession'
  | 'stopTurn'
  | 'findSessionHolder'
>;

function composeQueue(services: Services): QueueCalls {
  const change = async (sessionId: string, work: (queue: Store['queue']) => Promise<void>): Promise<void> => {
    const { changeQueue } = await import('./change-queue.ts');
    await changeQueue(sessionId, services, work);
  };
  return {
    async queue(sessionId) {
      const { readQueue } = await import('./change-queue.ts');
      return readQueue(sessionId, services);
    },
    removeQueued: (sessionId, itemId) => change(sessionId, (queue) => queue.remove(sessionId, itemId)),
    moveQueued: (sessionId, itemId, beforeItemId) =>
      change(sessionId, (queue) => queue.move({ sessionId, itemId, beforeItemId })),
    requeue: (sessionId, itemId) =>
      change(sessionId, (queue) => queue.requeue({ sessionId, itemId, turnId: services.ids.next('turn') })),
    resumeQueue: (sessionId) => change(sessionId, (queue) => queue.resume(sessionId)),
    async attendSession(sessionId, approver) {
      const { attendSession } = await import('./attend-session.ts');
      await attendSession(sessionId, approver, services);
    },
    async stopTurn(sessionId) {
      const { stopTurnHere } = await import('./attend-session.ts');
      return stopTurnHere(sessionId, services);
    },
    async findSessionHolder(sessionId) {
      const { findSessionHolder } = await import('./attend-session.ts');
      return findSessionHolder(sessionId, services);
    },
  };
}

type UpkeepCalls = Pick<
  Fovea,
  'undo' | 'forkSession' | 'deleteSession' | 'rewindSession' | 'checkStore' | 'collectGarbage'
>;

function composeUpkeep(services: Services): UpkeepCalls {
  const { clock } = services;
  return {
    async undo(sessionId) {
      const { undoStoredTurn } = await import('./change-session.ts');
      return undoStoredTurn(sessionId, services);
    },
    async forkSession(sessionId) {
      const { forkStoredSession } = await import('./change-session.ts');
      return forkStoredSession(sessionId, services);
    },
    async deleteSession(sessionId) {
      const { deleteStoredSession } = await import('./change-session.ts');
      await deleteStoredSession(sessionId, services);
    },
    async rewindSession(sessionId, messageId) {
      const { rewindStoredSession } = await import('./change-session.ts');
      await rewindStoredSession(sessionId, messageId, services);
    },
    checkStore: async (upkeep) => (await services.openStore('read')).check({ nowMs: clock.nowMs(), ...upkeep }),
    collectGarbage: async (upkeep) => {
      return (await services.openStore('write')).collectGarbage({ nowMs: clock.nowMs(), ...upkeep });
    },
  };
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
  const stores = new OpenedStores(home, logger);
  let desks: Promise<OpenDesks> | undefined;
  const services: Services = {
    config,
    home,
    environment,
    locale,
    logger,
    secrets,
    clock,
    ids: options.ids ?? createIdSource(clock),
    queues: options.queues ?? 'all',
    resolver: { registry, environment, locale, wireApis: spokenWireApis },
    providers,
    openDesks() {
      desks ??= import('./sessions/session-desks.ts').then(({ OpenDesks }) => new OpenDesks(services));
      return desks;
    },
    openStore: (need) => stores.open(need),
    async close() {
      await (await desks)?.close();
      await providers.close();
      await stores.close();
    },
  };
  return services;
}
