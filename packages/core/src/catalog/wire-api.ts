/** The protocols that Fovea speaks to models; `offline` is the built-in reader, which has no wire. */
export const wireApis = ['openai-chat', 'openai-responses', 'anthropic-messages', 'offline'] as const;
export type WireApi = (typeof wireApis)[number];

/** Where a tool's pictures go in a request (decision X20). */
export type ToolImagePlacement = 'inline' | 'after-group' | 'toplevel-user';

/** A stated fact about what a model takes; never guessed from a name at run time. */
export type ImageInputCapability = 'yes' | 'no' | 'unknown';

/**
 * When a model's own thinking goes back to it as `reasoning_content`: with every answer, with the
 * answers of a turn that called tools, or never.
 */
export type ReasoningReplay = 'always' | 'tool-loop' | 'never';

/** Name of the Chat field that bounds an answer's tokens; older servers know only the first. */
export type OutputLimitField = 'max_tokens' | 'max_completion_tokens';

/** How an endpoint wants its key: `Authorization: Bearer`, `x-api-key`, both, or Azure's `api-key`. */
export type KeyHeader = 'bearer' | 'x-api-key' | 'both' | 'api-key';
