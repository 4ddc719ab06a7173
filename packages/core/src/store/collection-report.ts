/** What a collection of garbage did. */
export interface CollectionReport {
  readonly blobs: {
    /** Something leads to them. */
    readonly kept: number;
    /** Deleted. */
    readonly collected: number;
    /** Nothing leads to them yet, and they may belong to work that goes on. */
    readonly young: number;
  };
  readonly bytesFreed: number;
  /** Edges of drafts and unsent uploads whose time was over. */
  readonly expiredEdges: number;
  /** Records of variants whose bytes were deleted. */
  readonly variants: number;
  /** Old files of the temporary folder. */
  readonly leftovers: number;
}
