import { describe, expect, it } from 'vitest';
import { endpointSwitches } from './endpoint-switches.ts';
import { limitRowFor, unknownLimitRow } from './limits.ts';
import { findSupplierEndpoint } from './suppliers.ts';
import type { WireApi } from './wire-api.ts';

const switchesOf = (supplier: string, wireApi: WireApi) =>
  endpointSwitches(findSupplierEndpoint(supplier, wireApi), limitRowFor(supplier, wireApi));

describe('endpointSwitches', () => {
  it('gathers what the supplier and its limit row say', () => {
    expect(switchesOf('openai', 'openai-chat')).toEqual({
      outputLimitField: 'max_completion_tokens',
      imageDetail: 'high',
      regionDetail: 'original',
    });
    expect(switchesOf('anthropic', 'anthropic-messages')).toEqual({
      keyHeader: 'bearer',
      apiVersion: '2026-10-21',
      cacheMarks: true,
    });
    expect(switchesOf('deepseek', 'openai-responses')).toEqual({
      strictPairs: true,
      imageDetail: 'high',
      regionDetail: 'original',
    });
    expect(switchesOf('xai', 'openai-responses')).toEqual({ store: false, imageDetail: 'high' });
    expect(switchesOf('moonshot', 'openai-chat')).toEqual({ reasoningReplay: 'tool-loop', fileScheme: 'ms://' });
    expect(switchesOf('mistral', 'openai-chat')).toEqual({ assistantAfterTool: true, shortCallIds: true });
    expect(switchesOf('azure', 'openai-chat')).toMatchObject({ keyHeader: 'api-key', imageDetail: 'high' });
  });

  it('says nothing where nothing is known', () => {
    expect(endpointSwitches(undefined, unknownLimitRow)).toEqual({});
    expect(switchesOf('custom', 'openai-chat')).toEqual({});
  });
});
