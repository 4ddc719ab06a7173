/** The protocols that Fovea speaks to models; `offline` is the built-in reader, which has no wire. */
export const wireApis = ['openai-chat', 'openai-responses', 'anthropic-messages', 'offline'] as const;
export type WireApi = (typeof wireApis)[number];

/** Where a tool's pictures go in a request (decision X20). */
export type ToolImagePlacement = 'inline' | 'after-group' | 'toplevel-user';

/** A stated fact about what a model takes; never guessed from a name at run time. */
export type ImageInputCapability = 'yes' | 'no' | 'unknown';
