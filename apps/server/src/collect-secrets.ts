import { Secret } from '@fovea/core/base';
import { suppliers } from '@fovea/core/catalog';
import type { Config } from './config/config.ts';
import { type Environment, readVariable } from './config/environment.ts';

/** Names under which a header, a variable or a parameter of a URL holds a key. */
const SECRET_NAME = /authorization|cookie|key|passw|secret|signature|token/i;

/** Variables that hold a key of Fovea's own or of a supplier, whether or not a channel uses them. */
const OWN_KEY_VARIABLES: readonly string[] = ['FOVEA_SECRET_KEY'];

const PROXY_VARIABLES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

/**
 * Every live secret: the keys of all channels, the well-known variables that are set, keys that
 * stand in the configuration itself, and passwords of proxies. No result of a tool, no event and no
 * error may repeat one (requirement R206). Each value once, without its scheme (`Bearer`).
 */
export function collectSecrets(
  config: Pick<Config, 'channels' | 'mcpServers'>,
  environment: Environment,
): readonly Secret[] {
  const values = [
    ...listKeyVariables(config).map((name) => readVariable(environment, name)),
    ...Object.values(config.channels).flatMap(({ apiKey, headers, baseUrl }) => [
      apiKey?.startsWith('env:') === true ? undefined : apiKey?.trim(),
      ...valuesOfSecretNames(headers),
      ...secretsInUrl(baseUrl),
    ]),
    ...Object.values(config.mcpServers).flatMap(({ env, headers, url }) => [
      ...valuesOfSecretNames(env),
      ...valuesOfSecretNames(headers),
      ...secretsInUrl(url),
    ]),
    ...PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()]).flatMap((name) =>
      secretsInUrl(readVariable(environment, name)),
    ),
  ];
  const distinct = new Set(values.filter((value) => value !== undefined && value !== ''));
  return [...distinct].map((value) => new Secret(value ?? ''));
}

/** Names of the variables that may hold a key. */
export function listKeyVariables({ channels }: Pick<Config, 'channels'>): readonly string[] {
  const wellKnown = suppliers.flatMap(({ environmentKey }) => environmentKey ?? []);
  const named = Object.values(channels).flatMap(({ apiKey }) =>
    apiKey?.startsWith('env:') === true ? apiKey.slice('env:'.length) : [],
  );
  return [...new Set([...OWN_KEY_VARIABLES, ...wellKnown, ...named])];
}

function valuesOfSecretNames(entries: Readonly<Record<string, string>> = {}): readonly string[] {
  const secret = Object.entries(entries).filter(([name]) => SECRET_NAME.test(name));
  return secret.flatMap(([, value]) => value.split(/\s+/).slice(-1));
}

/** A password before the host, and parameters such as `?api_key=`. */
function secretsInUrl(text: string | undefined): readonly string[] {
  if (text === undefined || !URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  const parameters = [...searchParams].filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value);
  return [password, decodeSafely(password), ...parameters].filter((value) => value !== '');
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
