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
  const wireApis = new Set<WireApi>(['openai-chat', 'openai-responses', 'anthropic-messages', 'offline']);
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

  it.each<[ChannelConfig, object]>([
    [
      { supplier: 'azure', baseUrl: 'https://mine.openai.azure.com/openai/v1', apiKey: 'k' },
      { keyHeader: 'api-key', outputLimitField: 'max_completion_tokens', imageDetail: 'high' },
    ],
    [
      { supplier: 'deepseek', apiKey: 'k' },
      { reasoningReplay: 'tool-loop', regionDetail: 'original' },
    ],
    [{ supplier: 'deepseek', wireApi: 'openai-responses', apiKey: 'k' }, { strictPairs: true }],
    [{ supplier: 'deepseek', wireApi: 'anthropic-messages', apiKey: 'k' }, { keyHeader: 'both' }],
    [
      { supplier: 'anthropic', apiKey: 'k' },
      { keyHeader: 'bearer', apiVersion: '2026-10-21', cacheMarks: true },
    ],
    [
      { supplier: 'xai', apiKey: 'k' },
      { wireApi: 'openai-responses', store: false },
    ],
    [
      { supplier: 'moonshot', apiKey: 'k' },
      { fileScheme: 'ms://', reasoningReplay: 'tool-loop' },
    ],
    [{ supplier: 'mistral', apiKey: 'k' }, { assistantAfterTool: true }],
    [{ supplier: 'ollama' }, { idleTimeoutMs: 600_000 }],
  ])('hands the switches of the catalogue to the adapter: %j', async (channel, switches) => {
    expect((await targetOf({ ...channel, models: { seer: {} } }, 'seer')).endpoint).toMatchObject(switches);
  });

  it('puts the pictures of tools at the top level of a turn where a clone would not see them', async () => {
    const placeOf = async (supplier: string) => {
      const channel: ChannelConfig = { supplier, wireApi: 'anthropic-messages', apiKey: 'k', models: { seer: {} } };
      return (await targetOf(channel, 'seer')).limitRow.toolImages;
    };
    expect(await placeOf('anthropic')).toBe('inline');
    for (const clone of ['deepseek', 'dashscope', 'zhipu', 'moonshot', 'minimax']) {
      expect(await placeOf(clone), clone).toBe('toplevel-user');
    }
  });

  it('wants the key of a supplier whose address only its customer knows', async () => {
    const baseUrl = 'https://mine.openai.azure.com/openai/v1';
    await expect(targetOf({ supplier: 'azure', baseUrl, models: { seer: {} } }, 'seer')).rejects.toMatchObject({
      code: 'KEY_MISSING',
      message: expect.stringContaining('env:AZURE_OPENAI_API_KEY'),
    });
    // In place of an address that is known, an own server may need none.
    const elsewhere = await targetOf({ supplier: 'openai', baseUrl: NOWHERE, models: { seer: {} } }, 'seer');
    expect(elsewhere.endpoint.apiKey).toBeUndefined();
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
