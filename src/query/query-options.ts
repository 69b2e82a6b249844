/** What a query needs besides the snapshot and itself. */

import { DatabaseError } from "../base/errors.ts";
import type { ArenaKernels } from "../kernel/arena-kernels.ts";
import type { IndexOption } from "../model/index-build.ts";
import type { Division } from "./executor/division.ts";
import type { KeptFindings } from "./executor/kept-findings.ts";
import type { ScanProgress } from "./executor/scan-progress.ts";
import type { QueryMemory } from "./query-memory.ts";

/**
 * Matching documents up to which an ANN search looks at all of them, and of more at this many. With
 * sizes divided by 16 (clusters of 32 rows) a recall of 0.95 took 700 rows of 9,300 texts of 1,536
 * dimensions, and 750 of 5,000 descriptors of 128; a recall of 0.98 twice as many.
 */
const PROBE_EXACT_MATCHES_MAX = 24_000;
/**
 * Matching documents that an ANN search looks at, times the root of how many match in each segment:
 * 49,000 of a million in six segments. The rows above grew with the root of all rows, or less.
 */
const PROBE_MATCHES_PER_ROOT = 20;
/** Matching documents that an ANN search looks at for each one that is asked for. */
const PROBE_MATCHES_PER_RESULT = 20;

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
  readonly exactMatchesMax: number;
  /** Matching documents for each one that is asked for. */
  readonly perResult: number;
  /** Matching documents for the root of how many match in each segment. */
  readonly perRoot: number;
}

/** What suits clusters of `CLUSTER_DOCUMENTS`. */
export const PROBING: Probing = {
  exactMatchesMax: PROBE_EXACT_MATCHES_MAX,
  perResult: PROBE_MATCHES_PER_RESULT,
  perRoot: PROBE_MATCHES_PER_ROOT,
};

/** Services that the thread running the query provides. */
export interface QueryOptions {
  readonly kernels: ArenaKernels;
  /** Lets exact scans look at more vectors than memory holds. */
  readonly progress?: ScanProgress | undefined;
  /** What was found for each subquery, while the query is run again for what is missing. */
  readonly kept?: KeptFindings | undefined;
  /** Is told what the query does from now on, for whoever asks where the time went. */
  readonly enter?: ((step: () => string) => void) | undefined;
  /** Absent: memory is not bounded. */
  readonly memory?: QueryMemory | undefined;
  /** Absent: plans are run on this thread alone. */
  readonly division?: Division | undefined;
  /** Absent: `PROBING`. Tests make it small. */
  readonly probing?: Probing | undefined;
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
