import type { ToolImagePlacement, WireApi } from '../catalog/wire-api.ts';
import type { ModelTarget } from './turn-services.ts';

/** Where a wire takes the pictures of tools when its endpoint says nothing else. Source: decision X20. */
const DEFAULT_TOOL_IMAGES: Readonly<Record<WireApi, ToolImagePlacement>> = {
  'openai-chat': 'after-group',
  'openai-responses': 'after-group',
  'anthropic-messages': 'inline',
  offline: 'after-group',
};

/**
 * Where this target's endpoint takes the pictures of tools: what its limit row says, else the
 * default of its wire. Chat Completions has no form for a picture inside a tool message, whatever
 * a channel is configured to.
 */
export function chooseToolImages({
  endpoint,
  limitRow,
}: {
  readonly endpoint: Pick<ModelTarget['endpoint'], 'wireApi'>;
  readonly limitRow: Pick<ModelTarget['limitRow'], 'toolImages'>;
}): ToolImagePlacement {
  if (endpoint.wireApi === 'openai-chat') return 'after-group';
  return limitRow.toolImages ?? DEFAULT_TOOL_IMAGES[endpoint.wireApi];
}
