import { describe, expect, it } from 'vitest';
import { collectSecrets } from './collect-secrets.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { ConfigFile } from './config/config-schema.ts';

function valuesOf(file: ConfigFile, environment: Record<string, string> = {}): readonly string[] {
  return collectSecrets(fillConfigDefaults(file, 'en'), environment).map((secret) => secret.reveal());
}

describe('collectSecrets', () => {
  it('takes every well-known variable that is set, whether or not a channel uses it', () => {
    const names = [
      'OPENAI',
      'ANTHROPIC',
      'DEEPSEEK',
      'ARK',
      'DASHSCOPE',
      'ZHIPU',
      'MOONSHOT',
      'OPENROUTER',
      'MISTRAL',
      'XAI',
      'GEMINI',
    ];
    const environment = Object.fromEntries(names.map((name) => [`${name}_API_KEY`, `key-of-${name}`]));
    const found = valuesOf({}, { ...environment, FOVEA_SECRET_KEY: 'own-key', HOME: '/home/me' });
    expect([...found].sort()).toEqual([...names.map((name) => `key-of-${name}`), 'own-key'].sort());
  });

  it('takes the keys of channels: named, literal, in headers and in the address', () => {
    const found = valuesOf(
      {
        channels: {
          a: { supplier: 'custom', baseUrl: 'https://a.example/v1?api_key=in-the-address', apiKey: 'env:MY_KEY' },
          b: { supplier: 'openai', apiKey: ' literal-key ' },
          c: {
            supplier: 'custom',
            baseUrl: 'https://user:pass%20word@c.example',
            headers: { Authorization: 'Bearer in-a-header', 'x-team': 'eyes' },
          },
        },
      },
      { MY_KEY: 'named-key', OTHER: 'no key' },
    );
    expect([...found].sort()).toEqual(
      ['in-the-address', 'named-key', 'literal-key', 'in-a-header', 'pass%20word', 'pass word'].sort(),
    );
  });

  it('takes what servers are given, and passwords of proxies', () => {
    const found = valuesOf(
      { mcpServers: { shots: { command: 'node', env: { SHOT_TOKEN: 'mcp-token', MODE: 'fast' } } } },
      { https_proxy: 'http://me:proxy-password@127.0.0.1:1' },
    );
    expect(found).toEqual(['mcp-token', 'proxy-password']);
  });

  it('takes each value once', () => {
    expect(
      valuesOf({ channels: { a: { supplier: 'openai', apiKey: 'same-key' } } }, { OPENAI_API_KEY: 'same-key' }),
    ).toEqual(['same-key']);
  });
});
