import { describe, expect, it } from 'vitest';
import type { ToolImagePlacement, WireApi } from '../catalog/wire-api.ts';
import { chooseToolImages } from './choose-tool-images.ts';

function choose(wireApi: WireApi, toolImages: ToolImagePlacement | null): ToolImagePlacement {
  return chooseToolImages({ endpoint: { wireApi }, limitRow: { toolImages } });
}

describe('chooseToolImages', () => {
  it('never puts a picture into a tool message of Chat Completions', () => {
    for (const toolImages of [null, 'inline', 'after-group', 'toplevel-user'] as const) {
      expect(choose('openai-chat', toolImages)).toBe('after-group');
    }
  });

  it('takes the default of the wire, and on the others what the endpoint says', () => {
    expect(choose('openai-responses', null)).toBe('after-group');
    expect(choose('openai-responses', 'inline')).toBe('inline');
    expect(choose('anthropic-messages', null)).toBe('inline');
    expect(choose('anthropic-messages', 'toplevel-user')).toBe('toplevel-user');
  });
});
