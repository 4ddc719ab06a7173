import type { Locale } from '@fovea/core/base';
import { type Environment, readVariable } from '../config/environment.ts';
import { localizedError } from '../localized-error.ts';
import { serverTexts } from '../texts.ts';

/** Which requests leave through which proxy, as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` say. */
export interface ProxySettings {
  /** Address of the proxy for each protocol, if any; it may hold a password. */
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly direct: readonly DirectHosts[];
}

/** One entry of `NO_PROXY`: a host with those below it, on one port or on all; `*` is every host. */
interface DirectHosts {
  readonly host: string;
  readonly port: string | undefined;
}

/** Throws `CONFIG_INVALID` for a proxy variable that holds no address. */
export function readProxySettings(environment: Environment, locale: Locale): ProxySettings {
  const [httpProxy, httpsProxy] = ['HTTP_PROXY', 'HTTPS_PROXY'].map((name) => {
    const address = readEitherCase(environment, name);
    // The address may hold a password, so it is not repeated.
    if (address !== undefined && !isProxyAddress(address)) {
      throw localizedError('CONFIG_INVALID', serverTexts(locale).badProxy(name), { data: { variable: name } });
    }
    return address;
  });
  const direct = (readEitherCase(environment, 'NO_PROXY') ?? '').split(/[,\s]+/).filter((entry) => entry !== '');
  return { httpProxy, httpsProxy: httpsProxy ?? httpProxy, direct: direct.map(parseDirectHosts) };
}

/** The proxy for an address; `undefined` where there is none, and always for this machine itself: a proxy has another. */
export function findProxy(url: URL, settings: ProxySettings): string | undefined {
  const host = plainHost(url.hostname);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const isDirect = settings.direct.some((entry) => (entry.port ?? port) === port && isWithin(host, entry.host));
  if (isLoopback(host) || isDirect) return undefined;
  return url.protocol === 'https:' ? settings.httpsProxy : settings.httpProxy;
}

/** Host and port of a proxy, without user and password. */
export function proxyName(address: string): string {
  return new URL(address).host;
}

/** Names in both spellings; the one in lower case wins, as everywhere. */
function readEitherCase(environment: Environment, name: string): string | undefined {
  return readVariable(environment, name.toLowerCase()) ?? readVariable(environment, name);
}

function isProxyAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function parseDirectHosts(entry: string): DirectHosts {
  // Of a bare IPv6 address the last group is no port.
  const isBareIpv6 = /^[^[\]]*:[^[\]]*:/.test(entry);
  const withPort = isBareIpv6 ? null : /^(.+):(\d+)$/.exec(entry);
  const host = plainHost(withPort?.[1] ?? entry);
  return { host: host === '*' ? host : host.replace(/^\*?\./, ''), port: withPort?.[2] };
}

function isWithin(host: string, domain: string): boolean {
  return domain === '*' || host === domain || host.endsWith(`.${domain}`);
}

/** As it is compared: without brackets, a final dot and upper case. */
function plainHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * Every spelling of an IPv4 address has become four numbers in a `URL`. The unspecified address
 * leads to this machine as well. Source: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291.
 */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return /^127\.\d+\.\d+\.\d+$/.test(host) || ['0.0.0.0', '::1', '::'].includes(host) || /^::ffff:7f/.test(host);
}
