import { defaultForbidden, type FileAccess } from '@fovea/core/attachments';
import type { Config } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import { expandHome, findUserHome } from './config/user-home.ts';

export interface FileAccessInput {
  /** Absolute and real. */
  readonly workspace: string;
  /** Alias to absolute path, as the session has them. */
  readonly externalFolders: Readonly<Record<string, string>>;
  /** Fovea's own folder, forbidden in every case (decision X19). */
  readonly home: string;
  readonly permissions: Pick<Config['permissions'], 'forbidRead'>;
  readonly environment: Environment;
}

/** Which files the tools and attachments of one session may read. */
export function createFileAccess(input: FileAccessInput): FileAccess {
  const { workspace, externalFolders, home, permissions, environment } = input;
  const defaults = defaultForbidden({ homeFolder: findUserHome(environment), foveaHome: home });
  const own = permissions.forbidRead.map((entry) => expandHome(entry, environment));
  return { workspace, externalFolders, forbidden: [...defaults, ...own], builtInForbidden: defaults };
}

/** Alias to absolute path, as the configuration names them. */
export function listExternalFolders(
  permissions: Pick<Config['permissions'], 'externalFolders'>,
  environment: Environment,
): Readonly<Record<string, string>> {
  const folders = Object.entries(permissions.externalFolders);
  return Object.fromEntries(folders.map(([alias, path]) => [alias, expandHome(path, environment)]));
}
