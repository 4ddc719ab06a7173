import type { IncomingMessage } from 'node:http';

/** A request as it came over the socket. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** First part of the path. */
  readonly personality: string;
  /** The path below `/<personality>/v1`; `undefined` when there is no such base. */
  readonly subPath: string | undefined;
  /** With keys. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
  /** Empty when the body was over the limit: it was read to its end and dropped. */
  readonly body: Uint8Array;
}

/** Reads a request to its end; `bodyLimitOf` gives the most bytes that are kept for a personality. */
export async function readHttpRequest(
  request: IncomingMessage,
  bodyLimitOf: (personality: string) => number,
): Promise<HttpRequest> {
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
  const [, personality = '', subPath] = /^\/([^/]+)(?:\/v1(\/.*))?$/.exec(path) ?? [];
  const chunks: Buffer[] = [];
  let bodyBytes = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    bodyBytes += bytes.length;
    if (bodyBytes <= bodyLimitOf(personality)) chunks.push(bytes);
    else chunks.length = 0;
  }
  return {
    method: request.method ?? '',
    path,
    personality,
    subPath,
    headers: readHeaders(request),
    bodyBytes,
    body: Buffer.concat(chunks),
  };
}

function readHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries);
}

const KEY_HEADERS: readonly string[] = ['authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'cookie'];

/** The headers as they are recorded. */
export function hideKeys(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, KEY_HEADERS.includes(name) ? '[key]' : value]),
  );
}
