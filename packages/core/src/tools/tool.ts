import type { FileAccess } from '../attachments/access-policy.ts';
import type { BlobSink } from '../attachments/blob-sink.ts';
import type { Digest } from '../base/ids.ts';
import type { Locale } from '../base/locale.ts';
import type { ToolActivity } from '../content/events.ts';
import type { FileDiff, ToolAttachment } from '../content/messages.ts';
import type { ToolDefinition } from '../content/tool-definition.ts';

/** What a tool may do to the world; profiles decide by it. Read-only tools of a group run in parallel. */
export type ToolEffect = 'read' | 'write' | 'execute';

/** What a tool may use while it runs. */
export interface ToolContext {
  readonly access: FileAccess;
  readonly blobs: BlobSink;
  readonly limits: ToolLimits;
  /** The session's `modelLocale`: the language of results. */
  readonly locale: Locale;
  readonly signal: AbortSignal;
  /** Absent where nothing is stored, as in an executor without a store. */
  readonly references?: PictureReferences;
  /** Takes note of every file before it is changed, so that it can be undone. Absent: nothing can. */
  readonly journal?: FileJournal;
  /**
   * The demand of this call as the profile or a person allowed it. A write outside the workspace
   * happens only where this is a `write` with `isInsideWorkspace: false` and the same `target`.
   * Absent: writes stay inside the workspace.
   */
  readonly granted?: ToolDemand;
  /** The whole environment of commands; see `docs/reference/outside.md`. Absent: commands get none but `PATH`. */
  readonly commandEnvironment?: Readonly<Record<string, string>>;
}

/** Keeps what files were before a turn changed them. */
export interface FileJournal {
  /** Durable when it resolves; only then may the file be changed. Throws `STORE_UNAVAILABLE`. */
  record(change: FileChange): Promise<void>;
}

/** One file about to be written. */
export interface FileChange {
  /** Absolute, without links. */
  readonly path: string;
  /** As the user is shown it. */
  readonly displayPath: string;
  /** Absent: there is no file yet. */
  readonly before?: Uint8Array;
  /** What is about to be written. */
  readonly after: Uint8Array;
}

/** What a reference `attachment:<hexadecimal digits>` means in one session. */
export type ReferenceTarget =
  | {
      readonly kind: 'found';
      readonly digest: Digest;
      /** What the conversation calls it, where it does. */
      readonly name?: string;
    }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Digest[] }
  | { readonly kind: 'none' };

/**
 * The pictures that the running session holds, and no others: knowing a digest gives no right.
 * `read` is only asked for what `resolve` has found; it throws `BLOB_MISSING`, `BLOB_DAMAGED`, both
 * throw `STORE_UNAVAILABLE`.
 */
export interface PictureReferences {
  /** `hexPrefix` as it was written, in lower case: 12 to 64 digits name a picture, anything else none. */
  resolve(hexPrefix: string): Promise<ReferenceTarget>;
  read(digest: Digest): Promise<Uint8Array>;
}

/** Limits of decision X1, from the configuration. */
export interface ToolLimits {
  readonly readFileImageBytes: number;
  readonly viewImageBytes: number;
  readonly imagePixels: number;
  readonly imageFrames: number;
  /** Of a picture that is stored already, or of which only a region is shown. */
  readonly attachmentBytes: number;
  readonly attachmentPixels: number;
}

/**
 * What a tool answers. `content` is what the model reads and the transcript stores: text, never
 * base64. Pictures are in `attachments`, already admitted into the store.
 */
export interface ToolOutcome {
  readonly isError: boolean;
  readonly content: string;
  readonly attachments: readonly ToolAttachment[];
  /** What a writing tool changed; for people, not for the model. */
  readonly diff?: FileDiff;
}

/**
 * What one call would do to the world, judged before it runs. `write` says where; what cannot be
 * judged is `execute`. It grants nothing: the tool checks what it opens once more.
 */
export type ToolDemand =
  | { readonly kind: 'read' }
  | { readonly kind: 'write'; readonly target: string; readonly isInsideWorkspace: boolean }
  | { readonly kind: 'execute'; readonly target: string };

/** One tool. Failures are outcomes with `isError`; what is thrown counts as a fault of the tool. */
export interface Tool {
  readonly name: string;
  readonly effect: ToolEffect;
  /** Stable within a session: the same locale gives the same definition. */
  definition(locale: Locale): ToolDefinition;
  /** What an activity line shows for these arguments, if anything. */
  activity?(toolArguments: unknown): ToolActivity | undefined;
  /** What this call would do. Needed by every tool whose effect is not `read`; absent: its worst, with its name as target. Never throws. */
  demand?(toolArguments: unknown, context: Pick<ToolContext, 'access'>): Promise<ToolDemand>;
  /** `toolArguments` is parsed JSON, not yet checked: each tool checks its own schema. */
  run(toolArguments: unknown, context: ToolContext): Promise<ToolOutcome>;
}
