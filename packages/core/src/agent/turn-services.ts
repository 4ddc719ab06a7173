import type { FileAccess } from '../attachments/access-policy.ts';
import type { Clock } from '../base/clock.ts';
import type { IdSource } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Secret } from '../base/secret.ts';
import type { LimitRow } from '../catalog/limit-row.ts';
import type { ModelPrice } from '../catalog/models.ts';
import type { TokenFamily } from '../catalog/token-family.ts';
import type { ImageInputCapability } from '../catalog/wire-api.ts';
import type { ImageRef } from '../content/attachment-ref.ts';
import type { FileReference } from '../content/file-reference.ts';
import type { ImageLink } from '../content/image-input.ts';
import type { Session } from '../content/session.ts';
import type { Endpoint, Provider } from '../providers/provider.ts';
import type { Tool, ToolLimits } from '../tools/tool.ts';
import type {
  ApprovalRecords,
  Approver,
  BlobStore,
  ContentGraph,
  FileChangeRecords,
  RandomSource,
  TurnRecords,
} from './ports.ts';

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
  /** Absent where none is known: then no cost is told. */
  readonly price?: ModelPrice;
}

/** One admitted submission. */
export interface RunTurnInput {
  readonly session: Session;
  readonly turnId: string;
  readonly submissionId: string;
  /** Exactly as typed. */
  readonly text: string;
  /** In the user's order: admitted and stored, or named by a URL or a file's id. */
  readonly images: readonly (ImageRef | ImageLink)[];
  /** What `@path` named in the text, in its order. */
  readonly references?: readonly FileReference[];
  /** The user message in whose place this one is put, on another course of the conversation. */
  readonly edits?: string | undefined;
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
  /** Who is asked about calls that the profile does not decide. Absent: they are refused. */
  readonly approver?: Approver;
  readonly approvals: ApprovalRecords;
  /** What files were before tools changed them, for `undoLastTurn`. */
  readonly fileChanges: FileChangeRecords;
  /** The whole environment of commands: the allow-listed names of `docs/reference/outside.md` and no key. */
  readonly commandEnvironment: Readonly<Record<string, string>>;
  /** Live keys: their values are replaced in everything that a turn stores or tells. */
  readonly secrets: readonly Secret[];
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly random: RandomSource;
  readonly logger: Logger;
  /** Model calls that one turn may make. */
  readonly maxSteps: number;
}

/** `channel/model`, as messages and events name a model. */
export function modelName(target: Pick<ModelTarget, 'channel' | 'model'>): string {
  return `${target.channel}/${target.model}`;
}
