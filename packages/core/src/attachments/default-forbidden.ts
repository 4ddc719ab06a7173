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
  // Keys and what signs or decrypts with them.
  '.ssh',
  '.gnupg',
  '.password-store',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.config/age',
  '.config/sops',
  'Library/Keychains',
  'AppData/Local/Microsoft/Credentials',
  'AppData/Local/Microsoft/Vault',
  'AppData/Roaming/Microsoft/Credentials',
  'AppData/Roaming/Microsoft/Crypto',
  'AppData/Roaming/Microsoft/Protect',
  // Clouds and clusters.
  '.aws',
  '.azure',
  '.boto',
  '.config/doctl',
  '.config/gcloud',
  '.databrickscfg',
  '.fly',
  '.kube',
  '.minikube',
  '.oci',
  '.s3cfg',
  '.terraform.d',
  '.terraformrc',
  '.vault-token',
  'AppData/Roaming/gcloud',
  // Registries, forges and developers' tools.
  '.bundle/config',
  '.cache/huggingface/token',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.composer/auth.json',
  '.config/composer/auth.json',
  '.config/configstore',
  '.config/containers/auth.json',
  '.config/gh',
  '.config/git/credentials',
  '.config/glab-cli',
  '.config/hub',
  '.config/netlify',
  '.config/op',
  '.config/rclone',
  '.docker/config.json',
  '.gem/credentials',
  '.gradle/gradle.properties',
  '.huggingface/token',
  '.local/share/com.vercel.cli',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.my.cnf',
  '.mylogin.cnf',
  '.npmrc',
  '.nuget/NuGet/NuGet.Config',
  '.pnpmrc',
  '.yarnrc.yml',
  'AppData/Roaming/GitHub CLI',
  'AppData/Roaming/NuGet/NuGet.Config',
  // Profiles of browsers: passwords, cookies and the keys of both.
  '.config/BraveSoftware',
  '.config/chromium',
  '.config/google-chrome',
  '.config/microsoft-edge',
  '.config/opera',
  '.config/vivaldi',
  '.mozilla',
  '.thunderbird',
  'Library/Application Support/BraveSoftware',
  'Library/Application Support/Firefox',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Microsoft Edge',
  'Library/Cookies',
  'AppData/Local/BraveSoftware',
  'AppData/Local/Google/Chrome/User Data',
  'AppData/Local/Microsoft/Edge/User Data',
  'AppData/Roaming/Mozilla',
  'AppData/Roaming/Thunderbird',
];

/** What the system keeps of passwords and of the environments of running programs. */
const systemPaths: readonly string[] = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/ssl/private', '/proc'];

/** Names that are forbidden wherever they stand, also inside the workspace. */
const names: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '*.env',
  '.env.local',
  '.env.*.local',
  '.env.dev',
  '.env.development',
  '.env.prod',
  '.env.production',
  '.env.stage',
  '.env.staging',
  '.env.test',
  '.env.ci',
  '.env.bak',
  '.env.backup',
  '.env.old',
  '.env.save',
  '.env~',
  '.envrc',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '.dockercfg',
  '.git-credentials',
  '.htpasswd',
  '.vault-token',
  'credentials.json',
  'client_secret*.json',
  'service-account*.json',
  'service_account*.json',
  'application_default_credentials.json',
  'kubeconfig',
  '*.kubeconfig',
  // Not the public halves.
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ecdsa_sk', 'id_ed25519', 'id_ed25519_sk', 'id_xmss'].flatMap((name) => [
    name,
    `${name}.bak`,
    `${name}.old`,
  ]),
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.p8',
  '*.ppk',
  '*.jks',
  '*.keystore',
  '*.keychain',
  '*.keychain-db',
  '*.kdb',
  '*.kdbx',
  '*.agekey',
  // Where Firefox and Chrome keep passwords and their keys.
  'key3.db',
  'key4.db',
  'logins.json',
  'Login Data',
  'Login Data For Account',
];

/**
 * What may never be read unless somebody decides otherwise: secrets of the home folder, Fovea's
 * own home, and files whose names say that they hold keys. For `FileAccess.forbidden`.
 */
export function defaultForbidden(folders: ForbiddenFolders): readonly string[] {
  return [folders.foveaHome, ...homePaths.map((path) => join(folders.homeFolder, path)), ...systemPaths, ...names];
}
