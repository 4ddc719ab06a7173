import { defaultLimits } from '../attachments/limits.ts';
import type { Locale } from '../base/locale.ts';
import type { PictureReferences, ToolContext, ToolLimits } from '../tools/tool.ts';
import { createMemoryBlobs, type MemoryBlobs } from './create-memory-blobs.ts';

export interface ToolContextOptions {
  /** Absolute, real path of the workspace. */
  readonly workspace: string;
  readonly locale?: Locale;
  readonly forbidden?: readonly string[];
  readonly externalFolders?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ToolLimits>;
  readonly signal?: AbortSignal;
  readonly references?: PictureReferences;
}

/** A {@link ToolContext} over a real folder, whose blobs are in memory. */
export function createToolContext(options: ToolContextOptions): ToolContext & { readonly blobs: MemoryBlobs } {
  const { workspace, locale = 'en', forbidden = [], externalFolders = {}, limits = {}, signal, references } = options;
  return {
    access: { workspace, externalFolders, forbidden },
    blobs: createMemoryBlobs(),
    limits: { ...defaultLimits, ...limits },
    locale,
    signal: signal ?? new AbortController().signal,
    ...(references && { references }),
  };
}
