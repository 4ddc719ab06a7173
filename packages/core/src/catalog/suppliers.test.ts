import { describe, expect, it } from 'vitest';
import { findLimitRow } from './limits.ts';
import { findSupplier, findSupplierEndpoint, suppliers } from './suppliers.ts';

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
      'DASHSCOPE_API_KEY',
      'DEEPSEEK_API_KEY',
      'GEMINI_API_KEY',
      'MISTRAL_API_KEY',
      'MOONSHOT_API_KEY',
      'OPENAI_API_KEY',
      'OPENROUTER_API_KEY',
      'XAI_API_KEY',
      'ZHIPU_API_KEY',
    ]);
  });

  it('has a base URL for the first endpoint of every supplier with a key, without a trailing slash', () => {
    for (const supplier of suppliers) {
      for (const { baseUrl } of supplier.endpoints) expect(baseUrl?.endsWith('/') ?? false, supplier.id).toBe(false);
      if (supplier.environmentKey !== undefined) expect(supplier.endpoints[0]?.baseUrl, supplier.id).toMatch(/^https:/);
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
