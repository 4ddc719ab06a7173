import type { Digest } from '../base/ids.ts';

/** How work on the whole store is done. */
export interface MaintenanceOptions {
  /** Milliseconds since 1970 by the clock of the machine that keeps the files. */
  readonly nowMs: number;
  /** Called now and then; `total` may grow while others write. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/**
 * What can be wrong in a store.
 *
 * - `database-damaged`: the database itself says so, or cannot read a table.
 * - `row-invalid`: a row is not what its table holds.
 * - `row-of-newer-build`: a row of a revision that this build does not know.
 * - `reference-dangling`: something names a row that is not there.
 * - `course-broken`: the tree of messages does not hold together.
 * - `edge-missing`: bytes are named and no edge leads to them.
 * - `edge-dangling`: an edge comes from nothing that names its bytes.
 * - `blob-missing`, `blob-damaged`: the bytes of a digest.
 * - `payload-stored`: a row holds bytes as base64.
 */
export type StoreFaultKind =
  | 'database-damaged'
  | 'row-invalid'
  | 'row-of-newer-build'
  | 'reference-dangling'
  | 'course-broken'
  | 'edge-missing'
  | 'edge-dangling'
  | 'blob-missing'
  | 'blob-damaged'
  | 'payload-stored';

/** One thing that is wrong. Never quotes a record. */
export interface StoreFault {
  readonly kind: StoreFaultKind;
  /** Table and row: `messages ses_1/7`. */
  readonly place: string;
  readonly digest?: Digest;
  readonly message: string;
}

/** What was looked at, and what is no fault and still worth knowing. */
export interface CheckCounts {
  readonly sessions: number;
  readonly messages: number;
  /** Of revisions 1 and 2; they may hold pictures as base64. */
  readonly oldMessages: number;
  readonly turns: number;
  /** Turns that run now, or whose process died and whose session nobody took over yet. */
  readonly runningTurns: number;
  readonly queueItems: number;
  readonly edges: number;
  /** Edges of drafts whose time is over: the next collection deletes them. */
  readonly expiredEdges: number;
  /** Bytes that an edge or a variant leads to; every one was read and compared with its digest. */
  readonly blobs: number;
  /** Stored bytes that nothing leads to; a collection deletes the old ones. */
  readonly unreferencedBlobs: number;
  /** Files that a crash left in the temporary folder and the trash. */
  readonly leftovers: number;
}

/** The outcome of a check: a store without faults is whole. */
export interface CheckReport {
  /** At most {@link MOST_FAULTS}; `faultCount` counts all. */
  readonly faults: readonly StoreFault[];
  readonly faultCount: number;
  readonly counts: CheckCounts;
}

/** So many faults are named. */
export const MOST_FAULTS = 1_000;
