import type { Environment } from './environment.ts';

/**
 * What a child process is given besides what the configuration names: where programs, the user's
 * home and temporary files are, the language, and the ways out. Never a key, unless it is named.
 * The names of Windows are those without which no program starts there.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'LANG', 'LANGUAGE', 'TMPDIR', 'TMP', 'TEMP'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['SYSTEMROOT', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA'],
]);

/**
 * The whole environment of a child process (`docs/reference/outside.md`, "Permissions"). Pure.
 *
 * @param named exactly the names that the configuration lists in `commands.environment`.
 */
export function pickChildEnvironment(
  environment: Environment,
  named: readonly string[] = [],
): Readonly<Record<string, string>> {
  const kept = Object.entries(environment).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    if (value === undefined) return false;
    // Windows knows no case of names, and proxies are written in both.
    const upperCase = name.toUpperCase();
    return ALLOWED.has(upperCase) || upperCase.startsWith('LC_') || named.includes(name);
  });
  return Object.fromEntries(kept);
}
