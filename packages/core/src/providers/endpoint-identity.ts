import { createHash } from 'node:crypto';
import type { WireApi } from '../catalog/wire-api.ts';
import { normalizeBaseUrl } from './base-url.ts';

/**
 * The name under which it is remembered what one model at one endpoint takes: wire API, a digest of
 * the normalised base URL (which may be private), and the model. Two spellings of the same base URL
 * give the same identity. Throws `CONFIG_INVALID`, see {@link normalizeBaseUrl}.
 */
export function endpointIdentity(endpoint: {
  readonly wireApi: WireApi;
  readonly baseUrl: string;
  readonly model: string;
}): string {
  const baseUrl = normalizeBaseUrl(endpoint.wireApi, endpoint.baseUrl);
  const digest = createHash('sha256').update(baseUrl).digest('hex').slice(0, 24);
  return `${endpoint.wireApi}:${digest}:${endpoint.model}`;
}
