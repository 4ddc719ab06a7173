import { describe, expect, it } from 'vitest';
import { isAppError } from '../base/app-error.ts';
import type { Provider } from './provider.ts';
import { createProviderRegistry } from './registry.ts';

const reader: Provider = { wireApi: 'offline', async *stream() {} };

describe('createProviderRegistry', () => {
  it('finds adapters by wire API, those made elsewhere included', () => {
    const registry = createProviderRegistry({ others: [reader] });
    expect(registry.find('openai-chat').wireApi).toBe('openai-chat');
    expect(registry.find('offline')).toBe(reader);
    expect(registry.has('offline')).toBe(true);
  });

  it('says which wire API this build does not speak', () => {
    const registry = createProviderRegistry();
    expect(registry.has('gemini')).toBe(false);
    let thrown: unknown;
    try {
      registry.find('gemini');
    } catch (error) {
      thrown = error;
    }
    expect(isAppError(thrown) && thrown.toJSON()).toMatchObject({
      code: 'UNKNOWN_WIRE_API',
      data: {
        wireApi: 'gemini',
        known: expect.arrayContaining(['openai-chat', 'openai-responses', 'anthropic-messages']),
      },
    });
  });
});
