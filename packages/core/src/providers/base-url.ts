import { AppError } from '../base/app-error.ts';
import type { WireApi } from '../catalog/wire-api.ts';

/** What people paste by mistake: the address of a call instead of the base that it is built on. */
const CALL_PATHS: Readonly<Record<WireApi, RegExp | undefined>> = {
  'openai-chat': /\/chat\/completions$/,
  'openai-responses': /\/responses$/,
  // The version belongs to the call here: the base is without it.
  'anthropic-messages': /(\/v1)?(\/messages)?$/,
  offline: undefined,
};

/**
 * A base URL as {@link requestUrl} expects it: no trailing slash, no address of a call, and nothing
 * that the user did not write (an OpenAI-compatible base keeps its `/v1`, and gets none).
 *
 * Applying it twice changes nothing. Throws `CONFIG_INVALID` when it is no http(s) URL or carries
 * a user name or password, which would show up in messages.
 */
export function normalizeBaseUrl(wireApi: WireApi, url: string): string {
  const callPath = CALL_PATHS[wireApi];
  if (callPath === undefined) return url;
  const parsed = parseHttpUrl(url);
  parsed.hash = '';
  const path = withoutTrailingSlashes(withoutTrailingSlashes(parsed.pathname).replace(callPath, ''));
  return `${parsed.origin}${path}${parsed.search}`;
}

/** The address of a call: `path` (with its leading slash) behind the base's own path, before its query. */
export function requestUrl(baseUrl: string, path: string): string {
  const parsed = parseHttpUrl(baseUrl);
  return `${parsed.origin}${withoutTrailingSlashes(parsed.pathname)}${path}${parsed.search}`;
}

function parseHttpUrl(url: string): URL {
  const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new AppError('CONFIG_INVALID', 'the base URL of a channel must begin with http:// or https://');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new AppError('CONFIG_INVALID', 'the base URL of a channel must not hold a user name or password');
  }
  return parsed;
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
