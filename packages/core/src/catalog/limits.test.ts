import { describe, expect, it } from 'vitest';
import type { LimitRow } from './limit-row.ts';
import { findLimitRow, imageDetailFor, limitRowFor, limitRows, regionDetailFor, unknownLimitRow } from './limits.ts';

const noLimit = (limit: number | null | undefined) => limit ?? Number.POSITIVE_INFINITY;
const limitsOf = (row: LimitRow) => ({
  'bytes before base64': noLimit(row.maxRaw),
  'base64 characters': noLimit(row.maxB64),
  pictures: Math.min(noLimit(row.maxImages), noLimit(row.maxImages200k)),
  side: noLimit(row.maxSide),
  body: noLimit(row.body),
});

describe('limitRows', () => {
  it('has one row for each id, each with its source', () => {
    expect(new Set(limitRows.map((row) => row.id)).size).toBe(limitRows.length);
    expect(limitRows.filter((row) => row.source === undefined || row.source === '')).toEqual([]);
  });

  it('keeps the documented figures, exactly', () => {
    expect(findLimitRow('anthropic')).toMatchObject({
      maxB64: 10_485_760,
      maxImages: 600,
      maxImages200k: 100,
      maxSide: 8000,
      highTier: { edge: 2576, maxPatches28: 4784 },
      manyImages: { over: 20, maxSide: 2000 },
      body: 33_554_432,
    });
    expect(findLimitRow('deepseek-chat')).toMatchObject({
      maxRaw: 33_554_432,
      maxTotalRaw: 67_108_864,
      body: 50_331_648,
      manyImages: { from: 15, maxSide: 4096 },
    });
    expect(findLimitRow('zhipu')).toMatchObject({ maxRaw: 5_242_879, formats: ['png', 'jpeg'], maxImages: 50 });
    expect(findLimitRow('dashscope-chat')).toMatchObject({ maxImages: 250, maxImagesUrl: 2048, minSide: 11 });
    expect(findLimitRow('offline')).toMatchObject({ edge: 4096, maxImages: 20, toolImages: 'inline' });
    expect(findLimitRow('unknown')).toMatchObject({ maxRaw: 3_932_160, maxB64: 5_242_880, body: 20_971_520 });
    expect(findLimitRow('no such row')).toBeUndefined();
  });

  it('has an unknown row that no other row is stricter than, but for those that are known', () => {
    for (const row of limitRows) {
      const stricter = Object.entries(limitsOf(row))
        .filter(([name, limit]) => limit < limitsOf(unknownLimitRow)[name as keyof ReturnType<typeof limitsOf>])
        .map(([name]) => name);
      const expected: Record<string, string[]> = {
        vllm: ['pictures'],
        'azure-openai': ['pictures'],
        mistral: ['pictures'],
        'dashscope-messages': ['body'],
        'vllm-responses': ['pictures'],
        'vllm-messages': ['pictures'],
      };
      expect(stricter, row.id).toEqual(expected[row.id] ?? []);
      for (const format of unknownLimitRow.formats) expect(row.formats, row.id).toContain(format);
    }
  });

  it('never leaves tool pictures inside a tool message on Chat', () => {
    for (const supplier of ['openai', 'deepseek', 'ollama', 'openrouter', 'moonshot']) {
      expect(limitRowFor(supplier, 'openai-chat').toolImages).toBe('after-group');
    }
  });
});

describe('limitRowFor', () => {
  it('finds the row of a supplier and wire API', () => {
    expect(limitRowFor('openai', 'openai-chat').id).toBe('openai-chat');
    expect(limitRowFor('openai', 'openai-responses').id).toBe('openai-responses');
    expect(limitRowFor('deepseek', 'anthropic-messages').toolImages).toBe('toplevel-user');
    expect(limitRowFor('offline', 'offline').id).toBe('offline');
  });

  it('falls back to the unknown row for what nobody described', () => {
    expect(limitRowFor('custom', 'openai-chat').id).toBe('unknown');
    expect(limitRowFor('xai', 'openai-chat').id).toBe('unknown');
    expect(limitRowFor('anthropic', 'openai-chat').id).toBe('unknown');
    expect(limitRowFor('someone', 'openai-responses').id).toBe('unknown');
  });
});

describe('the rows of clones', () => {
  it('have the figures of the Chat endpoint, and a place for tool pictures that the models behind them see', () => {
    expect(limitRowFor('zhipu', 'anthropic-messages')).toMatchObject({
      id: 'zhipu-messages',
      toolImages: 'toplevel-user',
      maxRaw: 5_242_879,
      maxImages: 50,
      detail: null,
    });
    expect(limitRowFor('moonshot', 'anthropic-messages')).not.toHaveProperty('fileScheme');
    expect(limitRowFor('vllm', 'openai-responses')).toMatchObject({ toolImages: 'after-group', maxImages: 1 });
    expect(limitRowFor('volcengine', 'openai-responses').detail).toEqual(['low', 'high', 'xhigh']);
    expect(limitRowFor('ollama', 'anthropic-messages')).toMatchObject({ toolImages: 'inline', url: false });
  });
});

describe('imageDetailFor', () => {
  it('is high where the endpoint knows it, and nothing where the field is not sent', () => {
    expect(imageDetailFor(limitRowFor('openai', 'openai-chat'))).toBe('high');
    expect(imageDetailFor(limitRowFor('ollama', 'openai-chat'))).toBeUndefined();
    expect(imageDetailFor({ ...unknownLimitRow, detail: ['low', 'auto'] })).toBe('low');
  });
});

describe('regionDetailFor', () => {
  it('is original where the endpoint has it', () => {
    expect(regionDetailFor(limitRowFor('openai', 'openai-responses'))).toBe('original');
    expect(regionDetailFor(limitRowFor('xai', 'openai-responses'))).toBeUndefined();
    expect(regionDetailFor(limitRowFor('ollama', 'openai-chat'))).toBeUndefined();
  });
});
