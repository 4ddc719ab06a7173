import type { Confidence } from './limit-row.ts';
import type { TokenFamily } from './token-family.ts';
import type { KeyHeader, OutputLimitField, ReasoningReplay, WireApi } from './wire-api.ts';

/** One way to speak to a supplier. */
export interface SupplierEndpoint {
  readonly wireApi: WireApi;
  /** As `normalizeBaseUrl` leaves it; absent where only the user can know it. */
  readonly baseUrl?: string;
  /** Id of the limit row of this endpoint. */
  readonly limitRow: string;
  /** Absent: `max_tokens`. */
  readonly outputLimitField?: OutputLimitField;
  /** Absent: `never`. */
  readonly reasoningReplay?: ReasoningReplay;
  /** Absent: `bearer`. */
  readonly keyHeader?: KeyHeader;
  /** Messages: value of `anthropic-version`; absent: `2023-06-01`. */
  readonly apiVersion?: string;
  /** Messages: takes `cache_control` marks; absent: not known to. */
  readonly cacheMarks?: boolean;
}

/** A vendor or server behind models. Everything that differs between suppliers is in its row, never in code. */
export interface SupplierRow {
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** The well-known environment variable of its key; absent where there is none. */
  readonly environmentKey?: string;
  /** Runs on the user's own machine as a rule: needs no key, may be looked for, answers slowly. */
  readonly isLocal: boolean;
  /** The first one is meant when a channel names no wire API. */
  readonly endpoints: readonly SupplierEndpoint[];
  /** How pictures are counted for models that have no row of their own. */
  readonly tokenFamily: TokenFamily;
  /** Longest silence between bytes of an answer. */
  readonly idleTimeoutMs: number;
  readonly source: string;
  readonly confidence: Confidence;
}

const REMOTE_IDLE_TIMEOUT_MS = 120_000;
/** A local server may load a model of many gigabytes before the first byte. */
const LOCAL_IDLE_TIMEOUT_MS = 600_000;

const remote = { isLocal: false, idleTimeoutMs: REMOTE_IDLE_TIMEOUT_MS } as const;
const local = { isLocal: true, idleTimeoutMs: LOCAL_IDLE_TIMEOUT_MS } as const;

