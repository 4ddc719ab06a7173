import { parseJson } from '@fovea/core/base';
import type { ImageInputCapability } from '@fovea/core/catalog';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** Where model servers on this machine are looked for. */
export interface LocalServers {
  /** Without a path: `http://127.0.0.1:11434`. */
  readonly ollamaUrl: string;
  readonly lmStudioUrl: string;
  /** How long each may take to answer, its whole list included. */
  readonly timeoutMs: number;
}

/** The addresses that both programs listen on when nothing else is set, and a wait that nobody notices. */
export const usualLocalServers: LocalServers = {
  ollamaUrl: 'http://127.0.0.1:11434',
  lmStudioUrl: 'http://127.0.0.1:1234',
  timeoutMs: 300,
};

export interface FoundServer {
  readonly supplierId: 'ollama' | 'lmstudio';
  /** The address of its Chat Completions API. */
  readonly baseUrl: string;
  readonly models: readonly FoundModel[];
}

export interface FoundModel {
  readonly id: string;
  readonly imageInput: ImageInputCapability;
}

/** A longer list of models is no list of models. */
const LONGEST_LIST_BYTES = 4 * 1024 * 1024;

/** Source: Ollama, docs/api.md, "List Local Models", 2026-08-21; `capabilities` is missing before 0.9. */
const OllamaTags = Compile(
  Type.Object({
    models: Type.Array(
      Type.Object({
        name: Type.String({ minLength: 1 }),
        capabilities: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
      }),
    ),
  }),
);

/** Source: LM Studio, "OpenAI Compatibility Endpoints", 2026-08. */
const LmStudioModels = Compile(
  Type.Object({ object: Type.Literal('list'), data: Type.Array(Type.Object({ id: Type.String({ minLength: 1 }) })) }),
);

/** The servers that answer in time, asked side by side. Nothing else is ever told anything. */
export async function findLocalServers(servers: LocalServers): Promise<readonly FoundServer[]> {
  const found = await Promise.all([findOllama(servers), findLmStudio(servers)]);
  return found.filter(isPresent).filter((server) => server.models.length > 0);
}

function isPresent<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}

async function findOllama({ ollamaUrl, timeoutMs }: LocalServers): Promise<FoundServer | undefined> {
  const answer = await fetchList(`${ollamaUrl}/api/tags`, timeoutMs);
  if (!OllamaTags.Check(answer)) return undefined;
  const models = answer.models.flatMap(({ name, capabilities }): FoundModel[] => {
    if (capabilities === undefined || capabilities === null) return [{ id: name, imageInput: 'unknown' }];
    // What cannot complete a text, such as a model for embeddings, cannot answer.
    if (!capabilities.includes('completion')) return [];
    return [{ id: name, imageInput: capabilities.includes('vision') ? 'yes' : 'no' }];
  });
  return { supplierId: 'ollama', baseUrl: `${ollamaUrl}/v1`, models };
}

async function findLmStudio({ lmStudioUrl, timeoutMs }: LocalServers): Promise<FoundServer | undefined> {
  const answer = await fetchList(`${lmStudioUrl}/v1/models`, timeoutMs);
  if (!LmStudioModels.Check(answer)) return undefined;
  const models = answer.data.map(({ id }): FoundModel => ({ id, imageInput: 'unknown' }));
  return { supplierId: 'lmstudio', baseUrl: `${lmStudioUrl}/v1`, models };
}

/** Parsed JSON; `undefined` for every kind of failure, because an absent server is no error. */
async function fetchList(url: string, timeoutMs: number): Promise<unknown> {
  try {
    // Plain `fetch` ignores proxies, which is right here: a proxy has another loopback.
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return undefined;
    }
    const parsed = parseJson(await readBounded(response.body));
    return parsed.ok ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > LONGEST_LIST_BYTES) return '';
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
