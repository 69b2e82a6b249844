/** How much of a namespace is in indexes: one truth for metadata and for every query. */
export interface IndexStatus {
  /** Nothing waits for an indexer, and no index is being built. */
  readonly isUpToDate: boolean;
  /** Bytes that wait, of the log or of documents that lack an index. */
  readonly unindexedBytes: number;
  /**
   * Live documents that wait; where everything is up to date, those of a namespace that is too
   * small for an index.
   */
  readonly unindexedCount: number;
}