/** Every supplier that Fovea knows; `custom` stands for any other endpoint. */
export const suppliers: readonly SupplierRow[] = [
  {
    ...remote,
    id: 'openai',
    name: 'OpenAI',
    environmentKey: 'OPENAI_API_KEY',
    endpoints: [
      {
        wireApi: 'openai-chat',
        baseUrl: 'https://api.openai.com/v1',
        limitRow: 'openai-chat',
        outputLimitField: 'max_completion_tokens',
      },
      { wireApi: 'openai-responses', baseUrl: 'https://api.openai.com/v1', limitRow: 'openai-responses' },
    ],
    tokenFamily: 'unknown',
    source: 'openai 6.49.0: base URL in client.js, max_tokens deprecated in completions.d.ts',
    confidence: 'H',
  },
  {
    ...remote,
    id: 'deepseek',
    name: 'DeepSeek',
    environmentKey: 'DEEPSEEK_API_KEY',
    endpoints: [
      {
        wireApi: 'openai-chat',
        baseUrl: 'https://api.deepseek.com',
        limitRow: 'deepseek-chat',
        reasoningReplay: 'tool-loop',
      },
      { wireApi: 'openai-responses', baseUrl: 'https://api.deepseek.com', limitRow: 'deepseek-responses' },
      { wireApi: 'anthropic-messages', baseUrl: 'https://api.deepseek.com/anthropic', limitRow: 'deepseek-messages' },
    ],
    tokenFamily: 'deepseek',
    source: 'api-docs.deepseek.com guides/vision and guides/responses_api (2026-09)',
    confidence: 'M',
  },
  {
    ...remote,
    id: 'anthropic',
    name: 'Anthropic',
    environmentKey: 'ANTHROPIC_API_KEY',
    endpoints: [{ wireApi: 'anthropic-messages', baseUrl: 'https://api.anthropic.com', limitRow: 'anthropic' }],
    tokenFamily: 'anthropic-high',
    source: '@anthropic-ai/sdk 1.14.0 client.js; Claude docs "Vision" (2026)',
    confidence: 'H',
  },
  {
    ...remote,
    id: 'volcengine',
    name: 'Volcengine Ark',
    environmentKey: 'ARK_API_KEY',
    endpoints: [
      { wireApi: 'openai-chat', baseUrl: 'https://ark.cn-beijing.volces.com/api/v3', limitRow: 'volcengine-ark' },
      { wireApi: 'openai-responses', baseUrl: 'https://ark.cn-beijing.volces.com/api/v3', limitRow: 'unknown' },
    ],
    tokenFamily: 'doubao',
    source: 'Volcengine Ark documentation as quoted by a limits study of 2026-09-29',
    confidence: 'M',
  },
  {
    ...remote,
    id: 'dashscope',
    name: 'Alibaba DashScope',
    environmentKey: 'DASHSCOPE_API_KEY',
    endpoints: [
      {
        wireApi: 'openai-chat',
        baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
        limitRow: 'dashscope-chat',
      },
      // Its address depends on the workspace host.
      { wireApi: 'anthropic-messages', limitRow: 'dashscope-messages' },
    ],
    tokenFamily: 'qwen-32',
    source: 'help.aliyun.com model-studio "vision" (2026-09)',
    confidence: 'M',
  },
  {
    ...remote,
    id: 'zhipu',
    name: 'Zhipu GLM',
    environmentKey: 'ZHIPU_API_KEY',
    endpoints: [{ wireApi: 'openai-chat', baseUrl: 'https://open.bigmodel.cn/api/paas/v4', limitRow: 'zhipu' }],
    tokenFamily: 'unknown',
    source: 'docs.bigmodel.cn (2026-09)',
    confidence: 'M',
  },
  {
    ...remote,
    id: 'moonshot',
    name: 'Moonshot Kimi',
    environmentKey: 'MOONSHOT_API_KEY',
    endpoints: [
      {
        wireApi: 'openai-chat',
        baseUrl: 'https://api.moonshot.cn/v1',
        limitRow: 'moonshot',
        reasoningReplay: 'tool-loop',
      },
    ],
    tokenFamily: 'kimi',
    source: 'platform.kimi.com vision guide (2026-09)',
    confidence: 'M',
  },
  {
    ...remote,
    id: 'openrouter',
    name: 'OpenRouter',
    environmentKey: 'OPENROUTER_API_KEY',
    endpoints: [
      { wireApi: 'openai-chat', baseUrl: 'https://openrouter.ai/api/v1', limitRow: 'openrouter' },
      { wireApi: 'openai-responses', baseUrl: 'https://openrouter.ai/api/v1', limitRow: 'unknown' },
      { wireApi: 'anthropic-messages', baseUrl: 'https://openrouter.ai/api', limitRow: 'unknown' },
    ],
    tokenFamily: 'unknown',
    source: '@openrouter/sdk 1.3.19',
    confidence: 'H',
  },
  {
    ...remote,
    id: 'mistral',
    name: 'Mistral',
    environmentKey: 'MISTRAL_API_KEY',
    endpoints: [{ wireApi: 'openai-chat', baseUrl: 'https://api.mistral.ai/v1', limitRow: 'mistral' }],
    tokenFamily: 'unknown',
    source: '@mistralai/mistralai 2.7.0',
    confidence: 'H',
  },
  {
    ...remote,
    id: 'xai',
    name: 'xAI',
    environmentKey: 'XAI_API_KEY',
    endpoints: [
      // Figures are documented for Responses only.
      { wireApi: 'openai-chat', baseUrl: 'https://api.x.ai/v1', limitRow: 'unknown' },
      { wireApi: 'openai-responses', baseUrl: 'https://api.x.ai/v1', limitRow: 'xai' },
    ],
    tokenFamily: 'grok',
    source: 'docs.x.ai image understanding',
    confidence: 'M',
  },
  {
    ...remote,
    id: 'gemini',
    name: 'Google Gemini',
    environmentKey: 'GEMINI_API_KEY',
    endpoints: [
      {
        wireApi: 'openai-chat',
        baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
        limitRow: 'gemini-compat',
      },
    ],
    tokenFamily: 'gemini-3',
    source: 'public code that speaks to the OpenAI-compatible endpoint',
    confidence: 'M',
  },
  {
    ...local,
    id: 'ollama',
    name: 'Ollama',
    endpoints: [
      { wireApi: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1', limitRow: 'ollama-v1' },
      { wireApi: 'openai-responses', baseUrl: 'http://127.0.0.1:11434/v1', limitRow: 'ollama-responses' },
      { wireApi: 'anthropic-messages', baseUrl: 'http://127.0.0.1:11434', limitRow: 'unknown' },
    ],
    tokenFamily: 'ollama',
    source: 'Ollama source (2026-08-21) and its documentation of OpenAI compatibility',
    confidence: 'H',
  },
  {
    ...local,
    id: 'lmstudio',
    name: 'LM Studio',
    endpoints: [{ wireApi: 'openai-chat', baseUrl: 'http://127.0.0.1:1234/v1', limitRow: 'lmstudio' }],
    tokenFamily: 'unknown',
    source: 'field reports on LM Studio',
    confidence: 'M',
  },
  {
    ...remote,
    id: 'custom',
    name: 'Custom endpoint',
    endpoints: [
      { wireApi: 'openai-chat', limitRow: 'unknown' },
      { wireApi: 'openai-responses', limitRow: 'unknown' },
      { wireApi: 'anthropic-messages', limitRow: 'unknown' },
    ],
    tokenFamily: 'unknown',
    source: 'nothing is known of it',
    confidence: 'H',
  },
  {
    ...local,
    id: 'offline',
    name: 'Built-in reader',
    endpoints: [{ wireApi: 'offline', limitRow: 'offline' }],
    tokenFamily: 'offline',
    source: 'Fovea itself',
    confidence: 'H',
  },
];

/** The supplier with this id; `undefined` when the catalogue has none. */
export function findSupplier(id: string): SupplierRow | undefined {
  return suppliers.find((supplier) => supplier.id === id);
}

/** A supplier's endpoint for one wire API; without `wireApi` its first one; `undefined` when it has none. */
export function findSupplierEndpoint(supplierId: string, wireApi?: WireApi): SupplierEndpoint | undefined {
  const endpoints = findSupplier(supplierId)?.endpoints;
  return wireApi === undefined ? endpoints?.[0] : endpoints?.find((endpoint) => endpoint.wireApi === wireApi);
}
