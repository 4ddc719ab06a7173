import type { FileAccess } from '../attachments/access-policy.ts';
import type { Clock } from '../base/clock.ts';
import type { IdSource } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { LimitRow } from '../catalog/limit-row.ts';
import type { TokenFamily } from '../catalog/token-family.ts';
import type { ImageInputCapability } from '../catalog/wire-api.ts';
import type { ImageRef } from '../content/attachment-ref.ts';
import type { Session } from '../content/session.ts';
import type { Endpoint, Provider } from '../providers/provider.ts';
import type { Tool, ToolLimits } from '../tools/tool.ts';
import type { BlobStore, ContentGraph, TurnRecords } from './ports.ts';

/** The model of one turn, and everything that is known of where it is reached. */
export interface ModelTarget {
  /** The channel's name. */
  readonly channel: string;
  /** The model's id at its supplier. */
  readonly model: string;
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  readonly imageInput: ImageInputCapability;
  readonly limitRow: LimitRow;
  readonly tokenFamily: TokenFamily;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly reasoningEffort?: string;
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** One admitted submission. */
export interface RunTurnInput {
  readonly session: Session;
  readonly turnId: string;
  readonly submissionId: string;
  /** Exactly as typed. */
  readonly text: string;
  /** Admitted and stored, in the user's order. */
  readonly images: readonly ImageRef[];
  readonly target: ModelTarget;
  /** Aborted when the user stops the turn. */
  readonly signal: AbortSignal;
}

/** What a turn works with. Made by the composition. */
export interface TurnServices {
  readonly records: TurnRecords;
  readonly blobs: BlobStore;
  readonly contentGraph: ContentGraph;
  /** What can be executed; what the model is shown is in the session's prompt head. */
  readonly tools: readonly Tool[];
  readonly access: FileAccess;
  readonly limits: ToolLimits;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Model calls that one turn may make. */
  readonly maxSteps: number;
}

/** `channel/model`, as messages and events name a model. */
export function modelName(target: Pick<ModelTarget, 'channel' | 'model'>): string {
  return `${target.channel}/${target.model}`;
}
