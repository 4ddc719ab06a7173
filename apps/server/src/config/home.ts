import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { type Environment, readVariable } from './environment.ts';
import { expandHome } from './user-home.ts';

/**
 * The folder that holds everything Fovea keeps: `FOVEA_HOME`, else the platform's data folder
 * (`~/.local/share/fovea`, `~/Library/Application Support/fovea`, `%LOCALAPPDATA%\fovea\Data`).
 * Absolute; it need not exist. A leading `~`, which no shell has replaced in quotes, is the user's home folder.
 */
export function findHome(environment: Environment): string {
  const chosen = readVariable(environment, 'FOVEA_HOME');
  return chosen === undefined ? envPaths('fovea', { suffix: '' }).data : resolve(expandHome(chosen, environment));
}

export function configFilePath(home: string): string {
  return join(home, 'config.jsonc');
}
