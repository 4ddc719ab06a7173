import type { Insertable, Selectable } from 'kysely';
import type { Digest } from '../base/ids.ts';

/** What holds a digest reachable; see `content-graph.ts`. */
export type EdgeKind = 'message' | 'variant' | 'file-change' | 'queue-item' | 'draft' | 'archive';

/**
 * The tables. Columns named in the comments as JSON go through the codec; every other column is
 * plain text or a whole number in both databases.
 */
export interface Tables {
  readonly meta: MetaTable;
  readonly sessions: SessionsTable;
  readonly session_counters: SessionCountersTable;
  readonly messages: MessagesTable;
  readonly turns: TurnsTable;
  readonly content_edges: ContentEdgesTable;
  readonly variants: VariantsTable;
  readonly plans: PlansTable;
  readonly file_changes: FileChangesTable;
  readonly approvals: ApprovalsTable;
  readonly plan_images: PlanImagesTable;
  readonly session_leases: SessionLeasesTable;
  readonly session_events: SessionEventsTable;
  readonly step_snapshots: StepSnapshotsTable;
  readonly session_queues: SessionQueuesTable;
  readonly queue_items: QueueItemsTable;
}

/** One row, `id` 1: which builds may read and write this store, and which migrations it has had. */
export interface MetaTable {
  readonly id: number;
  readonly min_reader: number;
  readonly min_writer: number;
  readonly revision: number;
  readonly migration: number;
}

export interface SessionsTable {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly workspace: string;
  /** JSON */
  readonly external_folders: string;
  readonly model: string;
  readonly profile: string;
  readonly model_locale: string;
  /**
   * JSON text in both databases: `jsonb` would sort the members of the tools' schemas, and the
   * bytes of a session's requests must not depend on a reload.
   */
  readonly prompt_head: string;
  readonly storage_revision: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Numbers that several processes take from; apart from the session so that its row stays small. */
export interface SessionCountersTable {
  readonly session_id: string;
  readonly owner: string;
  readonly last_message_seq: number;
  /** Of the course that the session is on: the depth of its newest message. */
  readonly message_count: number;
  readonly last_request_number: number;
  /** The newest message of the course that the session is on; null where it has none. */
  readonly head_seq: number | null;
}

export interface MessagesTable {
  readonly session_id: string;
  /** Order in the session, from 1, never used twice. */
  readonly seq: number;
  readonly owner: string;
  readonly id: string;
  readonly turn_id: string;
  /** The storage revision of `body`: old forms are read as they are, never rewritten in place. */
  readonly revision: number;
  /** JSON: {@link Message} */
  readonly body: string;
  /** The message before it; null for a first one. Messages with one parent are other courses of the conversation. */
  readonly parent_seq: number | null;
  /** How many messages lead to it, itself included. */
  readonly depth: number;
}

export interface TurnsTable {
  readonly id: string;
  readonly session_id: string;
  readonly owner: string;
  readonly submission_id: string;
  readonly status: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** JSON */
  readonly error: string | null;
  /** JSON: {@link ProcessMark} of the process that runs the turn. */
  readonly writer: string;
  /** Of the lease under which it was started; 0 where it was started without one. */
  readonly epoch: number;
  /** 1 as soon as a call may have changed something outside of the store. */
  readonly has_effects: number;
}

export interface ContentEdgesTable {
  readonly owner: string;
  readonly session_id: string;
  readonly kind: EdgeKind;
  /** What the edge comes from: the message's id; for a variant the original's digest; for a file change its turn's id. */
  readonly source_id: string;
  readonly digest: Digest;
  /** ISO-8601; null for an edge that stays. From then on the edge holds nothing. */
  readonly expires_at: string | null;
}

export interface VariantsTable {
  readonly owner: string;
  readonly original_digest: string;
  readonly variant_key: string;
  readonly digest: string;
  readonly media_type: string;
  readonly size_bytes: number;
  readonly width_px: number;
  readonly height_px: number;
  /** JSON */
  readonly changes: string;
}

/** That there is a plan; its pictures are rows of {@link PlanImagesTable}. */
export interface PlansTable {
  readonly session_id: string;
  readonly endpoint_id: string;
  readonly owner: string;
}

/** One row a picture, so that a turn with a new one writes that one and not all. */
export interface PlanImagesTable {
  readonly session_id: string;
  readonly endpoint_id: string;
  /** In the request, from 0. */
  readonly position: number;
  readonly owner: string;
  readonly original_digest: Digest;
  readonly digest: Digest;
}

/** Who may write to a session; see `session-leases.ts`. */
export interface SessionLeasesTable {
  readonly session_id: string;
  readonly owner: string;
  /** Names one opened store of one process; empty where nobody holds it. */
  readonly holder: string;
  /** JSON: {@link ProcessMark} */
  readonly process: string;
  /** Grows with every acquisition. */
  readonly epoch: number;
  /** Milliseconds since 1970 by the database's clock. */
  readonly lease_until: number;
}

/** What a running turn told; gone when it ends, because the messages are the history. */
export interface SessionEventsTable {
  readonly session_id: string;
  readonly seq: number;
  readonly owner: string;
  readonly turn_id: string;
  /** JSON: {@link FoveaEvent} */
  readonly body: string;
}

/** What a running step said so far; at most a second old. */
export interface StepSnapshotsTable {
  readonly session_id: string;
  readonly turn_id: string;
  readonly step: number;
  readonly owner: string;
  /** Of the last event that is in it. */
  readonly seq: number;
  /** JSON: `{text, thinking}` */
  readonly body: string;
}

export interface SessionQueuesTable {
  readonly session_id: string;
  readonly owner: string;
  readonly schema_version: number;
  readonly last_position: number;
  /** Items up to this position wait until the user goes on; 0 where none does. */
  readonly held_through: number;
  /** Why they wait. */
  readonly held_because: string | null;
}

export interface QueueItemsTable {
  readonly id: string;
  readonly session_id: string;
  readonly owner: string;
  /** Order in the queue, never used twice at a time. */
  readonly position: number;
  readonly state: string;
  readonly intent: string;
  readonly submission_id: string;
  /** Of what was submitted, as it was submitted: the same id with other content is refused. */
  readonly content_digest: string;
  readonly schema_version: number;
  /** JSON, of the form of `schema_version`; null when the item is done: the message is the history. */
  readonly body: string | null;
  readonly turn_id: string;
  /** The running turn that a `steer` item became part of. */
  readonly joined_turn_id: string | null;
  /** JSON: why it is blocked. */
  readonly error: string | null;
  readonly created_at: string;
}

export interface FileChangesTable {
  readonly session_id: string;
  /** Order in the session, from 1, never used twice. */
  readonly seq: number;
  readonly owner: string;
  readonly turn_id: string;
  /** JSON text in both databases: a path may hold what a text column refuses. */
  readonly path: string;
  readonly display_path: string;
  /** Null: there was no file. */
  readonly before_digest: Digest | null;
  readonly after_digest: Digest;
  /** When the change was settled: taken back, or left as it is. */
  readonly undone_at: string | null;
}

export interface ApprovalsTable {
  readonly session_id: string;
  /** Of the call: its tool and what it does. */
  readonly key: string;
  readonly owner: string;
}

export type MessageRow = Insertable<MessagesTable>;
export type LeaseRow = Selectable<SessionLeasesTable>;
export type ContentEdgeRow = Insertable<ContentEdgesTable>;
