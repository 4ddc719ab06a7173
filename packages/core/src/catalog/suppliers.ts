import { defineSupplier } from './define-supplier.ts';
import type { SupplierEndpoint, SupplierRow } from './supplier-row.ts';
import type { WireApi } from './wire-api.ts';

export type { SupplierEndpoint, SupplierRow } from './supplier-row.ts';

/** Messages as Anthropic itself speaks it now. Source: @anthropic-ai/sdk 1.14.0 client.js. */
const currentMessages = { keyHeader: 'bearer', apiVersion: '2026-10-21', cacheMarks: true } as const;

/**
 * Every supplier that Fovea knows; `custom` stands for any other endpoint. A row is one line for who it
 * is, one for each wire or two, and its source; a new supplier needs `id`, `name` and one wire, see
 * {@link defineSupplier}.
 *
 * Figures of pictures are in the limit rows. Where a wire has none of its own it takes `unknown`.
 */
// biome-ignore format: a table; a supplier would take twenty lines
export const suppliers: readonly SupplierRow[] = [
  defineSupplier({ id: 'openai', name: 'OpenAI', environmentKey: 'OPENAI_API_KEY', confidence: 'H',
    chat: { baseUrl: 'https://api.openai.com/v1', limitRow: 'openai-chat', outputLimitField: 'max_completion_tokens' },
    responses: { baseUrl: 'https://api.openai.com/v1', limitRow: 'openai-responses' },
    source: 'openai 6.49.0: base URL in client.js, max_tokens deprecated in completions.d.ts' }),

  defineSupplier({ id: 'azure', name: 'Azure OpenAI', environmentKey: 'AZURE_OPENAI_API_KEY', confidence: 'M',
    // The address names the resource, `https://RESOURCE.openai.azure.com/openai/v1`; models are names of deployments.
    chat: { limitRow: 'azure-openai', keyHeader: 'api-key', outputLimitField: 'max_completion_tokens' },
    responses: { limitRow: 'azure-openai', keyHeader: 'api-key' },
    source: 'learn.microsoft.com "Use vision-enabled chat models" and "Azure OpenAI v1 API"' }),

  defineSupplier({ id: 'deepseek', name: 'DeepSeek', environmentKey: 'DEEPSEEK_API_KEY', confidence: 'M',
    chat: { baseUrl: 'https://api.deepseek.com', limitRow: 'deepseek-chat', reasoningReplay: 'tool-loop' },
    responses: { baseUrl: 'https://api.deepseek.com', limitRow: 'deepseek-responses' },
    messages: { baseUrl: 'https://api.deepseek.com/anthropic', limitRow: 'deepseek-messages' },
    tokenFamily: 'deepseek', source: 'api-docs.deepseek.com guides/vision, guides/responses_api (2026-09)' }),

  defineSupplier({ id: 'anthropic', name: 'Anthropic', environmentKey: 'ANTHROPIC_API_KEY', confidence: 'H',
    messages: { ...currentMessages, baseUrl: 'https://api.anthropic.com', limitRow: 'anthropic' },
    tokenFamily: 'anthropic-high', source: '@anthropic-ai/sdk 1.14.0 client.js; Claude docs "Vision" (2026)' }),

  defineSupplier({ id: 'bedrock', name: 'Claude in Amazon Bedrock', environmentKey: 'AWS_BEARER_TOKEN_BEDROCK',
    // The address names the region, `https://bedrock-mantle.REGION.api.aws/anthropic`.
    messages: { limitRow: 'anthropic-bedrock-vertex', cacheMarks: true }, tokenFamily: 'anthropic-high',
    source: 'docs.aws.amazon.com bedrock "Inference using Anthropic Messages API" (2026-09)', confidence: 'M' }),

  defineSupplier({ id: 'volcengine', name: 'Volcengine Ark', environmentKey: 'ARK_API_KEY', confidence: 'M',
    chat: { baseUrl: 'https://ark.cn-beijing.volces.com/api/v3', limitRow: 'volcengine-ark' },
    responses: { baseUrl: 'https://ark.cn-beijing.volces.com/api/v3', limitRow: 'volcengine-ark-responses' },
    tokenFamily: 'doubao', source: 'Volcengine Ark documentation as quoted by a limits study of 2026-09-29' }),

  defineSupplier({ id: 'dashscope', name: 'Alibaba DashScope', environmentKey: 'DASHSCOPE_API_KEY', confidence: 'M',
    chat: { baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1', limitRow: 'dashscope-chat' },
    messages: { baseUrl: 'https://dashscope.aliyuncs.com/apps/anthropic', limitRow: 'dashscope-messages' },
    tokenFamily: 'qwen-32', source: 'help.aliyun.com model-studio "vision" and "base-url" (2026-09)' }),

  defineSupplier({ id: 'zhipu', name: 'Zhipu GLM', environmentKey: 'ZHIPU_API_KEY', confidence: 'M',
    chat: { baseUrl: 'https://open.bigmodel.cn/api/paas/v4', limitRow: 'zhipu' },
    messages: { baseUrl: 'https://open.bigmodel.cn/api/anthropic', limitRow: 'zhipu-messages' },
    source: 'docs.bigmodel.cn (2026-09)' }),

  defineSupplier({ id: 'moonshot', name: 'Moonshot Kimi', environmentKey: 'MOONSHOT_API_KEY', confidence: 'M',
    chat: { baseUrl: 'https://api.moonshot.cn/v1', limitRow: 'moonshot', reasoningReplay: 'tool-loop' },
    messages: { baseUrl: 'https://api.moonshot.cn/anthropic', limitRow: 'moonshot-messages' },
    tokenFamily: 'kimi', source: 'platform.kimi.com vision guide (2026-09); rig-core 0.44 for Messages' }),

  defineSupplier({ id: 'minimax', name: 'MiniMax', environmentKey: 'MINIMAX_API_KEY', confidence: 'M',
    chat: { baseUrl: 'https://api.minimax.io/v1', limitRow: 'minimax' },
    messages: { baseUrl: 'https://api.minimax.io/anthropic', limitRow: 'minimax-messages' },
    source: 'platform.minimax.io text-openai-api, text-anthropic-api (2026)' }),

  defineSupplier({ id: 'openrouter', name: 'OpenRouter', environmentKey: 'OPENROUTER_API_KEY', confidence: 'H',
    chat: { baseUrl: 'https://openrouter.ai/api/v1', limitRow: 'openrouter' },
    responses: { baseUrl: 'https://openrouter.ai/api/v1', limitRow: 'openrouter-responses' },
    messages: { baseUrl: 'https://openrouter.ai/api', limitRow: 'openrouter-messages' },
    source: '@openrouter/sdk 1.3.19' }),

  defineSupplier({ id: 'mistral', name: 'Mistral', environmentKey: 'MISTRAL_API_KEY', confidence: 'H',
    chat: { baseUrl: 'https://api.mistral.ai/v1', limitRow: 'mistral', assistantAfterTool: true, shortCallIds: true },
    // The order of roles: avante-corp/avante.nvim 2695, zed-industries/zed 37021; ids: anomalyco/opencode 1680.
    source: '@mistralai/mistralai 2.7.0; refusals as quoted in field reports' }),

  defineSupplier({ id: 'xai', name: 'xAI', environmentKey: 'XAI_API_KEY', confidence: 'M',
    responses: { baseUrl: 'https://api.x.ai/v1', limitRow: 'xai' }, chat: { baseUrl: 'https://api.x.ai/v1' },
    tokenFamily: 'grok', source: 'docs.x.ai image understanding, which prefers Responses' }),

  defineSupplier({ id: 'gemini', name: 'Google Gemini', environmentKey: 'GEMINI_API_KEY', confidence: 'M',
    chat: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', limitRow: 'gemini-compat' },
    tokenFamily: 'gemini-3', source: 'public code that speaks to the OpenAI-compatible endpoint' }),

  defineSupplier({ id: 'ollama', name: 'Ollama', isLocal: true, tokenFamily: 'ollama', confidence: 'H',
    chat: { baseUrl: 'http://127.0.0.1:11434/v1', limitRow: 'ollama-v1' },
    responses: { baseUrl: 'http://127.0.0.1:11434/v1', limitRow: 'ollama-responses' },
    messages: { baseUrl: 'http://127.0.0.1:11434', limitRow: 'ollama-messages' },
    source: 'Ollama source (2026-08-21), its documentation of OpenAI and Anthropic compatibility' }),

  defineSupplier({ id: 'lmstudio', name: 'LM Studio', isLocal: true, confidence: 'M',
    chat: { baseUrl: 'http://127.0.0.1:1234/v1', limitRow: 'lmstudio' },
    responses: { baseUrl: 'http://127.0.0.1:1234/v1', limitRow: 'lmstudio-responses' },
    messages: { baseUrl: 'http://127.0.0.1:1234', limitRow: 'lmstudio-messages' },
    source: 'field reports on LM Studio; Responses and Messages in newer builds' }),

  defineSupplier({ id: 'vllm', name: 'vLLM', isLocal: true, confidence: 'M',
    chat: { baseUrl: 'http://127.0.0.1:8000/v1', limitRow: 'vllm' },
    responses: { baseUrl: 'http://127.0.0.1:8000/v1', limitRow: 'vllm-responses' },
    messages: { baseUrl: 'http://127.0.0.1:8000', limitRow: 'vllm-messages' },
    source: 'docs.vllm.ai "OpenAI-Compatible Server"; error texts of several reports' }),

  defineSupplier({ id: 'llamacpp', name: 'llama.cpp server', isLocal: true, confidence: 'M',
    chat: { baseUrl: 'http://127.0.0.1:8080/v1', limitRow: 'llamacpp' },
    responses: { baseUrl: 'http://127.0.0.1:8080/v1', limitRow: 'llamacpp-responses' },
    messages: { baseUrl: 'http://127.0.0.1:8080', limitRow: 'llamacpp-messages' },
    source: 'llama.cpp tools/server documentation; Responses and Messages in newer builds' }),

  defineSupplier({ id: 'custom', name: 'Custom endpoint', chat: {}, responses: {}, messages: {},
    source: 'nothing is known of it', confidence: 'H' }),

  defineSupplier({ id: 'offline', name: 'Built-in reader', isLocal: true, offline: { limitRow: 'offline' },
    tokenFamily: 'offline', source: 'Fovea itself', confidence: 'H' }),
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
