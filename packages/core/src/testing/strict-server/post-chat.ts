import type { StrictServer } from './start-strict-server.ts';

/** A picture as a part of a user's message. */
export function picturePart(bytes: Uint8Array, mediaType = 'image/png'): Record<string, unknown> {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}` } };
}

/** A raw request to the server, without any client between: `body` replaces fields of a valid one. */
export function postChat(
  server: StrictServer,
  body: Readonly<Record<string, unknown>> | string,
  options: {
    readonly baseUrl?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Response> {
  const whole = { model: 'seer', messages: [{ role: 'user', content: 'Hello' }] };
  return fetch(`${options.baseUrl ?? server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-key', ...options.headers },
    body: typeof body === 'string' ? body : JSON.stringify({ ...whole, ...body }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}
