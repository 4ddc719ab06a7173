import { chooseModel, listModelChoices } from './choose-model.ts';
import type { Fovea, TurnInput } from './fovea.ts';
import { type ComposeOptions, createServices, type Services } from './services.ts';

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
    findSession: async (idOrPrefix) => (await services.openStore()).sessions.findByPrefix(idOrPrefix),
    async latestSession(workspace) {
      const { findLatestSession } = await import('./stored-sessions.ts');
      return findLatestSession(workspace, services);
    },
    listSessions: async (limit) => (await services.openStore()).sessions.list(limit),
    async loadTranscript(sessionId) {
      const { loadStoredTranscript } = await import('./stored-sessions.ts');
      return loadStoredTranscript(sessionId, services);
    },
    runTurn: (input) => runTurn(input, services),
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
