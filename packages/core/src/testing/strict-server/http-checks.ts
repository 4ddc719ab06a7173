import { type CheckFailure, type CheckRefusal, toFailure } from './check-failure.ts';
import type { HttpRequest } from './http-request.ts';
import type { Personality } from './personality.ts';
import type { WireRoot } from './wire-root.ts';

export interface HttpCheckInput {
  readonly request: HttpRequest;
  readonly personality: Personality | undefined;
  readonly root: WireRoot | undefined;
  /** Keys that are taken; `undefined`: any. */
  readonly keys: readonly string[] | undefined;
}

/** What is checked before the body is read, in this order: path, method, content type, key, size. */
export function checkHttp(input: HttpCheckInput): CheckFailure | undefined {
  for (const { id, run } of httpChecks) {
    const refusal = run(input);
    if (refusal !== undefined) return toFailure(id, refusal);
  }
  return undefined;
}

const httpChecks = [
  { id: 'path', run: checkPath },
  { id: 'method', run: checkMethod },
  { id: 'content-type', run: checkContentType },
  { id: 'auth', run: checkAuth },
  { id: 'body-limit', run: checkBodyLimit },
] as const;

function checkPath({ request, personality, root }: HttpCheckInput): CheckRefusal | undefined {
  if (personality !== undefined && root !== undefined && (root.isSpokenBy?.(personality) ?? true)) return undefined;
  return {
    status: 404,
    message: `Unknown request URL: ${request.method} ${request.path}. Please check the URL for typos.`,
    code: 'unknown_url',
  };
}

function checkMethod({ request }: HttpCheckInput): CheckRefusal | undefined {
  if (request.method === 'POST') return undefined;
  return { status: 405, message: `Not allowed to ${request.method} on ${request.path}.`, code: 'method_not_supported' };
}

function checkContentType({ request }: HttpCheckInput): CheckRefusal | undefined {
  const contentType = request.headers['content-type'] ?? '';
  if (/^application\/json\s*(;|$)/i.test(contentType)) return undefined;
  return {
    status: 415,
    message: `Unsupported content type: '${contentType}'. This API method only accepts 'application/json' requests.`,
    code: 'unsupported_content_type',
  };
}

function checkAuth({ request, personality, keys }: HttpCheckInput): CheckRefusal | undefined {
  const names = personality?.keyHeaders ?? ['authorization'];
  if (names.length === 0) return undefined;
  const found = names.flatMap((name) => readKey(name, request.headers[name] ?? '') ?? []);
  const key = found.find((candidate) => keys === undefined || keys.includes(candidate)) ?? found[0];
  if (key !== undefined && (keys === undefined || keys.includes(key))) return undefined;
  return {
    status: 401,
    message: key === undefined ? "You didn't provide an API key." : 'Incorrect API key provided.',
    code: 'invalid_api_key',
  };
}

function readKey(name: string, value: string): string | undefined {
  return (name === 'authorization' ? /^Bearer (\S+)$/ : /^(\S+)$/).exec(value)?.[1];
}

function checkBodyLimit({ request, personality }: HttpCheckInput): CheckRefusal | undefined {
  const limit = personality?.limits.body ?? null;
  if (limit === null || request.bodyBytes <= limit) return undefined;
  return { status: 413, message: `Request body is too large: ${request.bodyBytes} bytes, at most ${limit} are taken.` };
}
