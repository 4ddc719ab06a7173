import type { StrictServer } from './start-strict-server.ts';

/** A picture as a part of a user's message or of an output. */
export function inputImage(bytes: Uint8Array, mediaType = 'image/png'): Record<string, unknown> {
  const base64 = Buffer.from(bytes).toString('base64');
  return { type: 'input_image', image_url: `data:${mediaType};base64,${base64}` };
}

/** A raw request to the server, without any client between: `body` replaces fields of a valid one. */
export function postResponses(
  server: StrictServer,
  body: Readonly<Record<string, unknown>>,
  options: { readonly baseUrl?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const whole = { model: 'seer', store: false, input: [{ role: 'user', content: 'Hello' }] };
  return fetch(`${options.baseUrl ?? server.baseUrl}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-key', ...options.headers },
    body: JSON.stringify({ ...whole, ...body }),
  });
}
