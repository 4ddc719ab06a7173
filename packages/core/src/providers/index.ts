export * from './base-url.ts';
export * from './classify-error.ts';
export * from './endpoint-identity.ts';
export * from './openai-chat/provider.ts';
export * from './provider.ts';
export * from './registry.ts';
export type { WireProviderOptions } from './wire-provider.ts';
