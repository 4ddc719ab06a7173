import { join } from 'node:path';

/** The folders that decide what is forbidden; the composition finds them. */
export interface ForbiddenFolders {
  /** Absolute path of the user's home folder. */
  readonly homeFolder: string;
  /** Absolute path of Fovea's own home: keys, sessions, stored pictures. */
  readonly foveaHome: string;
}

/** Folders and files of the home folder that hold keys, tokens and passwords. */
const homePaths: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker/config.json',
  '.config/gcloud',
  '.config/gh',
  '.config/op',
  '.config/rclone',
  '.local/share/keyrings',
  '.password-store',
  '.vault-token',
  '.npmrc',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  'Library/Keychains',
  'AppData/Roaming/gcloud',
  'AppData/Roaming/GitHub CLI',
  'AppData/Roaming/Microsoft/Credentials',
  'AppData/Roaming/Microsoft/Crypto',
];

/** Names that are forbidden wherever they stand, also inside the workspace. */
const names: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.env',
  '.env.local',
  '.env.*.local',
  '.env.development',
  '.env.production',
  '.env.staging',
  '.env.test',
  '.envrc',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.pypirc',
  '.git-credentials',
  '.htpasswd',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.ppk',
  '*.jks',
  '*.keystore',
  '*.kdbx',
];

/**
 * What may never be read unless somebody decides otherwise: secrets of the home folder, Fovea's
 * own home, and files whose names say that they hold keys. For `FileAccess.forbidden`.
 */
export function defaultForbidden(folders: ForbiddenFolders): readonly string[] {
  return [folders.foveaHome, ...homePaths.map((path) => join(folders.homeFolder, path)), ...names];
}
