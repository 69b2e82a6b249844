/** What a request cost and returned; kept while it runs. */

/** Stats for billing, metrics and `performance`. */
export interface QueryStats {
  /** Live documents that some part of the request looked at. */
  readonly documentsScanned: number;
  readonly postingsTouched: number;
  readonly vectorsScored: number;
  /** Clusters that ANN searches looked into; none where they looked at all vectors. */
  readonly clustersProbed: number;
  /** Rows whose distances ANN searches estimated by their codes. */
  readonly codesScanned: number;
  /** Those of them that were compared exactly then; part of `vectorsScored`. */
  readonly candidatesReranked: number;
  /** Documents that rankings refused at once, since so many better ones were known. */
  readonly candidatesSkipped: number;
  /**
   * Logical bytes: 8 for a uint id, 16 for a uuid, else the string's; 4 for `$dist`; attributes.
   */
  readonly bytesReturned: number;
  /** Documents searched without an index. */
  readonly exhaustiveCount: number;
}

/** Stats while they rise. */
export type WorkStats = { -readonly [Name in keyof QueryStats]: QueryStats[Name] };

/** Adds what a part of the work cost. */
export function addWorkStats(stats: WorkStats, part: QueryStats): void {
  for (const name of STAT_NAMES) stats[name] += part[name];
}

/** Makes stats at zero. */
export function newWorkStats(): WorkStats {
  return {
    documentsScanned: 0,
    postingsTouched: 0,
    vectorsScored: 0,
    clustersProbed: 0,
    codesScanned: 0,
    candidatesReranked: 0,
    candidatesSkipped: 0,
    bytesReturned: 0,
    exhaustiveCount: 0,
  };
}

const STAT_NAMES = Object.keys(newWorkStats()) as (keyof QueryStats)[];
