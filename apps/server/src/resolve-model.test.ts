import type { ModelTarget } from '@fovea/core/agent';
import { findLimitRow, type WireApi } from '@fovea/core/catalog';
import { describe, expect, it } from 'vitest';
import { createScriptedProvider } from '../../../packages/core/src/testing/scripted-provider.ts';
import { ChannelRegistry } from './channels/channel-registry.ts';
import type { ChannelConfig } from './config/config-schema.ts';
import { findModelByReference, toModelTarget } from './resolve-model.ts';

const NOWHERE = 'http://127.0.0.1:9';

async function targetOf(channel: ChannelConfig, model: string): Promise<ModelTarget> {
  const environment = { LAB_KEY: ' key-1\n' };
  const wireApis = new Set<WireApi>(['openai-chat', 'offline']);
  const registry = new ChannelRegistry({
    channels: { lab: channel },
    environment,
    wireApis,
    localServers: { ollamaUrl: NOWHERE, lmStudioUrl: NOWHERE, timeoutMs: 300 },
  });
  const found = await findModelByReference(`lab/${model}`, { registry, environment, locale: 'en', wireApis });
  if (!found.ok) throw found.error;
  return toModelTarget(found.value, createScriptedProvider([]));
}

describe('toModelTarget', () => {
  it('takes everything from the catalogue where the channel says nothing', async () => {
    const target = await targetOf({ supplier: 'openai', apiKey: 'env:LAB_KEY' }, 'gpt-4o');
    expect(target).toMatchObject({
      channel: 'lab',
      model: 'gpt-4o',
      imageInput: 'yes',
      tokenFamily: 'openai-gpt-4o',
      maxOutputTokens: 8192,
      limitRow: findLimitRow('openai-chat'),
      endpoint: {
        channel: 'lab',
        wireApi: 'openai-chat',
        baseUrl: 'https://api.openai.com/v1',
        headers: {},
        imageDetail: 'high',
        regionDetail: 'original',
        outputLimitField: 'max_completion_tokens',
        idleTimeoutMs: 120_000,
      },
    });
    expect(target.endpoint.apiKey?.reveal()).toBe('key-1');
    expect(target).not.toHaveProperty('temperature');
  });

  it('lets the channel override what the catalogue says', async () => {
    const target = await targetOf(
      {
        supplier: 'openai',
        baseUrl: 'http://127.0.0.1:4010/v1/chat/completions/',
        headers: { 'x-team': 'eyes' },
        models: {
          'gpt-4o': {
            imageInput: 'no',
            contextTokens: 4_000,
            maxOutputTokens: 100,
            temperature: 0,
            reasoningEffort: 'low',
            extraBody: { seed: 7 },
          },
        },
        limits: { maxImages: 2, maxRaw: null, detail: null, formats: ['png'] },
        toolImages: 'toplevel-user',
      },
      'gpt-4o',
    );
    expect(target).toMatchObject({
      imageInput: 'no',
      maxOutputTokens: 100,
      temperature: 0,
      reasoningEffort: 'low',
      extraBody: { seed: 7 },
      limitRow: {
        id: 'openai-chat',
        maxImages: 2,
        maxRaw: null,
        detail: null,
        formats: ['png'],
        toolImages: 'toplevel-user',
      },
      endpoint: { baseUrl: 'http://127.0.0.1:4010/v1', apiKey: undefined, headers: { 'x-team': 'eyes' } },
    });
    expect(target.limitRow.maxSide).toBe(findLimitRow('openai-chat')?.maxSide);
    expect(target.endpoint).not.toHaveProperty('imageDetail');
  });

  it.each<[string, ChannelConfig, string, string]>([
    [
      'the configuration',
      { supplier: 'openai', apiKey: 'k', models: { 'gpt-4o': { imageInput: 'no' } } },
      'gpt-4o',
      'no',
    ],
    ['the catalogue', { supplier: 'openai', apiKey: 'k', models: { 'gpt-4o': {} } }, 'gpt-4o', 'yes'],
    ['nobody', { supplier: 'openai', apiKey: 'k', models: { 'gpt-4o-vision': {} } }, 'gpt-4o-vision', 'unknown'],
    ['nobody of a custom server', { supplier: 'custom', baseUrl: NOWHERE }, 'gpt-4o', 'unknown'],
  ])('knows the eyes of a model from %s, never from its name', async (_, channel, model, imageInput) => {
    expect((await targetOf(channel, model)).imageInput).toBe(imageInput);
  });

  it('names a place for the pictures of tools in every case', async () => {
    const target = await targetOf({ supplier: 'custom', baseUrl: NOWHERE }, 'any');
    expect(target.limitRow).toMatchObject({ id: 'unknown', toolImages: 'after-group' });
  });
});
