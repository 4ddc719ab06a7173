import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { defineSupplier } from './define-supplier.ts';
import { findLimitRow, limitRowFor } from './limits.ts';
import { findSupplier, findSupplierEndpoint, suppliers } from './suppliers.ts';
import type { WireApi } from './wire-api.ts';

describe('suppliers', () => {
  it('names only limit rows that exist', () => {
    const missing = suppliers.flatMap((supplier) =>
      supplier.endpoints.filter((endpoint) => findLimitRow(endpoint.limitRow) === undefined),
    );
    expect(missing).toEqual([]);
  });

  it('has one row for each id and one endpoint for each of its wire APIs', () => {
    expect(new Set(suppliers.map((supplier) => supplier.id)).size).toBe(suppliers.length);
    for (const supplier of suppliers) {
      const wireApis = supplier.endpoints.map((endpoint) => endpoint.wireApi);
      expect(new Set(wireApis).size, supplier.id).toBe(wireApis.length);
    }
  });

  it('knows the environment variable of every key that makes a channel', () => {
    expect(
      suppliers
        .map((supplier) => supplier.environmentKey)
        .filter((name) => name !== undefined)
        .sort(),
    ).toEqual([
      'ANTHROPIC_API_KEY',
      'ARK_API_KEY',
      'AWS_BEARER_TOKEN_BEDROCK',
      'AZURE_OPENAI_API_KEY',
      'DASHSCOPE_API_KEY',
      'DEEPSEEK_API_KEY',
      'GEMINI_API_KEY',
      'MINIMAX_API_KEY',
      'MISTRAL_API_KEY',
      'MOONSHOT_API_KEY',
      'OPENAI_API_KEY',
      'OPENROUTER_API_KEY',
      'XAI_API_KEY',
      'ZHIPU_API_KEY',
    ]);
  });

  it('has base URLs without a trailing slash, and none only where the address is the own of each customer', () => {
    for (const supplier of suppliers) {
      for (const { baseUrl } of supplier.endpoints) expect(baseUrl?.endsWith('/') ?? false, supplier.id).toBe(false);
      if (supplier.environmentKey === undefined || ['azure', 'bedrock'].includes(supplier.id)) continue;
      for (const { baseUrl } of supplier.endpoints) expect(baseUrl, supplier.id).toMatch(/^https:/);
    }
  });

  it('resolves every wire of every supplier to a limit row of its own, except where nothing is documented', () => {
    const unknown = suppliers.flatMap(({ id, endpoints }) =>
      endpoints
        .filter(({ wireApi }) => limitRowFor(id, wireApi).id === 'unknown')
        .map(({ wireApi }) => `${id} ${wireApi}`),
    );
    expect(unknown).toEqual([
      'xai openai-chat',
      'custom openai-chat',
      'custom openai-responses',
      'custom anthropic-messages',
    ]);
  });

  it('has every supplier that people asked for, with the wires that it speaks', () => {
    const wires = Object.fromEntries(
      suppliers.map(({ id, endpoints }) => [id, endpoints.map(({ wireApi }) => wireApi.split('-').at(-1)).join(' ')]),
    );
    expect(wires).toEqual({
      openai: 'chat responses',
      azure: 'chat responses',
      deepseek: 'chat responses messages',
      anthropic: 'messages',
      bedrock: 'messages',
      volcengine: 'chat responses',
      dashscope: 'chat messages',
      zhipu: 'chat messages',
      moonshot: 'chat messages',
      minimax: 'chat messages',
      openrouter: 'chat responses messages',
      mistral: 'chat',
      xai: 'responses chat',
      gemini: 'chat',
      ollama: 'chat responses messages',
      lmstudio: 'chat responses messages',
      vllm: 'chat responses messages',
      llamacpp: 'chat responses messages',
      custom: 'chat responses messages',
      offline: 'offline',
    });
  });

  it('sends the key as each supplier wants it', () => {
    const headers = (wireApi: WireApi) =>
      suppliers.flatMap(({ id, endpoints }) =>
        endpoints.filter((one) => one.wireApi === wireApi).map((one) => `${id}: ${one.keyHeader ?? 'bearer'}`),
      );
    expect(headers('openai-chat').filter((line) => !line.endsWith(': bearer'))).toEqual(['azure: api-key']);
    expect(headers('openai-responses').filter((line) => !line.endsWith(': bearer'))).toEqual(['azure: api-key']);
    expect(headers('anthropic-messages').filter((line) => !line.endsWith(': both'))).toEqual(['anthropic: bearer']);
    expect(findSupplierEndpoint('anthropic')).toMatchObject({ apiVersion: '2026-10-21', cacheMarks: true });
    expect(findSupplierEndpoint('dashscope', 'anthropic-messages')?.apiVersion).toBeUndefined();
  });

  it('states a source and a confidence for each', () => {
    const nothing = defineSupplier({ id: 'x', name: 'X' }).source;
    expect(suppliers.filter(({ source }) => source === nothing).map(({ id }) => id)).toEqual([]);
  });

  it('takes a line for who a supplier is, one for each wire, and one for the source: three for most', async () => {
    const text = await readFile(new URL('./suppliers.ts', import.meta.url), 'utf8');
    const rows = text.split(/^ {2}defineSupplier\(/m).slice(1);
    expect(rows).toHaveLength(suppliers.length);
    for (const [index, row] of rows.entries()) {
      const supplier = suppliers[index];
      const ownText = row.slice(0, row.indexOf('}),') + 3);
      const lines = ownText.split('\n').filter((line) => !line.trim().startsWith('//'));
      expect(lines.length, supplier?.id).toBeLessThanOrEqual(2 + (supplier?.endpoints.length ?? 0));
    }
  });

  it('waits longer for a server on the own machine', () => {
    expect(findSupplier('ollama')).toMatchObject({ isLocal: true, idleTimeoutMs: 600_000 });
    expect(findSupplier('openai')).toMatchObject({ isLocal: false, idleTimeoutMs: 120_000 });
    expect(findSupplier('nobody')).toBeUndefined();
  });
});

describe('findSupplierEndpoint', () => {
  it('takes the first endpoint unless a wire API is named', () => {
    expect(findSupplierEndpoint('openai')?.wireApi).toBe('openai-chat');
    expect(findSupplierEndpoint('openai', 'openai-responses')?.limitRow).toBe('openai-responses');
    expect(findSupplierEndpoint('openai', 'anthropic-messages')).toBeUndefined();
    expect(findSupplierEndpoint('nobody')).toBeUndefined();
  });
});

describe('defineSupplier', () => {
  it('needs an id, a name and one wire', () => {
    const row = defineSupplier({ id: 'newcomer', name: 'Newcomer', chat: { baseUrl: 'https://newcomer.example/v1' } });
    expect(row).toMatchObject({ isLocal: false, idleTimeoutMs: 120_000, tokenFamily: 'unknown', confidence: 'L' });
    expect(row.endpoints).toEqual([
      { wireApi: 'openai-chat', baseUrl: 'https://newcomer.example/v1', limitRow: 'unknown' },
    ]);
  });

  it('keeps the order in which the wires are written', () => {
    const row = defineSupplier({ id: 'x', name: 'X', messages: {}, chat: {} });
    expect(row.endpoints).toEqual([
      { wireApi: 'anthropic-messages', limitRow: 'unknown', keyHeader: 'both' },
      { wireApi: 'openai-chat', limitRow: 'unknown' },
    ]);
  });
});
