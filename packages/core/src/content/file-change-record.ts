import type { Digest } from '../base/ids.ts';

/** One noted change of a file: the bytes are stored under their digests, and never in a record. */
export interface FileChangeRecord {
  readonly sessionId: string;
  readonly turnId: string;
  /** Order in the session, from 1. */
  readonly seq: number;
  /** Absolute, without links. */
  readonly path: string;
  /** As the user is shown it. */
  readonly displayPath: string;
  /** Absent: there was no file. */
  readonly beforeDigest?: Digest;
  /** Of what was about to be written. */
  readonly afterDigest: Digest;
}
