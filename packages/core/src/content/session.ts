import type { Locale } from '../base/locale.ts';
import type { ToolDefinition } from './tool-definition.ts';

export type PermissionProfile = 'read-only' | 'workspace-write' | 'full-access';

/**
 * What never changes in a session's prompt, made once when the session is created, so that the
 * request's prefix stays the same from turn to turn (requirement R029, decision X17).
 */
export interface PromptHead {
  readonly systemPrompt: string;
  readonly tools: readonly ToolDefinition[];
}

/** A conversation without its messages. */
export interface Session {
  readonly id: string;
  readonly title: string;
  /** Absolute path of the workspace folder. */
  readonly workspace: string;
  /** Alias to absolute path of folders outside the workspace that tools may read. */
  readonly externalFolders: Readonly<Record<string, string>>;
  /** Reserved for accounts; `local` on one's own machine. */
  readonly owner: string;
  /** `channel/model` of the latest turn. */
  readonly model: string;
  readonly profile: PermissionProfile;
  readonly modelLocale: Locale;
  readonly promptHead: PromptHead;
  readonly storageRevision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A session as lists show it. */
export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly workspace: string;
  readonly model: string;
  readonly messageCount: number;
  readonly updatedAt: string;
}
