/** What a request cost and returned; kept while it runs. */

import type { QueryWork } from "../../model/request-stats.ts";

/** Stats for billing, metrics and `performance`. */
export interface QueryStats extends QueryWork {
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
    valuesCompared: 0,
    stringsTested: 0,
    textsAnalyzed: 0,
    positionsRead: 0,
    entriesTouched: 0,
    postingsTouched: 0,
    blocksSkipped: 0,
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
