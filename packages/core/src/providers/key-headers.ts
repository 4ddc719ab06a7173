import { assertNever } from '../base/assert-never.ts';
import type { Endpoint } from './provider.ts';

/** The headers that carry an endpoint's key, as its supplier wants them; none when it has no key. */
export function keyHeadersOf({
  apiKey,
  keyHeader = 'bearer',
}: Pick<Endpoint, 'apiKey' | 'keyHeader'>): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  const key = apiKey.reveal();
  switch (keyHeader) {
    case 'bearer':
      return { authorization: `Bearer ${key}` };
    case 'x-api-key':
      return { 'x-api-key': key };
    case 'both':
      return { authorization: `Bearer ${key}`, 'x-api-key': key };
    case 'api-key':
      return { 'api-key': key };
    default:
      return assertNever(keyHeader);
  }
}
