/** What a request cost and returned; kept while it runs. */

/** Figures for billing, metrics and `performance`. */
export interface QueryCounters {
  /** Live documents that some part of the request looked at. */
  readonly documentsScanned: number;
  readonly postingsTouched: number;
  readonly vectorsScored: number;
  /** Clusters that ANN searches looked into; none where they looked at all vectors. */
  readonly clustersProbed: number;
  /**
   * Logical bytes: 8 for a uint id, 16 for a uuid, else the string's; 4 for `$dist`; attributes.
   */
  readonly bytesReturned: number;
  /** Documents searched without an index. */
  readonly exhaustiveCount: number;
}

/** Counters while they rise. */
export type WorkCounters = { -readonly [Name in keyof QueryCounters]: QueryCounters[Name] };

/** Makes counters at zero. */
export function newCounters(): WorkCounters {
  return {
    documentsScanned: 0,
    postingsTouched: 0,
    vectorsScored: 0,
    clustersProbed: 0,
    bytesReturned: 0,
    exhaustiveCount: 0,
  };
}
