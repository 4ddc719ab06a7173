import type { StrictServer } from './start-strict-server.ts';

/** A picture as a block. */
export function imageBlock(bytes: Uint8Array, mediaType = 'image/png'): Record<string, unknown> {
  const data = Buffer.from(bytes).toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

/** A raw request to the server, without any client between: `body` replaces fields of a valid one. */
export function postMessages(
  server: StrictServer,
  body: Readonly<Record<string, unknown>> | string,
  options: { readonly baseUrl?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const whole = { model: 'seer', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
  return fetch(`${options.baseUrl ?? server.baseUrl}/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'test-key',
      'anthropic-version': '2023-06-01',
      ...options.headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify({ ...whole, ...body }),
  });
}
