import { resolve } from 'node:path';
import { type AppError, ok, type Result } from '@fovea/core/base';
import type { LocalServers } from './channels/local-servers.ts';
import type { Config } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import { findHome } from './config/home.ts';
import { loadConfig } from './config/load-config.ts';
import type { Fovea } from './fovea.ts';
import { createJsonLinesLogger, type LogSink } from './json-lines-logger.ts';
import { serverTexts } from './texts.ts';

export interface StartFoveaInput {
  readonly environment: Environment;
  /** The configuration file that the user named. */
  readonly configFile?: string;
  /** Where log lines go when `FOVEA_LOG` asks for them: standard error. */
  readonly logSink: LogSink;
  /** Where servers of the machine itself are looked for; absent: their usual addresses. */
  readonly localServers?: LocalServers;
  /** Which waiting messages are run; see `ComposeOptions.queues`. */
  readonly queues?: 'all' | 'own';
}

export interface StartedFovea {
  readonly fovea: Fovea;
  /** Sentences for the user about the configuration and the surroundings, each to be shown once. */
  readonly warnings: readonly string[];
}

/** Home, configuration and services in one step, as an executable needs them. Fails with `CONFIG_INVALID`. */
export async function startFovea(input: StartFoveaInput): Promise<Result<StartedFovea, AppError>> {
  const { environment, configFile } = input;
  const home = findHome(environment);
  const loaded = await loadConfig({ home, environment, ...(configFile === undefined ? {} : { file: configFile }) });
  if (!loaded.ok) return loaded;
  const { compose } = await import('./compose.ts');
  const fovea = compose({
    config: configFile === undefined ? loaded.value.config : protect(loaded.value.config, configFile),
    home,
    environment,
    logger: createJsonLinesLogger(environment, input.logSink, Date.now),
    ...(input.localServers === undefined ? {} : { localServers: input.localServers }),
    ...(input.queues === undefined ? {} : { queues: input.queues }),
  });
  const warnings = [...loaded.value.warnings, ...(await warnOfUselessKeys(loaded.value.config, environment))];
  return ok({ fovea, warnings });
}

/** No tool reads or changes the file that says what tools may do: outside of the home folder it is named for that. */
function protect(config: Config, configFile: string): Config {
  const { permissions } = config;
  return { ...config, permissions: { ...permissions, forbidRead: [...permissions.forbidRead, resolve(configFile)] } };
}

/**
 * Why the built-in reader answers although a key is set. Where another account is found, choosing a
 * model says it; where the configuration names a channel or model, no key of the surroundings matters.
 */
async function warnOfUselessKeys(config: Config, environment: Environment): Promise<readonly string[]> {
  if (config.model !== undefined || Object.keys(config.channels).length > 0) return [];
  const { listKeyChannels, listUnusableKeys } = await import('./channels/environment-channels.ts');
  const { spokenWireApis } = await import('./lazy-providers.ts');
  if (listKeyChannels(environment, spokenWireApis).length > 0) return [];
  return listUnusableKeys(environment, spokenWireApis).map(serverTexts(config.locale).keyNotUsable);
}
