/** What a query needs besides the snapshot and itself. */

import { DatabaseError } from "../../base/errors.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import type { IndexOption } from "../../model/index-build.ts";
import { FIRST_CLUSTERS } from "../../vector/hit-rates.ts";
import type { CountedPlan } from "./counted-plan.ts";
import type { Division } from "./division.ts";
import type { QueryMemory } from "./query-memory.ts";
import type { ScanProgress } from "./scan-progress.ts";

/** Indexes that can be turned on for an attribute that has documents already. */
export type IndexName = IndexOption | "ann";

/** How far the building of an index is. */
export interface BuildProgress {
  readonly documentsDone: number;
  readonly documentsTotal: number;
  /** When the client may try again. */
  readonly retryAfterMs: number;
}

/** How far ANN searches walk through clusters. */
export interface Probing {
  /** Share of the results that may be expected to be missed. */
  readonly missedShare: number;
  /**
   * Where fewer than `worthRows` results are expected in each cluster that was not looked into,
   * each costs more than it gives, and so great a share may be missed (ADR 50). Absent: never.
   */
  readonly atCost?: { readonly missedShare: number; readonly worthRows: number };
  /** Clusters of each segment that are looked into in any case, the nearest ones. */
  readonly firstClusters: number;
  /** Matches with a vector up to which all are compared exactly. */
  readonly exactMatchesMax: number;
  /**
   * Cost after which a walk estimates the clusters that are left, as a fraction of the cost of a
   * scan of all matches' byte codes. A walk that would cost more than the scan is aborted, and the
   * scan is done instead (ADR 27). Absent: walks go on to their end.
   */
  readonly unaskedShare?: number;
}

/** What servers do (ADR 24, 27, 50). */
export const PROBING: Probing = {
  missedShare: 0.0025,
  atCost: { missedShare: 0.025, worthRows: 0.0003 },
  firstClusters: FIRST_CLUSTERS,
  exactMatchesMax: 4096,
  unaskedShare: 1 / 3,
};

/** How far ANN searches by several vectors go. */
export interface LateProbing {
  /** Inner vectors that each query vector meets, at least, for each result, and of all matches. */
  readonly vectorsMin: number;
  readonly vectorsPerResult: number;
  readonly vectorShare: number;
  /** Documents that are compared exactly, at least, and for each result. */
  readonly candidatesMin: number;
  readonly candidatesPerResult: number;
  /** Inner vectors of matches up to which all are compared exactly. */
  readonly exactVectorsMax: number;
}

/** What servers do (ADR 31). */
export const LATE_PROBING: LateProbing = {
  vectorsMin: 2048,
  vectorsPerResult: 16,
  vectorShare: 1 / 64,
  candidatesMin: 64,
  candidatesPerResult: 4,
  exactVectorsMax: 8192,
};

/** Services that the thread running the query provides. */
export interface QueryOptions {
  readonly kernels: ArenaKernels;
  /** Lets exact scans look at more vectors than memory holds. */
  readonly progress?: ScanProgress | undefined;
  /**
   * Is told what the query does from now on, for whoever asks where the time went: in words that
   * may show its literals, and by the kind of the operator that does it.
   */
  readonly enter?: ((step: () => string, operator: string) => void) | undefined;
  /** Is told the plans before they are run, and where their work is counted. */
  readonly planned?: ((plans: readonly CountedPlan[]) => void) | undefined;
  /** Absent: memory is not bounded. */
  readonly memory?: QueryMemory | undefined;
  /** Absent: plans are run on this thread alone. */
  readonly division?: Division | undefined;
  /** Absent: `PROBING`. Tests make it small. */
  readonly probing?: Probing | undefined;
  /** Absent: `LATE_PROBING`. Tests make it small. */
  readonly lateProbing?: LateProbing | undefined;
  /** Undefined if the index is ready. Absent: all indexes are. */
  readonly indexState?: (attribute: string, index: IndexName) => BuildProgress | undefined;
}

/** Throws `building` if the attribute's index is not ready. */
export function requireIndex(
  options: Pick<QueryOptions, "indexState">,
  attribute: string,
  index: IndexName,
): void {
  const progress = options.indexState?.(attribute, index);
  if (progress === undefined) return;
  const { documentsDone, documentsTotal, retryAfterMs } = progress;
  throw new DatabaseError(
    "building",
    `the ${index} index of attribute \`${attribute}\` is being built: ` +
      `${documentsDone} of ${documentsTotal} documents done; try again`,
    { attribute, retryAfterMs },
  );
}
